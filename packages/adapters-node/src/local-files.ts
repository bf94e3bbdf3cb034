import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from '@posthorn/core/ports'

const part = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/** A key that names a place inside the directory, and no other. @throws Error */
const placeOf = (directory: string, key: string): string => {
  const parts = key.split('/')
  if (!parts.every((one) => part.test(one))) throw new Error(`${JSON.stringify(key)} is no key of a file`)
  return join(directory, ...parts)
}

const missing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Syncs a directory, so that a name in it survives a loss of power. */
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

/** Files in a local directory: written beside their place, synced, and moved there, so that a file is whole or absent. For their owner alone. */
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
  remove: async (key) => rm(placeOf(directory, key), { recursive: true, force: true }),
})
