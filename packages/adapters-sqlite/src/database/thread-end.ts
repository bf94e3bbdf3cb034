import type { Worker } from 'node:worker_threads'
import { last } from './answering.js'

/**
 * How a thread with a connection is ended, told when it starts: it ends by itself once it has answered what it was asked before. To terminate
 * it would interrupt JavaScript that SQLite has called, or that waits for it; the error of that nobody can catch, and the process aborts.
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
