import { workerData } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'
import { answering } from './answering.js'
import { keptStatements } from './kept-statements.js'
import { lowerUnicode } from './lower-unicode.js'

/** How many calls are made between two looks at the clock. */
const callsBetweenLooks = 64

const connection = new DatabaseSync(workerData.file, { readOnly: true, timeout: 10_000 })
// What is sorted goes to a file where it is large: memory is bounded by the cache.
connection.exec('PRAGMA temp_store = FILE; PRAGMA cache_size = -8192; PRAGMA query_only = TRUE')
connection.function('lower_unicode', { deterministic: true }, lowerUnicode)

/** Whether the readers are closed or the process exits, and how many threads read. */
const [given, reading] = [0, 1]
const isGivenUp = () => Atomics.load(workerData.stop, given) === 1

let deadline = 0
let calls = 0
/** Asked for each row by what may take long: SQLite itself cannot be interrupted from another thread. */
connection.function('in_time', () => {
  calls += 1
  if (calls % callsBetweenLooks !== 0) return 1
  if (performance.now() > deadline || isGivenUp()) throw new Error('out of time')
  return 1
})

const statement = keptStatements(connection)

/** What the two threads of one query share: the next part to be taken, how far they are, and whether the second is to leave. */
const [next, stage, leave] = [0, 1, 2]
/** The second has looked; the first has its snapshot; the first goes alone. */
const [looked, begun, alone] = [1, 2, 3]
/** How long the second waits for the first at most, whatever has become of it. */
const longest = 1_000

const dataVersion = connection.prepare('PRAGMA data_version')
/** Another number whenever somebody has committed since: https://sqlite.org/pragma.html#pragma_data_version */
const versionNow = () => dataVersion.get().data_version

const tell = (sharing, value) => {
  Atomics.store(sharing, stage, value)
  Atomics.notify(sharing, stage)
}

/** @param patience how long the first waits for the second, which may have to start yet, in milliseconds */
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

/**
 * Whether it has the snapshot of the first: where nobody has committed from before that one began until this one had begun, both see
 * the same. Else it takes no part.
 */
const beginSecond = (sharing) => {
  const before = versionNow()
  if (Atomics.compareExchange(sharing, stage, 0, looked) !== 0) return false
  Atomics.notify(sharing, stage)
  Atomics.wait(sharing, stage, looked, longest)
  if (Atomics.load(sharing, stage) !== begun) return false
  connection.exec('BEGIN')
  return versionNow() === before
}

const readParts = ({ sql, parts, sharing, isShared, isFirst, patience }) => {
  const found = []
  try {
    if (!(isFirst ? beginFirst(sharing, isShared, patience) : beginSecond(sharing))) return found
    const query = statement(sql)
    while (isFirst || Atomics.load(sharing, leave) === 0) {
      const place = Atomics.add(sharing, next, 1)
      if (place >= parts.length) break
      found.push([place, query.all(...parts[place])])
    }
    return found
  } catch (error) {
    Atomics.store(sharing, next, parts.length)
    throw error
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK')
  }
}

answering(connection, ({ milliseconds, ...asked }) => {
  deadline = performance.now() + milliseconds
  Atomics.add(workerData.stop, reading, 1)
  try {
    const { sql, parts } = asked
    return { rows: parts.length === 1 ? [[0, statement(sql).all(...parts[0])]] : readParts(asked) }
  } catch (error) {
    return { error: String(error.message), isLate: performance.now() > deadline }
  } finally {
    Atomics.sub(workerData.stop, reading, 1)
    Atomics.notify(workerData.stop, reading)
  }
})
