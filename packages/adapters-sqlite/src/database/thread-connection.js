import { parentPort, workerData } from 'node:worker_threads'

export const last = 'end'

/** Indexes in `workerData.exit`: see `thread-end.ts`. */
export const [exiting, inNativeCode] = [0, 1]

const { exit } = workerData ?? {}
export const isExiting = () => Atomics.load(exit, exiting) === 1

const enter = () => void Atomics.add(exit, inNativeCode, 1)
const leave = () => {
  Atomics.sub(exit, inNativeCode, 1)
  Atomics.notify(exit, inNativeCode)
}

/**
 * Loads the addon here, so that the process's exit can wait for native code. Plain JavaScript: threads start without a loader.
 * @param connect returns the connection, and the function that answers a message
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

/** SQLite's `lower` handles only ASCII. @param {unknown} text @returns {string | null} */
export const lowerUnicode = (text) => (typeof text === 'string' ? text.toLowerCase() : null)
