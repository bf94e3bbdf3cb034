import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import {
  KeyTaken,
  type Page,
  type RecordKind,
  type RecordLimit,
  RecordLimitReached,
  type Repository,
  type RepositoryListQuery,
  type StoredRecord,
  type Where,
} from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import { batcher } from '../connection/batcher.js'
import { isDuplicate, isDuplicateKey, takenKey, unwrittenDocumentPositions } from '../connection/duplicate-keys.js'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { retried } from '../connection/retries.js'
import { pageFindOptions, queryInTime } from '../connection/time-limits.js'
import {
  documentOfRecord,
  filterOf,
  matchesAtMostOneDocument,
  matchesNoDocument,
  newRevision,
  recordOfDocument,
  type StoredDocument,
} from './documents.js'

const pageSize = 1_000

/** In ms; a conflicting change waits a random time, longer with each try. */
const pauses = { each: 5, longest: 200 }

/** In ms: work over the documents of a page, then others have their turn. */
const slice = 2

/** More than ever change a document at once. */
const keptBatches = 8

/** Keeps fields of other modules. */
const became = ({ _id, ...fields }: StoredDocument, before: object): Document => {
  const gone = Object.keys(before).filter((field) => field !== '_id' && !Object.hasOwn(fields, field))
  return { $set: fields, ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, true])) }) }
}

/**
 * Documents are records. Every write sets a new `_revision`, which reveals concurrent writes.
 * @param own returns further fields for queries
 */
