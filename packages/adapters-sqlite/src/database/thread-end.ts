import type { Worker } from 'node:worker_threads'
import { exiting, inNativeCode, last } from './thread-connection.js'

/** Part of the `workerData` of every thread with a connection: see `answering.js`. */
export const exit = new Int32Array(new SharedArrayBuffer(8))

/** The exit of the process waits at most this long for native code, in ms. A query gives up within milliseconds. */
const longestExit = 10_000

/**
 * Node terminates all threads at `process.exit()`. If a thread is terminated while it loads the addon or runs a statement, the addon
 * throws a C++ exception and the process aborts (exit code 134). So an exit first waits until no thread runs native code; threads that
 * have not begun to load the addon by then do not load it.
 */
process.on('exit', () => {
  Atomics.store(exit, exiting, 1)
  const until = performance.now() + longestExit
  for (let n = Atomics.load(exit, inNativeCode); n > 0; n = Atomics.load(exit, inNativeCode)) {
    const left = until - performance.now()
    if (left <= 0) return
    Atomics.wait(exit, inNativeCode, n, left)
  }
})

/**
 * Returns the function that ends a thread with a connection: the thread answers earlier messages, closes its connection, and ends by
 * itself. Terminating it would abort the process: see above. Must be called when the thread starts.
 */
export const threadEnd = (thread: Worker): (() => Promise<void>) => {
  const exited = new Promise<void>((resolve) => {
    thread.once('exit', () => resolve())
  })
  return () => {
    thread.ref()
    thread.postMessage(last)
    return exited
  }
}
