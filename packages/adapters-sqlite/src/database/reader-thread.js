import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'
import { lowerUnicode } from './lower-unicode.js'

/** How many calls are made between two looks at the clock. */
const callsBetweenLooks = 64
const statementsKept = 50

const connection = new DatabaseSync(workerData.file, { readOnly: true, timeout: 10_000 })
// What is sorted goes to a file where it is large: memory is bounded by the cache.
connection.exec('PRAGMA temp_store = FILE; PRAGMA cache_size = -16384; PRAGMA query_only = TRUE')
connection.function('lower_unicode', { deterministic: true }, lowerUnicode)

let deadline = 0
let calls = 0
/** Asked for each row by what may take long: SQLite itself cannot be interrupted from another thread. */
connection.function('in_time', () => {
  calls += 1
  if (calls % callsBetweenLooks !== 0) return 1
  if (performance.now() > deadline || Atomics.load(workerData.stop, 0) === 1) throw new Error('out of time')
  return 1
})

const prepared = new Map()
const statement = (sql) => {
  const found = prepared.get(sql) ?? connection.prepare(sql)
  prepared.delete(sql)
  prepared.set(sql, found)
  if (prepared.size > statementsKept) prepared.delete(prepared.keys().next().value)
  return found
}

/** Plain JavaScript, since a thread is started from a file as it lies there, whether from the sources or from what is built. */
parentPort.on('message', ({ sql, parameters, milliseconds }) => {
  deadline = performance.now() + milliseconds
  try {
    parentPort.postMessage({ rows: statement(sql).all(...parameters) })
  } catch (error) {
    parentPort.postMessage({ error: String(error.message), isLate: performance.now() > deadline })
  }
})
