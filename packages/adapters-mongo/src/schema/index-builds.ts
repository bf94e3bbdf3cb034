import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Db, Document } from 'mongodb'
import { isTransient } from '../connection/retried.js'
import { createIndexes, dropIndexes, type Indexes, missingIndexes } from './indexes.js'

/** How long a start waits for indexes, and how often their progress goes to the log afterwards, in milliseconds. */
const standardTimes = { start: 10_000, progress: 30_000, retry: 5_000 }

type Builds = {
  readonly db: Db
  readonly indexes: Indexes
  /** Names of indexes of each collection that an earlier version created and this one does not need; `onDropped` when they are dropped. */
  readonly obsolete?: Readonly<Record<string, readonly string[]>>
  readonly onDropped?: () => Promise<void>
  readonly log: Log
  /** Says that the database is being closed: then nothing more is tried, or logged. */
  readonly isClosed: () => boolean
  readonly times?: typeof standardTimes
}

const namesOf = (indexes: Indexes): readonly string[] =>
  Object.entries(indexes).flatMap(([collection, some]) => some.map(({ name }) => `${collection}.${name}`))

/** How far the server says it is; nothing where it does not tell this user, or tells nobody. */
const progressOf = async (db: Db): Promise<readonly string[]> => {
  const where = { currentOp: 1, $ownOps: true, 'command.createIndexes': { $exists: true } }
  const { inprog = [] } = (await db
    .admin()
    .command(where)
    .catch(() => ({}))) as Document
  return (inprog as readonly Document[]).flatMap(({ msg }) => (typeof msg === 'string' ? [msg] : []))
}

/**
 * Makes the indexes that are missing. A start waits for them some seconds, which on a new database is all it takes; on one with millions
 * of documents they are made while this process and all others work, more slowly where an index is for a question. The server makes
 * each once, however many processes ask for it. What is broken off is asked for again.
 * @throws Error where a unique key cannot be made, and that is known before the start goes on; later it goes to the log
 */
export const buildIndexes = async ({
  db,
  indexes,
  obsolete = {},
  onDropped = async () => {},
  log,
  isClosed,
  times = standardTimes,
}: Builds): Promise<void> => {
  const database = { collection: <T extends Document>(name: string) => db.collection<T>(name) }
  const missing = await missingIndexes(database, indexes)
  const names = namesOf(missing)
  const dropped = Object.entries(obsolete)
  if (names.length === 0 && dropped.length === 0) return

  const build = async (): Promise<void> => {
    for (;;) {
      try {
        await createIndexes(database, missing)
        for (const [name, some] of dropped) await dropIndexes(database, name, some)
        if (dropped.length > 0) await onDropped()
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
