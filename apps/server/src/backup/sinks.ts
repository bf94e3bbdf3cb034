import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ManifestEntry } from './manifest.js'
import { endOfArchive, tarHeaderBytes, tarPaddingOf } from './tar.js'

/** Bytes in memory at once. */
const chunkSize = 256 * 1024

/** What is to be stored. @throws Error if reading fails */
export type BackupFileContent = {
  readonly size: number
  readonly changedAt: Date
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Takes one file after the other. `end` makes them durable; `close` may follow, or be called instead. */
export type BackupSink = {
  readonly add: (name: string, content: BackupFileContent) => Promise<ManifestEntry>
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The bytes from `start` on, `size` of them. @throws Error if the file ends before */
export const fileBytesFrom = async function* (file: FileHandle, size: number, start = 0): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(1, size)))
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), start + at)
    if (bytesRead === 0) throw new Error('A file became shorter while it was read.')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export const textAsBackupFileContent = (text: string): BackupFileContent => {
  const bytes = Buffer.from(text)
  return {
    size: bytes.length,
    changedAt: new Date(),
    bytes: (async function* () {
      yield bytes
    })(),
  }
}

export const writeReturningChecksum = async (
  { bytes }: Pick<BackupFileContent, 'bytes'>,
  write: (chunk: Uint8Array) => Promise<unknown>,
): Promise<{ readonly size: number; readonly sha256: string }> => {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of bytes) {
    hash.update(chunk)
    size += chunk.length
    await write(chunk)
  }
  return { size, sha256: hash.digest('hex') }
}

const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** For the owner only; durable afterwards. */
export const writeNewFile = async (path: string, content: BackupFileContent) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    const sum = await writeReturningChecksum(content, (chunk) => file.writeFile(chunk))
    await file.utimes(content.changedAt, content.changedAt)
    await file.sync()
    return sum
  } finally {
    await file.close()
  }
}

export const directorySink = (directory: string): BackupSink => {
  const folders = new Set([directory])
  return {
    add: async (name, content) => {
      const path = join(directory, name)
      const sum = await writeNewFile(path, content)
      folders.add(dirname(path))
      return { name, ...sum }
    },
    end: async () => {
      for (const folder of folders) await syncDirectory(folder)
    },
    close: async () => {},
  }
}

export const tarSink = async (path: string): Promise<BackupSink> => {
  const file = await open(path, 'wx', 0o600)
  const write = (chunk: Uint8Array) => file.writeFile(chunk)
  return {
    add: async (name, content) => {
      await write(tarHeaderBytes(name, content.size, Math.floor(content.changedAt.getTime() / 1000)))
      const sum = await writeReturningChecksum(content, write)
      if (sum.size !== content.size) throw new Error(`${name} changed its size while it was read.`)
      await write(Buffer.alloc(tarPaddingOf(sum.size)))
      return { name, ...sum }
    },
    end: async () => {
      await write(endOfArchive)
      await file.sync()
    },
    close: () => file.close(),
  }
}

/** Makes a rename within the directory durable. */
export const syncParentDirectory = (path: string): Promise<void> => syncDirectory(dirname(path))
