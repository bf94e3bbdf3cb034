import { parentPort, workerData } from 'node:worker_threads'
import { answering, isExiting, keptStatements, lowerUnicode } from './thread-connection.js'

/** `stop`: not 0 once the readers are closed. `control`: whether this query is paused, and the main thread's demand. */
const { file, stop, control } = workerData
const [paused, demand] = [0, 1]
/** Demands: pause at the end of the slice, pause at once, give up. */
const [afterSlice, atOnce, giveUp] = [1, 2, 3]

/** In ms; then a query pauses if others wait. */
const slice = 100
const interval = 20

let connection
let statement
let dataVersion

/** In ms: the limit, and time before the current slice. */
let longest = 0
let used = 0
let begunAt = 0
let reported = 0
let isLate = false

const isGivenUp = () => isExiting() || Atomics.load(stop, 0) !== 0 || Atomics.load(control, demand) === giveUp

const unreported = (all) => {
  const time = all - reported
  reported = all
  return time
}

const pause = () => {
  Atomics.store(control, paused, 1)
  parentPort.postMessage({ isPaused: true, used: unreported(used) })
  while (Atomics.load(control, paused) === 1 && !isGivenUp()) Atomics.wait(control, paused, 1, interval)
}

/**
 * SQLite calls it within queries, which another thread cannot interrupt. Ends late queries; pauses queries that delay others, with
 * snapshot and rows.
 */
const inTime = () => {
  const now = performance.now()
  if (used + now - begunAt > longest) isLate = true
  if (isLate || isGivenUp()) throw new Error('given up')
  const demanded = Atomics.load(control, demand)
  if (demanded !== atOnce && (demanded !== afterSlice || now - begunAt < slice)) return 1
  used += now - begunAt
  pause()
  begunAt = performance.now()
  if (isGivenUp()) throw new Error('given up')
  return 1
}

/** Shared by a query's threads: the next part, and the stage. */
const [next, stage] = [0, 1]
/** The second thread has the version; the first has its snapshot; the first reads alone. */
const [looked, begun, alone] = [1, 2, 3]
const longestWait = 1_000

/** Changes after every commit of another connection: https://sqlite.org/pragma.html#pragma_data_version */
const versionNow = () => dataVersion.get().data_version

const tell = (sharing, value) => {
  Atomics.store(sharing, stage, value)
  Atomics.notify(sharing, stage)
}

/** @param patience ms that the first thread waits for the second */
const beginFirst = (sharing, isShared, patience) => {
  if (isShared) Atomics.wait(sharing, stage, 0, patience)
  const isHelped = Atomics.compareExchange(sharing, stage, 0, alone) === looked
  let reached = alone
  try {
    connection.exec('BEGIN')
    versionNow()
    reached = begun
  } finally {
    if (isHelped) tell(sharing, reached)
  }
  return true
}

/** Without a commit since before the first began, both have the same snapshot. Otherwise the second reads nothing. */
const beginSecond = (sharing) => {
  const before = versionNow()
  if (Atomics.compareExchange(sharing, stage, 0, looked) !== 0) return false
  Atomics.notify(sharing, stage)
  Atomics.wait(sharing, stage, looked, longestWait)
  if (Atomics.load(sharing, stage) !== begun) return false
  connection.exec('BEGIN')
  return versionNow() === before
}

const readParts = ({ sql, parts, sharing, isShared, isFirst, patience }) => {
  if (parts.length === 1) return [[0, statement(sql).all(...parts[0])]]
  const found = []
  try {
    if (!(isFirst ? beginFirst(sharing, isShared, patience) : beginSecond(sharing))) return found
    const query = statement(sql)
    for (;;) {
      const place = Atomics.add(sharing, next, 1)
      if (place >= parts.length) return found
      found.push([place, query.all(...parts[place])])
    }
  } catch (error) {
    Atomics.store(sharing, next, parts.length)
    throw error
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK')
  }
}

const answer = ({ milliseconds, ...query }) => {
  longest = milliseconds
  used = 0
  reported = 0
  isLate = false
  begunAt = performance.now()
  const time = () => unreported(used + performance.now() - begunAt)
  try {
    return { rows: readParts(query), used: time() }
  } catch (error) {
    const isEvicted = Atomics.load(control, demand) === giveUp
    return { error: String(error.message), isLate, isEvicted, used: time() }
  }
}

await answering((DatabaseSync) => {
  connection = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  // Sorts in a temporary file: the cache (8 MB) bounds the memory.
  connection.exec('PRAGMA temp_store = FILE; PRAGMA cache_size = -8192; PRAGMA query_only = TRUE')
  connection.function('lower_unicode', { deterministic: true }, lowerUnicode)
  connection.function('in_time', inTime)
  statement = keptStatements(connection)
  dataVersion = connection.prepare('PRAGMA data_version')
  return { connection, answer }
})
