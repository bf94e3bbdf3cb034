import { DatabaseSync } from '@photostructure/sqlite'

export type FileLock = { readonly close: () => void }

/**
 * Undefined if another process holds the lock, which ends with its process. Never open a locked file again: closing it releases the lock
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
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
