import { rendered } from '../mjml/mjml.js'

const mostProblems = 5

/** Merge tags as colors have unknown values; MJML rejects them where it calculates. */
const isTolerated = (message) => message.includes('{{') && message.trimEnd().endsWith(' for type Color')

/** Without MJML's default fonts: a mail loads only its author's. */
export const work = async (input) => {
  const { html, errors } = await rendered(JSON.parse(input), { validationLevel: 'soft', fonts: {} })
  const problems = errors
    .filter(({ message }) => !isTolerated(message))
    .slice(0, mostProblems)
    .map(({ tagName, message }) => `${tagName}: ${message.slice(0, 200)}`)
  return { output: html, problems }
}
