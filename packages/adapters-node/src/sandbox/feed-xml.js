import { XMLParser } from 'fast-xml-parser'
import { problemsOf } from './feed-json.js'

/** Not a valid element name, so that it cannot collide with one. */
const attributes = '@'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  attributesGroupName: attributes,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  isArray: (name) => name === 'item' || name === 'entry',
})

const parsed = (text) => {
  try {
    return parser.parse(text)
  } catch {
    throw new Error('it is not valid XML')
  }
}

const feedIn = ({ rss, feed, 'rdf:RDF': rdf }) => {
  if (rss?.channel) return { item: [], ...rss.channel }
  if (rdf) return { item: [], ...rdf }
  if (feed) return { entry: [], ...feed }
  throw new Error('it is neither RSS nor Atom')
}

/** Attributes join an element's children, or its text as `#text`, which may be empty. */
const withAttributes = (_, value) => {
  if (value?.[attributes] === undefined) return value
  const { [attributes]: own, '#text': text = '', ...elements } = value
  return { ...own, ...(text !== '' || Object.keys(elements).length === 0 ? { '#text': text } : {}), ...elements }
}

/** RSS 2.0 and 1.0: the channel with `item`. Atom: the feed with `entry`. Both are always arrays. */
export const work = async (input) => {
  const output = JSON.stringify(feedIn(parsed(input)), withAttributes)
  const problems = problemsOf(JSON.parse(output))
  return problems.length > 0 ? { problems } : { output }
}
