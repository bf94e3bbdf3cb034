import { parentPort, workerData } from 'node:worker_threads'

/** The last message to a thread. */
export const last = 'end'

/** In `workerData.exit`: whether the process exits, and how many threads run native code. See `thread-end.ts`. */
export const [exiting, inNativeCode] = [0, 1]

const { exit } = workerData ?? {}
export const isExiting = () => Atomics.load(exit, exiting) === 1

const enter = () => void Atomics.add(exit, inNativeCode, 1)
const leave = () => {
  Atomics.sub(exit, inNativeCode, 1)
  Atomics.notify(exit, inNativeCode)
}

/**
 * Opens a connection in a thread, answers each message, and closes the connection and ends after the last one. The addon is loaded here
 * and not imported by the thread: once it is loaded, the exit of the process waits for native code, which must not be terminated.
 * Plain JavaScript, because threads start from the files as they are, in the sources as well as in the build.
 * @param connect opens the connection, and returns it with the function that answers a message
 */
export const answering = async (connect) => {
  enter()
  try {
    if (isExiting()) return
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const { connection, answer } = connect(DatabaseSync)
    parentPort.on('message', (message) => {
      enter()
      try {
        if (isExiting()) return
        if (message !== last) return parentPort.postMessage(answer(message))
        connection.close()
        parentPort.close()
      } finally {
        leave()
      }
    })
  } finally {
    leave()
  }
}

const mostKept = 50

/** Prepares statements of a connection, and caches the most recently used ones. */
export const keptStatements = (connection) => {
  const prepared = new Map()
  return (sql) => {
    const found = prepared.get(sql) ?? connection.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, found)
    if (prepared.size > mostKept) prepared.delete(prepared.keys().next().value)
    return found
  }
}

/**
 * Lower case of JavaScript; SQLite's `lower` handles only ASCII. Plain JavaScript, because the reader threads also use it.
 * @param {unknown} text
 * @returns {string | null}
 */
export const lowerUnicode = (text) => (typeof text === 'string' ? text.toLowerCase() : null)
