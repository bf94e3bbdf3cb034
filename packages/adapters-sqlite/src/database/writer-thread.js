import { parentPort, workerData } from 'node:worker_threads'
import { answering, isExiting, keptStatements } from './thread-connection.js'

/** In ms: wait for the lock, pause between tries, rest after each commit. */
const patience = 30_000
const interval = 1
const rest = 2

const clock = new Int32Array(new SharedArrayBuffer(4))
const pause = (milliseconds) => void Atomics.wait(clock, 0, 0, milliseconds)

let connection
let statement
let over = Number.NEGATIVE_INFINITY

/** The rest lets other writers take the lock. */
const begin = () => {
  const early = over + rest - performance.now()
  if (early > 0) pause(early)
  for (const until = performance.now() + patience; ; pause(interval)) {
    try {
      statement('BEGIN IMMEDIATE').run()
      return
    } catch (error) {
      if ((error.errcode & 0xff) !== 5 || performance.now() > until || isExiting()) throw error
    }
  }
}

const holds = ({ sql, parameters, changes, counts }) => {
  if (counts !== undefined) return statement(sql).get(...parameters).n === counts
  const done = statement(sql).run(...parameters)
  return changes === undefined || done.changes === changes
}

const written = (steps) => {
  try {
    begin()
    if (!steps.every(holds)) return false
    statement('COMMIT').run()
    return true
  } catch {
    // The caller repeats the write and gets the error.
    return false
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    over = performance.now()
  }
}

await answering((DatabaseSync) => {
  connection = new DatabaseSync(workerData.file, { timeout: 0 })
  connection.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768')
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  statement = keptStatements(connection)
  return { connection, answer: (steps) => ({ isDone: written(steps) }) }
})
parentPort.postMessage({ isReady: true })
