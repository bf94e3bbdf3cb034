import { records } from '@posthorn/core'
import { type Document, type IndexDescription, MongoServerError } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'

/** The indexes of each collection, beside that on `_id`, which MongoDB makes itself. */
export type Indexes = Readonly<Record<string, readonly IndexDescription[]>>

type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
}
type Database = Pick<MongoDatabase, 'collection'>

/** What the index of a unique key is called; MongoDB's own is `_id_`. */
export const indexName = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '_id' ? '_id_' : fields.join('_')

/** All fields ascend: MongoDB reads an index both ways. */
const indexOn = (fields: readonly string[]) => ({
  name: indexName(fields),
  key: Object.fromEntries(fields.map((field) => [field, 1 as const])),
})

/**
 * The unique keys; what lists go by, to which `_id` is added, as lists are ordered; and what begins like a key, in `_id` order, for
 * walks through all of a project or a list.
 */
const indexesOf = ({ unique, index }: Keys): readonly IndexDescription[] => {
  const walks = unique.map((fields) => fields.slice(0, 1))
  const ordered = [...walks, ...index].map((fields) => indexOn([...fields, '_id']))
  return [
    ...unique.map((fields) => ({ ...indexOn(fields), unique: true })),
    ...new Map(ordered.map((one) => [one.name, one])).values(),
  ]
}

export const recordIndexes: Indexes = Object.fromEntries(
  Object.entries(records).map(([collection, kind]: readonly [string, Keys]) => [collection, indexesOf(kind)]),
)

/** What more than one document has, for whoever has to decide which of them stays. */
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

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000

const createUnique = async (database: Database, name: string, index: IndexDescription): Promise<void> => {
  try {
    await database.collection(name).createIndexes([index])
  } catch (error) {
    if (!isDuplicate(error)) throw error
    const fields = Object.keys(index.key)
    const duplicates = await duplicatesOf(database, name, fields)
    throw new Error(`${name} that must differ in ${fields.join(' + ')} do not: ${duplicates}`, { cause: error })
  }
}

/**
 * Makes the indexes that are missing, the unique ones first: what they refuse must not come in meanwhile.
 * @throws Error that names documents with the same key, where a unique index cannot be made
 */
export const createIndexes = async (database: Database, indexes: Indexes): Promise<void> => {
  const all = Object.entries(indexes)
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
