import { rendered } from '../mjml/mjml.js'

const mostProblems = 5

/** Tolerates merge tags as colors: their values are unknown, and MJML rejects them where it calculates. */
const isTolerated = (message) => message.includes('{{') && message.trimEnd().endsWith(' for type Color')

/** Without MJML's default fonts: a mail loads only fonts that its author named. */
export const work = async (input) => {
  const { html, errors } = await rendered(JSON.parse(input), { validationLevel: 'soft', fonts: {} })
  const problems = errors
    .filter(({ message }) => !isTolerated(message))
    .slice(0, mostProblems)
    .map(({ tagName, message }) => `${tagName}: ${message.slice(0, 200)}`)
  return { output: html, problems }
}
