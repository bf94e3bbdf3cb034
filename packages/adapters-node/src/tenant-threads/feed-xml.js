import { XMLParser } from 'fast-xml-parser'
import { problemsOf } from './feed-json.js'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  isArray: (name) => name === 'item' || name === 'entry',
})

const parsed = (text) => {
  try {
    return parser.parse(text)
  } catch {
    throw new Error('it is not XML that can be read')
  }
}

const feedIn = ({ rss, feed, 'rdf:RDF': rdf }) => {
  if (rss?.channel) return { item: [], ...rss.channel }
  if (rdf) return { item: [], ...rdf }
  if (feed) return { entry: [], ...feed }
  throw new Error('it is neither RSS nor Atom')
}

/** RSS 2.0 and 1.0 as their channel with `item`, Atom as its feed with `entry`, both always arrays, as JSON. */
export const work = async (input) => {
  const data = feedIn(parsed(input))
  const problems = problemsOf(data)
  return problems.length > 0 ? { problems } : { output: JSON.stringify(data) }
}
