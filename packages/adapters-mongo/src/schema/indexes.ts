import { records } from '@posthorn/core/ports/storage'
import { type Document, type IndexDescription, MongoServerError } from 'mongodb'
import { indexName, isDuplicateKey } from '../connection/duplicate-keys.js'
import type { MongoDatabase } from '../connection/mongo-database.js'

/** The indexes of each collection, besides the one on `_id`, which MongoDB creates itself. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>

type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}
type Database = Pick<MongoDatabase, 'collection'>

/** Ascending, as MongoDB reads an index in both directions. */
const indexOn = (fields: readonly string[]) => ({
  name: indexName(fields),
  key: Object.fromEntries(fields.map((field) => [field, 1 as const])),
})

/** For unique keys, sorted lists, and reads in `_id` order. */
const indexesOf = ({ unique, index, sparse }: Keys): readonly IndexDescription[] => {
  const walks = unique.map((fields) => fields.slice(0, 1))
  const ordered = [...walks, ...index].map((fields) => indexOn([...fields, '_id']))
  return [
    ...unique.map((fields) => ({ ...indexOn(fields), unique: true })),
    ...new Map(ordered.map((one) => [one.name, one])).values(),
    ...sparse.map((field) => ({ ...indexOn([field, '_id']), partialFilterExpression: { [field]: { $exists: true } } })),
  ]
}

export const recordIndexes: Indexes = Object.fromEntries(
  Object.entries(records).map(([collection, kind]: readonly [string, Keys]) => [collection, indexesOf(kind)]),
)

/** https://www.mongodb.com/docs/manual/reference/error-codes/ (NamespaceNotFound) */
const isNoCollection = (error: unknown) => error instanceof MongoServerError && error.code === 26

const duplicatesOf = async ({ collection }: Database, name: string, fields: readonly string[]): Promise<string> => {
  const found = await collection(name)
    .aggregate<{ readonly _id: Document; readonly one: string; readonly other: string }>(
      [
        {
          $group: {
            _id: Object.fromEntries(fields.map((field) => [field, `$${field}`])),
            n: { $sum: 1 },
            one: { $min: '$_id' },
            other: { $max: '$_id' },
          },
        },
        { $match: { n: { $gt: 1 } } },
        { $sort: { one: 1 } },
        { $limit: 5 },
      ],
      { allowDiskUse: true },
    )
    .toArray()
  return found.map(({ _id, one, other }) => `${one} and ${other} with ${JSON.stringify(_id)}`).join('; ')
}

const createUnique = async (database: Database, name: string, index: IndexDescription): Promise<void> => {
  try {
    await database.collection(name).createIndexes([index])
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    const fields = Object.keys(index.key)
    const duplicates = await duplicatesOf(database, name, fields)
    throw new Error(`${name} that must differ in ${fields.join(' + ')} do not: ${duplicates}`, { cause: error })
  }
}

/** Servers may add `$eq` to partial filters. */
const definitionOf = ({ key, unique, sparse, expireAfterSeconds, collation, partialFilterExpression }: Document) =>
  JSON.stringify([
    Object.entries(key as Document).map(([field, direction]) => [field, Number(direction) || direction]),
    Boolean(unique),
    Boolean(sparse),
    expireAfterSeconds ?? null,
    collation ?? null,
    Object.entries((partialFilterExpression ?? {}) as Document)
      .map(([field, condition]) => [field, (condition as Document | null)?.$eq ?? condition])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ])

/** Indexes are compared by definition, not by name. */
export const missingIndexes = async ({ collection }: Database, indexes: Indexes): Promise<Indexes> => {
  const missing = Object.entries(indexes).map(async ([name, some]) => {
    const there = await collection(name)
      .listIndexes()
      .toArray()
      .catch((error: unknown) => {
        if (isNoCollection(error)) return []
        throw error
      })
    const definitions = new Set(there.map(definitionOf))
    return [name, some.filter((index) => !definitions.has(definitionOf(index)))] as const
  })
  return Object.fromEntries(await Promise.all(missing))
}

/** Unique ones first, to prevent further duplicates. @throws Error that names documents with the same key */
export const createIndexes = async (database: Database, indexes: Indexes): Promise<void> => {
  const all = Object.entries(await missingIndexes(database, indexes))
  await Promise.all(
    all.flatMap(([name, some]) =>
      some.filter(({ unique }) => unique).map((index) => createUnique(database, name, index)),
    ),
  )
  await Promise.all(
    all.map(async ([name, some]) => {
      const others = some.filter(({ unique }) => !unique)
      if (others.length > 0) await database.collection(name).createIndexes([...others])
    }),
  )
}
