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
import { retried } from '../connection/retries.js'
import { pageFindOptions, queryInTime } from '../connection/time-limits.js'
import { escapedFieldPath, filterOf, recordOfDocument, type StoredDocument } from '../records/documents.js'
import { memberStatusFilter } from './mongo-membership-store.js'
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

  const found = (filter: Document, options: Document) =>
    queryInTime(
      retried(() => contacts.find(filter, { ...options, maxTimeMS }).toArray()),
      tooLong,
    )

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
      queryInTime(
        retried(() => contacts.countDocuments(filter, { maxTimeMS })),
        tooLong,
      ),
    ])
    return { items: page.map((one) => recordOfDocument<Contact>(one)), count }
  }

  /** The contact ids of one or several lists, in slices. Sorted, so that a contact on several lists appears in adjacent rows. */
  async function* members({ subscriberListId, status, where = {} }: Members, now: string) {
    const wanted = [filterOf({ ...where, subscriberListId }), ...(status ? [memberStatusFilter(status, now)] : [])]
    const options = {
      ...({ projection: { _id: 0, contactId: 1 }, sort: { contactId: 1 }, limit: sliceSize, maxTimeMS } as const),
      hint: { subscriberListId: 1, contactId: 1 },
    }
    for (let after: string | undefined = ''; after !== undefined; ) {
      const filter = { $and: [{ contactId: { $gt: after } }, ...wanted] } as Document
      const slice = await queryInTime(
        retried(() => subscribers.find(filter, options).toArray()),
        tooLong,
      )
      const ids: readonly string[] = slice.map(({ contactId }) => contactId)
      if (ids.length > 0) yield [...new Set(ids)]
      after = ids.length < sliceSize ? undefined : ids.at(-1)
    }
  }

  const onOneOf = async (lists: readonly string[], contactIds: readonly string[]): Promise<readonly string[]> => {
    const filter = filterOf({ subscriberListId: lists, contactId: contactIds })
    const options = { projection: { _id: 0, contactId: 1 }, maxTimeMS } as const
    const found = await queryInTime(
      retried(() => subscribers.find(filter, options).toArray()),
      tooLong,
    )
    return [...new Set(found.map(({ contactId }) => contactId))]
  }

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
    const byId = new Map(page.map((one) => [one._id, recordOfDocument<Contact>(one)]))
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
    const wanted = [
      filterOf({ subscriberListId: list.subscriberListId }),
      ...(list.status ? [memberStatusFilter(list.status, now)] : []),
    ]
    for (let from = after, isLast = false; !isLast; ) {
      const slice = await queryInTime(
        retried(() =>
          subscribers
            .find({ $and: [...wanted, ...(from === undefined ? [] : [{ contactId: { $lt: from } }])] } as Document, {
              projection: { _id: 0, contactId: 1 },
              sort: { contactId: -1 },
              limit: sliceSize,
              maxTimeMS,
            })
            .toArray(),
        ),
        tooLong,
      )
      const ids = slice.map(({ contactId }) => contactId)
      isLast = ids.length < sliceSize
      from = ids.at(-1)
      if (ids.length > 0) yield await found({ $and: [{ _id: { $in: ids } }, filter] }, { sort: { _id: -1 } })
    }
  }

  const membersAmong = async ({ subscriberListId, status }: Members, ids: readonly string[], now: string) => {
    const filter = {
      $and: [filterOf({ subscriberListId, contactId: ids }), ...(status ? [memberStatusFilter(status, now)] : [])],
    }
    const rows = await queryInTime(
      retried(() =>
        subscribers.find(filter as Document, { projection: { _id: 0, contactId: 1 }, maxTimeMS }).toArray(),
      ),
      tooLong,
    )
    return rows.map(({ contactId }) => contactId)
  }

  return {
    next: async (question) => {
      const { list, emailPrefix, after, limit, now } = question
      const filter: Document = { $and: meant(question) }
      if (emailPrefix === undefined && !list) {
        const beyond = after === undefined ? filter : { $and: [filter, { _id: { $lt: after } }] }
        return (await found(beyond, { sort: { _id: -1 }, limit })).map((one) => recordOfDocument<Contact>(one))
      }
      const slices =
        emailPrefix === undefined && list
          ? onListDown(list, filter, after, now)
          : addressed(question, filter, after ?? '')
      const items: Contact[] = []
      for await (const slice of slices) {
        items.push(...slice.map((one) => recordOfDocument<Contact>(one)))
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
