import {
  type Contact,
  type ContactQuery,
  type ContactSearch,
  type NextContactsQuery,
  type Page,
  type Scalar,
  type Subscriber,
  scannedPage,
} from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { pageFindOptions, queryInTime } from '../connection/time-limits.js'
import { escapedFieldPath, filterOf, recordOfDocument, type StoredDocument } from '../records/documents.js'
import { memberFilters } from './mongo-membership-store.js'
import { segmentFilter } from './segment-filter.js'

const sliceSize = 1_000
/** In ms; the server then ends the query. */
const maxTimeMS = 10_000

type List = NonNullable<ContactQuery['list']>
type Members = Omit<List, 'subscriberListId'> & { readonly subscriberListId: string | readonly string[] }

const tooLong = 'The search takes too long. Ask for fewer conditions, or for a smaller list.'

const keyAt = (document: Document, path: string): Scalar | undefined =>
  path.split('.').reduce<unknown>((value, key) => (value as Document | undefined)?.[key], document) as
    | Scalar
    | undefined

const contactsOf = (documents: readonly StoredDocument[]) => documents.map((one) => recordOfDocument<Contact>(one))

/**
 * The server sorts only without a list. With one, ids and sort values are held in memory: a server-side join would need one look-up per
 * contact, and is impossible with sharded contacts.
 */
export const mongoContactSearch = ({ collection }: Pick<MongoDatabase, 'collection'>): ContactSearch => {
  const contacts = collection<StoredDocument>('contacts')
  const subscribers = collection<Subscriber>('subscribers')

  const meant = ({
    projectId,
    where,
    emailPrefix: prefix,
    segments,
    now,
  }: Omit<NextContactsQuery, 'limit' | 'after'>): readonly Document[] => [
    filterOf({ ...where, projectId }),
    ...(prefix === undefined ? [] : [{ emailKey: { $gte: prefix, $lt: `${prefix}\u{10ffff}` } }]),
    ...segments.map((groups) => segmentFilter(groups, new Date(now))),
  ]

  const inTime = <T>(query: () => Promise<T>) => queryInTime(query, tooLong)

  const found = (filter: Document, options: Document) =>
    inTime(() => contacts.find(filter, { ...options, maxTimeMS }).toArray())

  /** Ids of contacts. */
  const membersFound = async (conditions: readonly Document[], options: Document = {}): Promise<readonly string[]> => {
    const filter = { $and: conditions } as Document
    const all = { ...options, projection: { _id: 0, contactId: 1 }, maxTimeMS }
    return (await inTime(() => subscribers.find(filter, all).toArray())).map(({ contactId }) => contactId)
  }

  const whole = async (question: ContactQuery): Promise<Page<Contact>> => {
    const filter: Document = { $and: meant(question) }
    const { sort } = question
    const direction = sort.order === 'asc' ? 1 : -1
    const options = {
      // Unique in a project: needs no second sort field.
      sort:
        sort.by === 'emailKey' ? { emailKey: direction } : { [escapedFieldPath(sort.by)]: direction, _id: direction },
      ...pageFindOptions(question),
      allowDiskUse: true,
    }
    const [page, count] = await Promise.all([
      found(filter, options),
      inTime(() => contacts.countDocuments(filter, { maxTimeMS })),
    ])
    return { items: contactsOf(page), count }
  }

  /** The contact ids of one or several lists, in slices. Sorted, so that a contact on several lists appears in adjacent rows. */
  async function* members({ subscriberListId, status, where = {} }: Members, now: string) {
    const wanted = memberFilters({ ...where, subscriberListId }, status, now)
    const options = { sort: { contactId: 1 }, limit: sliceSize, hint: { subscriberListId: 1, contactId: 1 } }
    for (let after: string | undefined = ''; after !== undefined; ) {
      const ids = await membersFound([{ contactId: { $gt: after } }, ...wanted], options)
      if (ids.length > 0) yield [...new Set(ids)]
      after = ids.length < sliceSize ? undefined : ids.at(-1)
    }
  }

  const onOneOf = async (lists: readonly string[], contactIds: readonly string[]): Promise<readonly string[]> => [
    ...new Set(await membersFound([filterOf({ subscriberListId: lists, contactId: contactIds })])),
  ]

  const onList = async (question: ContactQuery, list: Members): Promise<Page<Contact>> => {
    const { sort, skip, limit, now } = question
    const path = escapedFieldPath(sort.by)
    async function* keys() {
      for await (const slice of members(list, now)) {
        const ids = question.list && question.onOneOf ? await onOneOf(question.onOneOf, slice) : slice
        const filter = { $and: [{ _id: { $in: ids } }, ...meant(question)] }
        for (const one of await found(filter, { projection: { _id: 1, [path]: 1 } }))
          yield { _id: one._id, key: keyAt(one, path) }
      }
    }
    const { items, count } = await scannedPage(keys(), sort.order, { skip, limit })
    const ids = items.map(({ _id }) => _id)
    const page = await found({ _id: { $in: ids } }, {})
    const byId = new Map(contactsOf(page).map((one) => [one._id, one]))
    return { items: ids.flatMap((id) => byId.get(id) ?? []), count }
  }

  async function* addressed(question: Omit<NextContactsQuery, 'limit' | 'after'>, filter: Document, after: string) {
    const { list, now } = question
    for (let from: string | undefined = after; from !== undefined; ) {
      const options = { sort: { emailKey: 1 }, limit: sliceSize }
      const slice: readonly StoredDocument[] = await found({ $and: [filter, { emailKey: { $gt: from } }] }, options)
      const ids = slice.map(({ _id }) => _id)
      const on = list && new Set(await membersAmong(list, ids, now))
      yield slice.filter(({ _id }) => on?.has(_id) ?? true)
      from = slice.length < sliceSize ? undefined : recordOfDocument<Contact>(slice.at(-1) as StoredDocument).emailKey
    }
  }

  /** Of a list, newest first. */
  async function* onListDown(list: Members, filter: Document, after: string | undefined, now: string) {
    const wanted = memberFilters({ subscriberListId: list.subscriberListId }, list.status, now)
    for (let from = after, isLast = false; !isLast; ) {
      const beyond = from === undefined ? [] : [{ contactId: { $lt: from } }]
      const ids = await membersFound([...wanted, ...beyond], { sort: { contactId: -1 }, limit: sliceSize })
      isLast = ids.length < sliceSize
      from = ids.at(-1)
      if (ids.length > 0) yield await found({ $and: [{ _id: { $in: ids } }, filter] }, { sort: { _id: -1 } })
    }
  }

  const membersAmong = ({ subscriberListId, status }: Members, ids: readonly string[], now: string) =>
    membersFound(memberFilters({ subscriberListId, contactId: ids }, status, now))

  return {
    next: async (question) => {
      const { list, emailPrefix, after, limit, now } = question
      const filter: Document = { $and: meant(question) }
      if (emailPrefix === undefined && !list) {
        const beyond = after === undefined ? filter : { $and: [filter, { _id: { $lt: after } }] }
        return contactsOf(await found(beyond, { sort: { _id: -1 }, limit }))
      }
      const slices =
        emailPrefix === undefined && list
          ? onListDown(list, filter, after, now)
          : addressed(question, filter, after ?? '')
      const items: Contact[] = []
      for await (const slice of slices) {
        items.push(...contactsOf(slice))
        if (items.length >= limit) break
      }
      return items.slice(0, limit)
    },

    page: (question) => {
      const list = question.list ?? (question.onOneOf && { subscriberListId: question.onOneOf })
      return list ? onList(question, list) : whole(question)
    },
  }
}
