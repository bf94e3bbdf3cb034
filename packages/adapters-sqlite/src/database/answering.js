import { parentPort } from 'node:worker_threads'

/** What a thread hears last. */
export const last = 'end'

/**
 * Answers what a thread with a connection is asked, each by a message, until the last: then it closes the connection, has nothing left to
 * wait for, and ends. Plain JavaScript, since a thread is started from a file as it lies there, whether from the sources or from what is built.
 */
export const answering = (connection, answer) => {
  parentPort.on('message', (asked) => {
    if (asked !== last) return parentPort.postMessage(answer(asked))
    connection.close()
    parentPort.close()
  })
}
