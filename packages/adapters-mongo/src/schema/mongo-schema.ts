import type { Log } from '@posthorn/core'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { upserted } from '../connection/upserted.js'
import { buildIndexes } from './index-builds.js'
import { type Indexes, recordIndexes } from './indexes.js'

/** The version of the format, in the collection `schema`. Databases of another version are refused. */
export const schemaVersion = 1

type Schema = { readonly _id: string; readonly version: number }
const _id = 'posthorn'

/**
 * Creates the missing indexes. Any number of processes may do so at once. Indexes that take long are built in the background.
 * @throws Error for a database of another version, which is not changed, and for records that violate a unique key
 */
export const createSchema = async (
  database: Pick<MongoDatabase, 'collection' | 'patientDb' | 'isClosed'>,
  ledgerIndexes: Indexes,
  log: Log = () => {},
): Promise<void> => {
  const schemas = database.collection<Schema>('schema')
  const found = await schemas.findOne({ _id })
  if (found && found.version !== schemaVersion)
    throw new Error(
      `its schema has version ${found.version}, and this version of Posthorn needs ${schemaVersion}. Nothing was changed. Run the version that wrote it, or choose a new database`,
    )
  const { patientDb: db, isClosed } = database
  await buildIndexes({ db, indexes: { ...recordIndexes, ...ledgerIndexes }, log, isClosed })
  if (!found) await upserted(() => schemas.updateOne({ _id }, { $set: { version: schemaVersion } }, { upsert: true }))
}
