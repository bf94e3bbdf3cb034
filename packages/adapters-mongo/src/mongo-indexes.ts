import { records } from '@posthorn/core'
import { type Document, MongoServerError } from 'mongodb'
import type { MongoDatabase } from './mongo-database.js'

/** An index of one collection. `fields` are the key in its order, all ascending: MongoDB reads it both ways. */
export type Index = {
  readonly collection: string
  readonly fields: readonly string[]
  readonly unique?: boolean
  /** Where the index holds these documents only. */
  readonly only?: Document
}

type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
}

/** What an index on these fields is called; MongoDB's own is `_id_`. */
export const indexName = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '_id' ? '_id_' : fields.join('_')

const kinds: readonly (readonly [collection: string, keys: Keys])[] = Object.entries(records)

/**
 * The indexes of the records: the unique keys; what lists go by, to which `_id` is added, as lists are ordered; and what begins
 * like a key, in `_id` order, for walks through all of a project or a list.
 */
export const recordIndexes: readonly Index[] = kinds.flatMap(([collection, { unique, index }]) => {
  const walks = unique.flatMap(([first]) => (first === undefined ? [] : [[first]]))
  const ordered = [...walks, ...index].map((fields) => [...fields, '_id'])
  const names = new Set<string>()
  return [
    ...unique.map((fields) => ({ collection, fields, unique: true })),
    ...ordered
      .filter((fields) => names.size < names.add(indexName(fields)).size)
      .map((fields) => ({ collection, fields })),
  ]
})

/** What more than one document has, for whoever has to decide which of them stays. */
const duplicatesOf = async ({ collection }: Pick<MongoDatabase, 'collection'>, { collection: name, fields }: Index) => {
  const key = Object.fromEntries(fields.map((field) => [field, `$${field}`]))
  const found = await collection(name)
    .aggregate<{ readonly _id: Document; readonly one: string; readonly other: string }>(
      [
        { $group: { _id: key, n: { $sum: 1 }, one: { $min: '$_id' }, other: { $max: '$_id' } } },
        { $match: { n: { $gt: 1 } } },
        { $sort: { one: 1 } },
        { $limit: 5 },
      ],
      { allowDiskUse: true },
    )
    .toArray()
  return found.map(({ _id, one, other }) => `${one} and ${other} with ${JSON.stringify(_id)}`).join('; ')
}

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000

const described = ({ fields, unique, only }: Index) => ({
  name: indexName(fields),
  key: Object.fromEntries(fields.map((field) => [field, 1] as const)),
  ...(unique && { unique }),
  ...(only && { partialFilterExpression: only }),
})

/**
 * Makes the indexes that are missing, the unique ones first: what they refuse must not come in meanwhile.
 * @throws Error that names documents with the same key, where a unique index cannot be made
 */
export const createIndexes = async (
  database: Pick<MongoDatabase, 'collection'>,
  indexes: readonly Index[],
): Promise<void> => {
  const createUnique = async (index: Index): Promise<void> => {
    try {
      await database.collection(index.collection).createIndexes([described(index)])
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const [what, duplicates] = [index.fields.join(' + '), await duplicatesOf(database, index)]
      throw new Error(`${index.collection} that must differ in ${what} do not: ${duplicates}`, { cause: error })
    }
  }
  const others = indexes.filter(({ unique }) => !unique)
  const collections = new Set(others.map(({ collection }) => collection))
  await Promise.all(indexes.filter(({ unique }) => unique).map(createUnique))
  await Promise.all(
    [...collections].map((name) =>
      database.collection(name).createIndexes(others.filter(({ collection }) => collection === name).map(described)),
    ),
  )
}
