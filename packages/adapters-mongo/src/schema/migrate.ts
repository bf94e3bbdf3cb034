import type { Log } from '@posthorn/core'
import type { Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { upserted } from '../connection/upserted.js'
import { buildIndexes } from './index-builds.js'
import { type Indexes, recordIndexes } from './indexes.js'

/** The version of the schema. Databases of a newer version are refused. */
export const schemaVersion = 1

/** `indexes`: those that this or an earlier version created, as `collection.name`; all others belong to the operator. */
type Schema = { readonly _id: string; readonly version?: number; readonly indexes?: readonly string[] }
const _id = 'posthorn'

const namesIn = (indexes: Indexes): readonly string[] =>
  Object.entries(indexes).flatMap(([collection, some]) => some.map(({ name }) => `${collection}.${name}`))

/** Groups names such as `collection.name` by collection. */
const grouped = (names: readonly string[]): Readonly<Record<string, readonly string[]>> => {
  const byCollection: Record<string, string[]> = {}
  for (const name of names) {
    const [collection = '', ...index] = name.split('.')
    byCollection[collection] = [...(byCollection[collection] ?? []), index.join('.')]
  }
  return byCollection
}

/**
 * Migrates the database to this version. Records and their indexes follow the manifest. Any number of processes may migrate at once, and
 * processes of an older version continue to work. Indexes that take long are built in the background.
 * @throws Error for a database that a newer program wrote, which is not changed, and for records that violate a unique key
 */
export const migrate = async (
  database: Pick<MongoDatabase, 'collection' | 'patientDb' | 'isClosed'>,
  ledgerIndexes: Indexes,
  log: Log = () => {},
): Promise<void> => {
  const schemas = database.collection<Schema>('schema')
  const { version = 0, indexes: created = [] } = (await schemas.findOne({ _id })) ?? {}
  if (version > schemaVersion)
    throw new Error(
      'it was written by a newer version of Posthorn. Nothing was changed: run that version, or a later one',
    )
  const { patientDb: db, isClosed } = database
  const indexes: Indexes = { ...recordIndexes, ...ledgerIndexes }
  const wanted = namesIn(indexes)
  const obsolete = created.filter((name) => !wanted.includes(name))
  const note = (change: Document) => upserted(() => schemas.updateOne({ _id }, change, { upsert: true }))
  if (wanted.some((name) => !created.includes(name))) await note({ $addToSet: { indexes: { $each: wanted } } })
  const onDropped = async () => void (await note({ $pull: { indexes: { $in: obsolete } } }))
  await buildIndexes({ db, indexes, obsolete: grouped(obsolete), onDropped, log, isClosed })
  await note({ $max: { version: schemaVersion } })
}
