import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Db, Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { isTransient, retriedUpsert } from '../connection/retries.js'
import { createIndexes, type Indexes, missingIndexes, recordIndexes } from './indexes.js'
import { migrateMongoSchema, type StoredSchemaVersion } from './migrations.js'

/**
 * For what grows with contacts and mails (docs/mongodb.md). Frequent operations know the first field; a hashed dispatch keeps a campaign on
 * one shard.
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

/** In ms: wait at the start, interval of the log, pause before a retry. */
const standardTimes = { start: 10_000, progress: 30_000, retry: 5_000 }

type Builds = {
  readonly db: Db
  readonly indexes: Indexes
  readonly log: Log
  readonly isClosed: () => boolean
  readonly times?: typeof standardTimes
}

const namesOf = (indexes: Indexes): readonly string[] =>
  Object.entries(indexes).flatMap(([collection, some]) => some.map(({ name }) => `${collection}.${name}`))

/** None if the server does not report them to this user. */
const progressOf = async (db: Db): Promise<readonly string[]> => {
  const where = { currentOp: 1, $ownOps: true, 'command.createIndexes': { $exists: true } }
  const { inprog = [] } = (await db
    .admin()
    .command(where)
    .catch(() => ({}))) as Document
  return (inprog as readonly Document[]).flatMap(({ msg }) => (typeof msg === 'string' ? [msg] : []))
}

/**
 * Waits 10 s; longer builds continue while all processes work, more slowly. Requests interrupted builds again.
 * @throws Error if a unique index cannot be created in that time; later failures are logged
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

  log('warn', 'Indexes are still being built. Queries that need them are slow until then', { indexes: names })
  const logProgress = async () => {
    while (!isOver && !isClosed()) {
      await pause(times.progress, undefined, { ref: false })
      if (!isOver && !isClosed()) log('info', 'Indexes are being built', { progress: await progressOf(db) })
    }
  }
  void logProgress()
  built.then(
    () => log('info', 'All indexes are built', { indexes: names }),
    (error: unknown) => {
      if (!isClosed()) log('error', 'An index could not be built', { error })
    },
  )
}

export const schemaVersion = 2

const _id = 'posthorn'

/**
 * Several processes may do this at once.
 * @throws Error if the version is too new or no migration leads from it (nothing is changed), or records violate a unique key
 */
export const prepareMongoSchema = async (
  database: Pick<MongoDatabase, 'collection' | 'patientDb' | 'isClosed'>,
  ledgerIndexes: Indexes,
  log: Log = () => {},
): Promise<void> => {
  const schemas = database.collection<StoredSchemaVersion>('schema')
  const { patientDb: db, isClosed } = database
  await migrateMongoSchema({ schemas, db, id: _id, version: schemaVersion, by: randomUUID(), log })
  const found = await schemas.findOne({ _id })
  await buildIndexes({ db, indexes: { ...recordIndexes, ...ledgerIndexes }, log, isClosed })
  if (!found)
    await retriedUpsert(() => schemas.updateOne({ _id }, { $set: { version: schemaVersion } }, { upsert: true }))
}
