import { busy } from '@posthorn/core/ports/runtime'
import { isGivenUp } from './retried.js'

/** The message for a list that takes too long. */
export const tooLong = 'The list takes too long. Ask for fewer at a time, or with a narrower filter.'

/**
 * Awaits a query whose size users control.
 * @throws Refusal `busy`, with the sentence, if the server ended the query
 */
export const inTime = async <T>(answer: Promise<T>, sentence: string): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    throw isGivenUp(error) ? busy(sentence) : error
  }
}
