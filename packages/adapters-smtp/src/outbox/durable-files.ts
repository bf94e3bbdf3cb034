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
import { unfinishedMailsFolder } from './outbox-index.js'

/** `text` is ASCII. */
export type NewDurableFile = { readonly folder: string; readonly name: string; readonly text: string }

const flushData = promisify(fdatasync)
const flushAll = promisify(fsync)
const append = promisify(writeFile)

/** Characters per write; other work runs in between. */
const piece = 1024 * 1024

/** In the thread pool: a large mail may take long. */
const writeLong = async (file: number, text: string): Promise<void> => {
  await othersTurn()
  for (let from = 0; from < text.length; from += piece) await append(file, text.slice(from, from + piece))
}

/** Age at which files of a dead process are removed, in ms. */
const staleAfter = 3_600_000

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

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
 * Atomic and durable: temporary file, sync, rename, sync of the folder. A batch syncs each folder once. Short texts only touch the page
 * cache: synchronous calls are faster than the thread pool.
 */
export const durableFiles = (directory: string) => {
  const aside = join(directory, unfinishedMailsFolder)
  const known = new Set<string>()
  let count = 0
  let lastStamp = 0

  /** In s; unique, as the kernel's timestamps change only after milliseconds. */
  const stamp = (): number => {
    lastStamp = Math.max(Date.now(), lastStamp + 0.001)
    return lastStamp / 1_000
  }

  const ensure = (folder: string): readonly string[] => {
    if (known.has(folder)) return []
    const made = mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 })
    known.add(folder)
    return made === undefined ? [] : upTo(dirname(made), directory)
  }

  const begin = (folder: string) => {
    const changed = [...ensure(unfinishedMailsFolder), ...ensure(folder)]
    count += 1
    const path = join(aside, `${process.pid}-${count}-${Date.now()}`)
    return { path, file: openSync(path, 'wx', 0o600), changed }
  }

  /** Creates the folders again if they were removed. */
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

  /** Returns folders to sync before the file is durable. */
  const written = async ({ folder, name, text }: NewDurableFile): Promise<readonly string[]> => {
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
    /** Undefined for each durable file. */
    write: async (files: readonly NewDurableFile[]): Promise<readonly (Error | undefined)[]> => {
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

    sweep: (now: number): void => {
      ensure(unfinishedMailsFolder)
      for (const name of readdirSync(aside)) {
        const path = join(aside, name)
        if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > staleAfter)
          rmSync(path, { force: true })
      }
    },
  }
}
