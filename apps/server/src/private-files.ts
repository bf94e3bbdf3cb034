import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'

/** What others than the owner may do. */
const others = 0o077

type Tally = { closed: number; failed: number; reason?: string }

/** Takes from others what they may do here; below a folder that was open to them, everywhere. Links are left alone. */
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
    // SQLite and other processes may have removed it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    tally.failed += 1
    tally.reason = error instanceof Error ? error.message : String(error)
  }
}

/**
 * Makes a directory its owner's alone, whatever the umask was when its parts were made, and says in one line of the log what it had
 * to change. Below folders that were closed already nothing is looked at: nobody else gets there.
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
