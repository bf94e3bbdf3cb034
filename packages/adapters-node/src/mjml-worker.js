import { on } from 'node:events'
import { parentPort } from 'node:worker_threads'
import mjml from 'mjml-core'
import preset from 'mjml-preset-core'

/** What MJML says of a document is in its answer; it would also write a line for each element. */
const silent = () => undefined
Object.assign(console, { log: silent, warn: silent, error: silent })

const largest = 2_000_000
const mostProblems = 5

/** A merge tag may stand for a color: what it is worth is not known here. Where MJML calculates, it may not. */
const isTolerated = (message) => message.includes('{{') && message.trimEnd().endsWith(' for type Color')

/**
 * Plain JavaScript, since a thread is started from a file as it lies there, whether from the sources or from what is built.
 * No fonts of MJML's own: a mail asks no server for a font that its author has not named.
 */
const answerTo = async (document) => {
  try {
    const { html, errors } = await mjml.default(document, { presets: [preset], validationLevel: 'soft', fonts: {} })
    const problems = errors
      .filter(({ message }) => !isTolerated(message))
      .slice(0, mostProblems)
      .map(({ tagName, message }) => `${tagName}: ${message.slice(0, 200)}`)
    return html.length > largest
      ? { problems: [`it makes more than ${largest} characters of HTML`] }
      : { html, problems }
  } catch (error) {
    return { problems: [String(error.message).slice(0, 200)] }
  }
}

parentPort.postMessage('ready')
for await (const [document] of on(parentPort, 'message')) parentPort.postMessage(await answerTo(document))
