import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'

/** Permission bits of group and others. */
const others = 0o077

type Tally = { closed: number; failed: number; reason?: string }

/** Removes the permissions of group and others; below a folder that was open, recursively. Ignores symbolic links. */
const close = (path: string, isTop: boolean, tally: Tally): void => {
  const found = isTop ? statSync(path) : lstatSync(path, { throwIfNoEntry: false })
  if (!found || !(found.isDirectory() || found.isFile())) return
  const isOpen = (found.mode & others) !== 0
  try {
    if (isOpen) {
      chmodSync(path, found.mode & 0o777 & ~others)
      tally.closed += 1
    }
    if (found.isDirectory() && (isOpen || isTop))
      for (const name of readdirSync(path)) close(join(path, name), false, tally)
  } catch (error) {
    // SQLite or another process may have removed the file in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    tally.failed += 1
    tally.reason = error instanceof Error ? error.message : String(error)
  }
}

/**
 * Makes a directory accessible to its owner alone, whatever the umask was when its files were created, and logs the changes in one line.
 * Does not look below folders that were already closed, because nobody else can enter them.
 */
export const closeToOthers = (directory: string, log: Log): void => {
  const tally: Tally = { closed: 0, failed: 0 }
  close(directory, true, tally)
  const { closed, failed, reason } = tally
  if (failed > 0)
    log('warn', 'The data directory is open to other users of this machine, and cannot be closed to them', {
      directory,
      failed,
      reason,
    })
  else if (closed > 0)
    log('warn', 'The data directory was open to other users of this machine; now it is its owner’s alone', {
      directory,
      closed,
    })
}
