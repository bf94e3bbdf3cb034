import type { FeedReader } from '@posthorn/core'
import { XMLParser } from 'fast-xml-parser'
import { type GuardedFetchOptions, guardedFetch } from './guarded-fetch.js'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  isArray: (name) => name === 'item' || name === 'entry',
})

type Xml = { readonly rss?: { readonly channel?: object }; readonly feed?: object; readonly 'rdf:RDF'?: object }

/** RSS 2.0 and 1.0 as their channel with `item`, Atom as its feed with `entry`; both always arrays. @throws Error */
const fromXml = (text: string): unknown => {
  const { rss, feed, 'rdf:RDF': rdf } = parser.parse(text) as Xml
  if (rss?.channel) return { item: [], ...rss.channel }
  if (rdf) return { item: [], ...rdf }
  if (feed) return { entry: [], ...feed }
  throw new Error('The answer is neither RSS nor Atom')
}

const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The answer is not JSON')
  }
}

/** Reads feeds over HTTP, within 10 seconds and 5 MB (gaps.md, "Feeds"). */
export const httpFeedReader = (options: GuardedFetchOptions = {}): FeedReader => ({
  read: async ({ url, feedType }) => {
    const { body } = await guardedFetch(url, options)
    return feedType === 'json' ? fromJson(body) : fromXml(body)
  },
})
