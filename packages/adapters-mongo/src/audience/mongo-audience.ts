import type { AudienceQuery, AudienceReader, Contact, Subscriber, Suppression } from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { retried } from '../connection/retries.js'
import { recordOfDocument, type StoredDocument } from '../records/documents.js'
import { segmentFilter } from './segment-filter.js'

const sliceSize = 1_000

/** Status changes do not move members: none is skipped when a pause ends. */
const sliceOptions = {
  projection: { _id: 0, contactId: 1 },
  sort: { contactId: 1 },
  limit: sliceSize,
  batchSize: sliceSize,
  hint: { subscriberListId: 1, contactId: 1 },
} as const

/** Includes members whose pause is over. */
const active = ({ subscriberListId, now }: AudienceQuery, after: string): Document => ({
  subscriberListId,
  contactId: { $gt: after },
  $or: [{ status: 'active' }, { status: 'paused', pausedUntil: { $lte: now } }],
})

const meant = ({ projectId, segment, now }: AudienceQuery, _id: readonly string[]): Document => ({
  _id: { $in: _id },
  projectId,
  ...(segment && { $and: [segmentFilter(segment, new Date(now))] }),
})

/** A server-side join would need one look-up per member, and is impossible with sharded contacts before MongoDB 5.1. */
export const mongoAudience = ({ collection }: Pick<MongoDatabase, 'collection'>): AudienceReader => {
  const contacts = collection<StoredDocument>('contacts')
  const subscribers = collection<Subscriber>('subscribers')
  const suppressions = collection<Suppression>('suppressions')

  async function* slices(question: AudienceQuery, start = ''): AsyncGenerator<readonly string[]> {
    for (let after: string | undefined = start; after !== undefined; ) {
      const where = active(question, after)
      const found = await retried(() => subscribers.find(where, sliceOptions).toArray())
      const ids = found.map(({ contactId }) => contactId)
      if (ids.length > 0) yield ids
      after = ids.length < sliceSize ? undefined : ids.at(-1)
    }
  }

  const suppressed = (projectId: string, emailKey: readonly string[]) =>
    retried(() => suppressions.countDocuments({ projectId, emailKey: { $in: emailKey } }))

  /** Counts the contacts that match the filter, and the reachable ones among them. */
  const counted = async ({ projectId, unengaged, now }: AudienceQuery, who: Document) => {
    const gone = unengaged ? segmentFilter(unengaged, new Date(now)) : undefined
    const engaged = gone ? { ...who, $nor: [gone] } : who
    const [total, found] = await Promise.all([
      gone && retried(() => contacts.countDocuments(who)),
      retried(() => contacts.find(engaged, { projection: { _id: 0, emailKey: 1 }, batchSize: sliceSize }).toArray()),
    ])
    const keys = found.map(({ emailKey }) => String(emailKey))
    return { total: total ?? keys.length, reachable: keys.length - (await suppressed(projectId, keys)) }
  }

  return {
    pageSize: sliceSize,

    count: async (question) => {
      const sum = { total: 0, reachable: 0 }
      for await (const ids of slices(question)) {
        const { total, reachable } = await counted(question, meant(question, ids))
        sum.total += total
        sum.reachable += reachable
      }
      return sum
    },

    page: async (question, after, limit) => {
      const page: Contact[] = []
      for await (const ids of slices(question, after)) {
        const options = { sort: { _id: 1 }, limit: limit - page.length, batchSize: limit } as const
        const found = await retried(() => contacts.find(meant(question, ids), options).toArray())
        page.push(...found.map((one) => recordOfDocument<Contact>(one)))
        if (page.length >= limit) break
      }
      return page
    },
  }
}
