import type { Log } from '@posthorn/core'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { buildIndexes } from './index-builds.js'
import { type Indexes, recordIndexes } from './indexes.js'

/** What this program keeps, and how. A database of a newer version is not opened. */
export const schemaVersion = 1

type Schema = { readonly _id: string; readonly version: number }
const _id = 'posthorn'

/**
 * Brings the database to this version. The records and their indexes follow the manifest by themselves; any number of processes may
 * do so at once, and those of an older version go on working. Indexes that take long are made afterwards.
 * @throws Error for a database that a newer program has written, which is left as it is, and for records that a unique key forbids
 */
export const migrate = async (
  database: Pick<MongoDatabase, 'collection' | 'patientDb' | 'isClosed'>,
  ledgerIndexes: Indexes,
  log: Log = () => {},
): Promise<void> => {
  const schemas = database.collection<Schema>('schema')
  const version = (await schemas.findOne({ _id }))?.version ?? 0
  if (version > schemaVersion)
    throw new Error(
      'it was written by a newer version of Posthorn. Nothing was changed: run that version, or a later one',
    )
  const { patientDb: db, isClosed } = database
  await buildIndexes({ db, indexes: { ...recordIndexes, ...ledgerIndexes }, log, isClosed })
  await schemas.updateOne({ _id }, { $max: { version: schemaVersion } }, { upsert: true })
}
