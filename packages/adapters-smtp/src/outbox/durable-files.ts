import {
  closeSync,
  fdatasync,
  fsync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { unfinished } from './outbox-files.js'

/** `text` is ASCII. */
export type NewFile = { readonly folder: string; readonly name: string; readonly text: string }

const flushData = promisify(fdatasync)
const flushAll = promisify(fsync)
const append = promisify(writeFile)

/** Longer texts are written in pieces of so many characters, and others have their turn in between. */
const piece = 1024 * 1024

/** The disk may take its time over a mail with attachments: the thread pool waits for it. */
const writeLong = async (file: number, text: string): Promise<void> => {
  await othersTurn()
  for (let from = 0; from < text.length; from += piece) await append(file, text.slice(from, from + piece))
}

/** Leftovers of a process that died are swept away when they are this old. */
const staleAfter = 3_600_000

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The folders from one to another below it, both included. */
const upTo = (top: string, path: string): readonly string[] =>
  path.length <= top.length ? [top] : [...upTo(top, dirname(path)), path]

const flushFolder = async (path: string): Promise<void> => {
  const file = openSync(path, 'r')
  try {
    await flushAll(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Writes files so that each is there whole or not at all, and stays there through a loss of power: written aside, flushed,
 * renamed, the folder flushed. What costs time is the flushing, so a batch flushes its files side by side and every folder
 * once. The other calls only touch the page cache and take microseconds, unless a text is long: they are made at once, since a
 * detour through the thread pool takes longer than they do.
 */
export const durableFiles = (directory: string) => {
  const aside = join(directory, unfinished)
  const known = new Set<string>()
  let count = 0
  let lastStamp = 0

  /** Now, in seconds, and a little more for each file, since the kernel's own stamps are the same for milliseconds. */
  const stamp = (): number => {
    lastStamp = Math.max(Date.now(), lastStamp + 0.001)
    return lastStamp / 1_000
  }

  /** Makes the folder where it is missing; answers the folders that the making has changed. */
  const ensure = (folder: string): readonly string[] => {
    if (known.has(folder)) return []
    const made = mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 })
    known.add(folder)
    return made === undefined ? [] : upTo(dirname(made), directory)
  }

  const begin = (folder: string) => {
    const changed = [...ensure(unfinished), ...ensure(folder)]
    count += 1
    const path = join(aside, `${process.pid}-${count}-${Date.now()}`)
    return { path, file: openSync(path, 'wx', 0o600), changed }
  }

  /** The folders may have been removed under a running server: then they are made again. */
  const begun = (folder: string) => {
    try {
      return begin(folder)
    } catch (error) {
      if (!isMissing(error)) throw error
      known.clear()
      return begin(folder)
    }
  }

  const fill = async (file: number, text: string): Promise<void> => {
    try {
      if (text.length > piece) await writeLong(file, text)
      else writeFileSync(file, text)
      const now = stamp()
      futimesSync(file, now, now)
      await flushData(file)
    } finally {
      closeSync(file)
    }
  }

  /** Answers the folders to flush before the file is durable. */
  const written = async ({ folder, name, text }: NewFile): Promise<readonly string[]> => {
    const { path, file, changed } = begun(folder)
    const inFolder = join(directory, folder)
    try {
      await fill(file, text)
      renameSync(path, join(inFolder, name))
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
    return [inFolder, ...changed]
  }

  return {
    /** Writes the files and answers, in their order, what went wrong with each: undefined for those that are durable. */
    write: async (files: readonly NewFile[]): Promise<readonly (Error | undefined)[]> => {
      const results = await Promise.allSettled(files.map(written))
      const folders = new Set(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])))
      const flushed = await Promise.allSettled([...folders].map(flushFolder))
      const unflushed = flushed.find((result) => result.status === 'rejected')
      return results.map((result) => {
        const reason: unknown = result.status === 'rejected' ? result.reason : unflushed?.reason
        return reason === undefined || reason instanceof Error
          ? reason
          : new Error('The file was not written', { cause: reason })
      })
    },

    /** Removes what a process that died has left unfinished. */
    sweep: (now: number): void => {
      ensure(unfinished)
      for (const name of readdirSync(aside)) {
        const path = join(aside, name)
        if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > staleAfter)
          rmSync(path, { force: true })
      }
    },
  }
}
