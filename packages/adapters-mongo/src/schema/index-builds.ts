import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Db, Document } from 'mongodb'
import { isTransient } from '../connection/retried.js'
import { createIndexes, type Indexes, missingIndexes } from './indexes.js'

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
