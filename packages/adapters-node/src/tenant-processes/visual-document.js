import mjml from 'mjml-core'
import preset from 'mjml-preset-core'

const mostProblems = 5

/** A merge tag may stand for a color: what it is worth is not known here. Where MJML calculates, it may not. */
const isTolerated = (message) => message.includes('{{') && message.trimEnd().endsWith(' for type Color')

/** MJML as JSON to HTML. No fonts of MJML's own: a mail asks no server for a font that its author has not named. */
export const work = async (input) => {
  const options = { presets: [preset], validationLevel: 'soft', fonts: {} }
  const { html, errors } = await mjml.default(JSON.parse(input), options)
  const problems = errors
    .filter(({ message }) => !isTolerated(message))
    .slice(0, mostProblems)
    .map(({ tagName, message }) => `${tagName}: ${message.slice(0, 200)}`)
  return { output: html, problems }
}
