import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

type Lock = InstanceType<typeof DatabaseSync>

export type WorkerLocks = {
  /** From now on, as long as this process lives, nobody takes the worker for gone. */
  readonly hold: (worker: string) => void
  /** Calls with the name of each worker whose process has ended without closing its store; those are forgotten once it resolves. */
  readonly takeOver: (take: (gone: readonly string[]) => Promise<void>) => Promise<void>
  readonly close: () => void
}

/** A file name has 255 characters at most; a worker with a longer name is known by its leases alone. */
const longestName = 180

/** The system gives up a process's locks when it ends, however it ends. */
const locked = (file: string): Lock | undefined => {
  let lock: Lock | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch {
    lock?.close()
    return undefined
  }
}

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Which workers live: each has a file of its own beside the database, which its process has locked. What cannot be locked or read
 * is left to the leases. A file of this process's own is never opened twice: closing it would take the lock from it
 * (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export const workerLocks = (database: string): WorkerLocks => {
  const directory = `${database}-workers`
  const own = new Map<string, Lock | undefined>()
  /** Workers that `hold` was called with, as it is for every mail. */
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
        own.set(name, locked(fileOf(name)))
      } catch {
        // The leases tell as well, only later.
      }
    },

    takeOver: async (take) => {
      const free = namesIn(directory).flatMap((name) => {
        if (own.has(name)) return []
        const lock = locked(fileOf(name))
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
