import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Db, Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { isTransient, upserted } from '../connection/retries.js'
import { createIndexes, type Indexes, missingIndexes, recordIndexes } from './indexes.js'

/**
 * The collections that a cluster may shard, with their keys: they grow with contacts and mails. Frequent operations know the first field:
 * the list, the project, or the dispatch, which is part of a delivery's `_id`. A hashed dispatch spreads campaigns over the shards and
 * keeps each on one shard. The other collections are small, or have a unique key that cannot be a shard key, such as `steps` and `apiKeys`.
 */
export const shardKeys: Readonly<Record<string, Document>> = {
  contacts: { projectId: 1, emailKey: 1 },
  suppressions: { projectId: 1, emailKey: 1 },
  subscribers: { subscriberListId: 1, contactId: 1 },
  webhookDeliveries: { projectId: 1, eventId: 1 },
  addressPages: { dispatchId: 1, place: 1 },
  deliveries: { dispatchId: 'hashed', _id: 1 },
  counters: { _id: 'hashed' },
  figures: { _id: 'hashed' },
}

/** In ms: how long a start waits for indexes, how often their progress is logged afterwards, and the pause before a retry. */
const standardTimes = { start: 10_000, progress: 30_000, retry: 5_000 }

type Builds = {
  readonly db: Db
  readonly indexes: Indexes
  readonly log: Log
  /** Whether the database is being closed: then failures are neither retried nor logged. */
  readonly isClosed: () => boolean
  readonly times?: typeof standardTimes
}

const namesOf = (indexes: Indexes): readonly string[] =>
  Object.entries(indexes).flatMap(([collection, some]) => some.map(({ name }) => `${collection}.${name}`))

/** The server's progress messages; none if the server does not report them to this user. */
const progressOf = async (db: Db): Promise<readonly string[]> => {
  const where = { currentOp: 1, $ownOps: true, 'command.createIndexes': { $exists: true } }
  const { inprog = [] } = (await db
    .admin()
    .command(where)
    .catch(() => ({}))) as Document
  return (inprog as readonly Document[]).flatMap(({ msg }) => (typeof msg === 'string' ? [msg] : []))
}

/**
 * Creates the missing indexes. A start waits 10 s for them, which suffices for a new database. With millions of documents they are built
 * while all processes work, and queries that need them are slow until then. The server builds each index once, even if several processes
 * request it. Interrupted builds are requested again.
 * @throws Error if a unique index cannot be created and that is known before the start goes on; later failures are logged
 */
export const buildIndexes = async ({ db, indexes, log, isClosed, times = standardTimes }: Builds): Promise<void> => {
  const database = { collection: <T extends Document>(name: string) => db.collection<T>(name) }
  const missing = await missingIndexes(database, indexes)
  const names = namesOf(missing)
  if (names.length === 0) return

  const build = async (): Promise<void> => {
    for (;;) {
      try {
        await createIndexes(database, missing)
        return
      } catch (error) {
        if (isClosed() || !isTransient(error)) throw error
        await pause(times.retry, undefined, { ref: false })
      }
    }
  }

  let isOver = false
  const built = build().finally(() => {
    isOver = true
  })
  const started = await Promise.race([built.then(() => true), pause(times.start, false, { ref: false })])
  if (started) return

  log('warn', 'Indexes are still being made; everything works meanwhile, more slowly', { indexes: names })
  const tell = async () => {
    while (!isOver && !isClosed()) {
      await pause(times.progress, undefined, { ref: false })
      if (!isOver && !isClosed()) log('info', 'Indexes are being made', { progress: await progressOf(db) })
    }
  }
  void tell()
  built.then(
    () => log('info', 'All indexes are made', { indexes: names }),
    (error: unknown) => {
      if (!isClosed()) log('error', 'An index cannot be made', { error })
    },
  )
}

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
