import { rendered } from '../mjml/mjml.js'

const mostProblems = 5

/** Merge tags as colors have unknown values; MJML rejects them where it calculates. */
const isTolerated = (message) => message.includes('{{') && message.trimEnd().endsWith(' for type Color')

/** MJML's images for documents that name none, on other hosts. A mail loads only images that its author named or this server has. */
const defaultImages =
  /https:\/\/(?:www\.mailjet\.com\/images\/theme\/v1\/icons\/ico-social\/([a-z-]+)|i\.imgur\.com\/(xTh3hln|os7o9kz|bIXv1bk|w4uTygT))\.png/g
const iconOf = { xTh3hln: 'previous', os7o9kz: 'next', bIXv1bk: 'open', w4uTygT: 'close' }

export const work = async (input) => {
  const { document, icons } = JSON.parse(input)
  const { html, errors } = await rendered(document, { validationLevel: 'soft', fonts: {} })
  const problems = errors
    .filter(({ message }) => !isTolerated(message))
    .slice(0, mostProblems)
    .map(({ tagName, message }) => `${tagName}: ${message.slice(0, 200)}`)
  const output = html.replace(defaultImages, (_, network, control) => `${icons}/${network ?? iconOf[control]}.png`)
  return { output, problems }
}
