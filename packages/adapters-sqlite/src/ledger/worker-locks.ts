import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FileLock, lockFile } from '../database/file-lock.js'

export type WorkerLivenessLocks = {
  /** The worker counts as alive until this process ends or closes its store. */
  readonly hold: (worker: string) => void
  /** `gone`: workers of dead processes, whose lock files are then removed. */
  readonly takeOver: (take: (gone: readonly string[]) => Promise<void>) => Promise<void>
  readonly close: () => void
}

/** Longest file name; a worker with a longer one has no lock, and its leases expire. */
const longestName = 180

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Lock files beside the database reveal dead workers; without a lock, leases expire. Never opens an own lock file twice: closing it would
 * release the lock (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export const workerLivenessLocks = (database: string): WorkerLivenessLocks => {
  const directory = `${database}-workers`
  const own = new Map<string, FileLock | undefined>()
  /** `hold` is called for every mail, so this check must be cheap. */
  const seen = new Set<string>()
  const fileOf = (name: string) => join(directory, name)

  return {
    hold: (worker) => {
      if (seen.has(worker)) return
      seen.add(worker)
      const name = Buffer.from(worker).toString('base64url')
      if (own.has(name) || name === '' || name.length > longestName) return
      own.set(name, undefined)
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        closeSync(openSync(fileOf(name), 'a', 0o600))
        own.set(name, lockFile(fileOf(name)))
      } catch {}
    },

    takeOver: async (take) => {
      const free = namesIn(directory).flatMap((name) => {
        if (own.has(name)) return []
        const lock = lockFile(fileOf(name))
        return lock ? [{ name, lock }] : []
      })
      try {
        if (free.length > 0) await take(free.map(({ name }) => Buffer.from(name, 'base64url').toString()))
        for (const { name } of free) rmSync(fileOf(name), { force: true })
      } finally {
        for (const { lock } of free) lock.close()
      }
    },

    close: () => {
      for (const [name, lock] of own) {
        if (lock) rmSync(fileOf(name), { force: true })
        lock?.close()
      }
      own.clear()
    },
  }
}
