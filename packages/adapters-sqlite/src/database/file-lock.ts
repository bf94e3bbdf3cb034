import { DatabaseSync } from '@photostructure/sqlite'

export type FileLock = { readonly close: () => void }

/**
 * Locks an empty file, undefined if another process holds it. The operating system releases the lock when the process ends. A process never
 * opens a file twice that it has locked: closing it would release the lock (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export const lockFile = (file: string): FileLock | undefined => {
  let lock: InstanceType<typeof DatabaseSync> | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    // No file of a journal beside it: nothing is written.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch {
    lock?.close()
    return undefined
  }
}
