import type { Worker } from 'node:worker_threads'
import { exiting, inNativeCode, last } from './answering.js'

/** Part of the `workerData` of every thread with a connection: see `answering.js`. */
export const exit = new Int32Array(new SharedArrayBuffer(8))

/** How long the exit of the process waits for native code at most, in ms. A query gives up within some milliseconds. */
const longestExit = 10_000

/**
 * Node terminates all threads at `process.exit()`. The addon throws a C++ exception when it is terminated while it is loaded, or within a
 * statement, and the process aborts (exit code 134) instead of ending with its own code. So an exit first waits until no thread runs
 * native code; threads that have not begun to load the addon by then do not load it.
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
 * How a thread with a connection is ended, from its start on: it answers the messages before, closes its connection, and ends by itself.
 * It is never terminated, for the same reason.
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