export const mongoRepository = <T extends StoredRecord>(
  { collection }: Pick<MongoDatabase, 'collection'>,
  name: string,
  kind: RecordKind<T>,
  own: (record: T) => Readonly<Record<`_${string}`, unknown>> = () => ({}),
): Repository<T> => {
  const documents = collection<StoredDocument>(name)
  const keys: readonly (readonly string[])[] = [['_id'], ...kind.unique]
  const kept = (record: T) => documentOfRecord(record, { ...own(record), _revision: newRevision() })

  /** This state of a document, with the unique key for sharded clusters. */
  const exactly = (document: StoredDocument): Document => {
    const key = (kind.unique[0] ?? []).filter((field) => document[field] !== undefined)
    const revision = { _id: document._id, _revision: document._revision ?? { $exists: false } }
    return { ...revision, ...Object.fromEntries(key.map((field) => [field, document[field]])) }
  }

  const find = (where: object): Promise<StoredDocument | null> => {
    const settled = keys.some((fields) => matchesAtMostOneDocument(where, fields))
    return retried(() => documents.findOne(filterOf(where), settled ? {} : { sort: { _id: 1 } }))
  }

  /** A retry may fail because an earlier try succeeded. */
  const isThere = async ({ _id, _revision }: StoredDocument) => (await find({ _id, _revision })) !== null

  const onCurrent = async (where: object, step: (current: StoredDocument) => Promise<T | undefined>) => {
    for (let tries = 0; ; tries += 1) {
      const current = await find(where)
      if (!current) return undefined
      const done = await step(current)
      if (done) return done
      await pause(Math.random() * Math.min(pauses.longest, pauses.each * tries))
    }
  }

  /** For servers that do not report the key. */
  const keyOfAnother = async ({ _id, ...document }: StoredDocument): Promise<readonly string[] | undefined> => {
    for (const fields of kind.unique) {
      const where = Object.fromEntries(fields.map((field) => [field, document[field]]))
      if (await retried(() => documents.findOne({ ...where, _id: { $ne: _id } }, { projection: { _id: 1 } })))
        return fields
    }
    return (await find({ _id })) ? ['_id'] : undefined
  }

  const refusal = async (error: unknown, document: StoredDocument): Promise<unknown> => {
    if (!isDuplicateKey(error)) return error
    const key = takenKey(error, keys) ?? (await keyOfAnother(document))
    return key ? new KeyTaken(name, key) : error
  }

  const addOne = async (document: StoredDocument): Promise<void> => {
    try {
      await retried(() => documents.insertOne(document))
    } catch (error) {
      if (!isDuplicateKey(error) || !(await isThere(document))) throw await refusal(error, document)
    }
  }

  /** Adds singly if a batch failed: only then does the server report reasons. */
  const addSeveral = async (several: readonly StoredDocument[]): Promise<readonly PromiseSettledResult<void>[]> => {
    let left: readonly StoredDocument[] = []
    if (several.length === 1) left = several
    else
      try {
        await retried(() => documents.insertMany(several, { ordered: false }))
      } catch (error) {
        if (!isDuplicate(error)) throw error
        const failed = new Set(unwrittenDocumentPositions(error))
        left = several.filter((_, index) => failed.has(index))
      }
    const added = new Map<StoredDocument, PromiseSettledResult<void>>()
    const settled = await Promise.allSettled(left.map(addOne))
    for (const [n, document] of left.entries()) added.set(document, settled[n] as PromiseSettledResult<void>)
    return several.map((document) => added.get(document) ?? { status: 'fulfilled', value: undefined })
  }
  const adding = batcher(addSeveral)

  /** Counts after adding: the last concurrent caller sees all. @throws RecordLimitReached */
  const assertRoom = async (
    added: readonly { readonly _id: string }[],
    room: RecordLimit<T> | undefined,
  ): Promise<void> => {
    if (!room || added.length === 0) return
    if ((await retried(() => documents.countDocuments(filterOf(room.where)))) <= room.limit) return
    await retried(() => documents.deleteMany({ _id: { $in: added.map(({ _id }) => _id) } }))
    throw new RecordLimitReached(name, room.limit)
  }

  const change: Repository<T>['change'] = (where, decide) =>
    onCurrent(where, async (current) => {
      const before = recordOfDocument<T>(current)
      const after = decide(before)
      if (after === before) return before
      const document = kept(after)
      try {
        const { matchedCount } = await retried(() => documents.updateOne(exactly(current), became(document, before)))
        return matchedCount > 0 || (await isThere(document)) ? recordOfDocument<T>(document) : undefined
      } catch (error) {
        throw await refusal(error, document)
      }
    })

  /** Returns ids that another write changed before. A mark on written documents reveals them. */
  const leftBehind = async (
    decided: readonly { readonly current: StoredDocument; readonly before: T; readonly document: StoredDocument }[],
  ): Promise<readonly string[]> => {
    if (decided.length === 0) return []
    const batch = newRevision()
    const marked: Document = { $push: { _batches: { $each: [batch], $slice: -keptBatches } } }
    const updates = decided.map(({ current, before, document }) => ({
      updateOne: { filter: exactly(current), update: { ...became(document, before), ...marked } },
    }))
    const { matchedCount } = await retried(() => documents.bulkWrite(updates, { ordered: false }))
    if (matchedCount === decided.length) return []
    const ids = decided.map(({ current }) => current._id)
    const written = await retried(() =>
      documents
        .find({ _id: { $in: ids }, _batches: batch })
        .project({ _id: 1 })
        .toArray(),
    )
    const done = new Set(written.map(({ _id }) => String(_id)))
    return ids.filter((id) => !done.has(id))
  }

  /** The driver decodes each document when it is asked for: a page may have thirty of a megabyte. */
  const recordsOf = async (found: AsyncIterable<StoredDocument>): Promise<readonly T[]> => {
    const records: T[] = []
    let began = performance.now()
    for await (const document of found) {
      records.push(recordOfDocument<T>(document))
      if (performance.now() - began < slice) continue
      await turn()
      began = performance.now()
    }
    return records
  }

  return {
    noun: kind.noun,
    get: async (where) => {
      const found = await find(where)
      return found ? recordOfDocument<T>(found) : undefined
    },

    list: async ({
      where,
      sort: { by, order },
      skip,
      limit,
      without = [],
    }: RepositoryListQuery<T>): Promise<Page<T>> => {
      const filter = filterOf(where)
      const direction = order === 'asc' ? 1 : -1
      const page = {
        sort: { [by]: direction, _id: direction },
        ...pageFindOptions({ skip, limit }),
        allowDiskUse: true,
        projection: Object.fromEntries(without.map((field) => [field, 0])),
      } as const
      const found = await queryInTime(() => recordsOf(documents.find(filter, page)))
      const isLast = found.length < limit && (found.length > 0 || skip === 0)
      const count = isLast ? skip + found.length : await queryInTime(() => documents.countDocuments(filter))
      return { items: found, count }
    },

    each: async function* (where) {
      if (matchesNoDocument(where)) return
      const filter = filterOf(where)
      for (let after: string | undefined; ; ) {
        const next = after === undefined ? filter : { $and: [filter, { _id: { $gt: after } }] }
        const options = { sort: { _id: 1 }, limit: pageSize, batchSize: pageSize } as const
        const page = await retried(() => documents.find(next, options).toArray())
        yield* page.map((one) => recordOfDocument<T>(one))
        if (page.length < pageSize) return
        after = page.at(-1)?._id
      }
    },

    add: async (record, room) => {
      await adding(kept(record))
      await assertRoom([record], room)
    },

    addNew: async (records, room) => {
      const results = records.length > 0 ? await addSeveral(records.map(kept)) : []
      const failed = results.find((one) => one.status === 'rejected' && !(one.reason instanceof KeyTaken))
      const added = records.filter((_, n) => results[n]?.status === 'fulfilled')
      await assertRoom(added, room)
      if (failed?.status === 'rejected') throw failed.reason
      return added
    },

    change,

    changeNext: async (where, decide, { after, limit }) => {
      const filter = filterOf(where)
      const next = after === undefined ? filter : { $and: [filter, { _id: { $gt: after } }] }
      const found = await retried(() => documents.find(next, { sort: { _id: 1 }, limit, batchSize: limit }).toArray())
      const decided = found.flatMap((current) => {
        const before = recordOfDocument<T>(current)
        const record = decide(before)
        return record === before ? [] : [{ current, before, document: kept(record) }]
      })
      for (const _id of await leftBehind(decided)) await change({ ...where, _id } as Where<T>, decide)
      return found.length < limit ? undefined : found.at(-1)?._id
    },

    remove: (where) =>
      onCurrent(where, async (current) => {
        const { deletedCount } = await retried(() => documents.deleteOne(exactly(current)))
        return deletedCount > 0 ? recordOfDocument<T>(current) : undefined
      }),

    removeAll: async (where) => (await retried(() => documents.deleteMany(filterOf(where)))).deletedCount,
  }
}
