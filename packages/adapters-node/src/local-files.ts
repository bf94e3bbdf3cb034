import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Files } from '@posthorn/core/ports/runtime'
import { removeOrMoveAside } from './removal-pause.js'

const part = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/** @throws Error if the key leads outside the directory */
const placeOf = (directory: string, key: string): string => {
  const parts = key.split('/')
  if (!parts.every((one) => part.test(one))) throw new Error(`${JSON.stringify(key)} is not a valid file key`)
  return join(directory, ...parts)
}

const missing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Makes a new name survive a loss of power. */
const syncDirectory = async (path: string) => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const writeSynced = async (path: string, bytes: Uint8Array) => {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const ifThere = async <T>(found: Promise<T>): Promise<T | undefined> => {
  try {
    return await found
  } catch (error) {
    if (missing(error)) return undefined
    throw error
  }
}

/** Skips, without a `stat`, unwanted files and drafts, which are being written or were left by a crash. */
const filesBelow = async function* (
  directory: string,
  below: string,
  wanted: (key: string) => boolean,
): AsyncGenerator<{ readonly key: string; readonly place: string; readonly putAt: number }> {
  const folder = placeOf(directory, below)
  const entries = (await ifThere(readdir(folder, { recursive: true, withFileTypes: true }))) ?? []
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.part')) continue
    const place = join(entry.parentPath, entry.name)
    const key = relative(directory, place).split(sep).join('/')
    const putAt = wanted(key) ? (await ifThere(stat(place)))?.mtimeMs : undefined
    if (putAt !== undefined) yield { key, place, putAt: Math.floor(putAt) }
  }
}

/** For their owner alone. Written to a draft, synced and renamed: complete or absent. */
export const localFiles = (directory: string): Files => ({
  put: async (key, bytes) => {
    const place = placeOf(directory, key)
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    const draft = `${place}.${randomUUID()}.part`
    try {
      await writeSynced(draft, bytes)
      await rename(draft, place)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    await syncDirectory(dirname(place))
  },
  get: async (key) => {
    try {
      return await readFile(placeOf(directory, key))
    } catch (error) {
      if (missing(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return undefined
      throw error
    }
  },
  remove: async (key) => removeOrMoveAside(directory, placeOf(directory, key)),
  each: async function* (below, { since, wanted = () => true } = {}) {
    for await (const { key, place, putAt } of filesBelow(directory, below, wanted)) {
      if (since && putAt < Math.floor(since.getTime())) continue
      const bytes = await ifThere(readFile(place))
      if (bytes) yield { key, bytes }
    }
  },
  prune: async (below, before) => {
    let n = 0
    for await (const { place, putAt } of filesBelow(directory, below, () => true)) {
      if (putAt >= before.getTime()) continue
      await removeOrMoveAside(directory, place)
      n += 1
    }
    return n
  },
})
