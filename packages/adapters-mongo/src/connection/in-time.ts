import { busy } from '@posthorn/core/ports'
import { isGivenUp } from './retried.js'

/** Of a list. */
export const tooLong = 'The list takes too long. Ask for fewer at a time, or with a narrower filter.'

/**
 * The answer to a question that people ask, and may ask too much with.
 * @throws Refusal `busy`, with the sentence, where the server gave up
 */
export const inTime = async <T>(answer: Promise<T>, sentence: string): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    throw isGivenUp(error) ? busy(sentence) : error
  }
}
