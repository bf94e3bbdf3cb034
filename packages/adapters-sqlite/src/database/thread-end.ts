import type { Worker } from 'node:worker_threads'
import { exiting, inNativeCode, last } from './thread-connection.js'

/** In the `workerData` of every thread with a connection. */
export const databaseThreadExitState = new Int32Array(new SharedArrayBuffer(8))

/** In ms: how long the exit waits for native code. */
const longestExit = 10_000

/** Terminating a thread in the addon aborts the process (exit code 134): waits until no thread runs native code, and none begins to. */
process.on('exit', () => {
  Atomics.store(databaseThreadExitState, exiting, 1)
  const until = performance.now() + longestExit
  for (
    let n = Atomics.load(databaseThreadExitState, inNativeCode);
    n > 0;
    n = Atomics.load(databaseThreadExitState, inNativeCode)
  ) {
    const left = until - performance.now()
    if (left <= 0) return
    Atomics.wait(databaseThreadExitState, inNativeCode, n, left)
  }
})

/** Ends a thread after its earlier messages: terminating it would abort the process. Call this at the thread's start. */
export const workerThreadTerminator = (thread: Worker): (() => Promise<void>) => {
  const exited = new Promise<void>((resolve) => {
    thread.once('exit', () => resolve())
  })
  return () => {
    thread.ref()
    thread.postMessage(last)
    return exited
  }
}
