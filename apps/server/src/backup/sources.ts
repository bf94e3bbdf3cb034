import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { BackupFailure } from './failures.js'
import { type BackupFileContent, fileBytesFrom } from './sinks.js'
import { mostPaxHeaderBytes, paxIn, readTarHeader, tarBlockSize, tarPaddingOf } from './tar.js'

export type ReadableBackup = {
  readonly names: ReadonlySet<string>
  /** @throws BackupFailure if the backup ends within it */
  readonly read: <T>(name: string, use: (content: BackupFileContent) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

const cutShort = () => new BackupFailure('The backup is damaged: it ends too early.')

const directorySource = async (directory: string): Promise<ReadableBackup> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const names = new Set<string>()
  for (const entry of entries) {
    if (entry.isDirectory()) continue
    const name = relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (!entry.isFile()) throw new BackupFailure(`The backup is damaged: ${name} is no file.`)
    names.add(name)
  }
  return {
    names,
    read: async (name, use) => {
      const file = await open(join(directory, name), 'r')
      try {
        const { size, mtime: changedAt } = await file.stat()
        return await use({ size, changedAt, bytes: fileBytesFrom(file, size) })
      } finally {
        await file.close()
      }
    },
    close: async () => {},
  }
}

type Place = { readonly start: number; readonly size: number; readonly seconds: number }

const wholeAt = async (file: FileHandle, start: number, size: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, start)
  if (bytesRead < size) throw cutShort()
  return buffer
}

/** Reads headers only. */
const placesIn = async (file: FileHandle, total: number): Promise<ReadonlyMap<string, Place>> => {
  const places = new Map<string, Place>()
  let pax: ReturnType<typeof paxIn> = {}
  for (let at = 0; ; ) {
    const header = readTarHeader(await wholeAt(file, at, tarBlockSize))
    if (header === 'end') return places
    if (!header) {
      const what = at === 0 ? 'This is no backup of Posthorn.' : 'The backup is damaged: it is no whole tar archive.'
      throw new BackupFailure(what)
    }
    const start = at + tarBlockSize
    const isPax = header.type === 'x'
    const { path: name = header.name, size = header.size } = isPax ? {} : pax
    if (start + size + tarPaddingOf(size) > total) throw cutShort()
    if (isPax && size > mostPaxHeaderBytes) throw new BackupFailure('The backup is damaged: a header is too long.')
    if (!isPax && header.type !== '0') throw new BackupFailure(`The backup is damaged: ${name} is no file.`)
    if (!isPax && places.has(name)) throw new BackupFailure(`The backup is damaged: ${name} is in it twice.`)
    if (!isPax) places.set(name, { start, size, seconds: header.seconds })
    pax = isPax ? paxIn(await wholeAt(file, start, size)) : {}
    at = start + size + tarPaddingOf(size)
  }
}

const tarSource = async (path: string): Promise<ReadableBackup> => {
  const file = await open(path, 'r')
  try {
    const places = await placesIn(file, (await file.stat()).size)
    return {
      names: new Set(places.keys()),
      read: async (name, use) => {
        const { start, size, seconds } = places.get(name) ?? { start: 0, size: 0, seconds: 0 }
        return use({ size, changedAt: new Date(seconds * 1000), bytes: fileBytesFrom(file, size, start) })
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const failureOf = (error: NodeJS.ErrnoException, path: string): unknown => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return new BackupFailure(`There is no backup ${path}.`)
  if (error.code !== 'EACCES') return error
  return new BackupFailure(
    `The backup ${path} cannot be read by this user (${error.message}). Only who made it can: give this user a copy of its own.`,
  )
}

/** @throws BackupFailure if the backup is missing, unreadable for this user, or damaged as a whole */
export const openReadableBackup = async (path: string): Promise<ReadableBackup> => {
  try {
    return (await stat(path)).isDirectory() ? await directorySource(path) : await tarSource(path)
  } catch (error) {
    throw error instanceof BackupFailure ? error : failureOf(error as NodeJS.ErrnoException, path)
  }
}
