import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@posthorn/core'
import type { Files } from '@posthorn/core/ports/runtime'
import { localFiles } from './local-files.js'

export type LocallyCopiedFilesOptions = {
  readonly files: Files
  /** Files below this key are copied; they must never change. */
  readonly below: string
  readonly directory: string
  readonly log: Log
  /** Limit of all copies; the oldest are deleted first. Default: 256 MB. */
  readonly maxBytes?: number
  /** Interval of searches for other processes' files, in ms; 5 s by default. */
  readonly lookTime?: number
  readonly onRead?: (from: 'copy' | 'store') => void
}

export type LocallyCopiedFiles = Files & {
  readonly start: () => void
  readonly stop: () => Promise<void>
}

/** Maximum difference between machines' clocks, in ms. */
const clocksDiffer = 120_000

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Readable while the store is unavailable: own files at once, others' after seconds (ADR 0053). */
export const locallyCopiedFiles = ({
  files,
  below,
  directory,
  log,
  maxBytes = 256 * 1024 * 1024,
  lookTime = 5_000,
  onRead = () => {},
}: LocallyCopiedFilesOptions): LocallyCopiedFiles => {
  const copies = localFiles(directory)
  const placeOf = (key: string) => join(directory, ...key.split('/'))
  const isCopied = (key: string) => key.startsWith(`${below}/`)
  const sizes = new Map<string, number>()
  let total = 0
  let lookedAt: number | undefined
  let loading: Promise<void> | undefined
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStarted = false
  let isFailing = false

  const count = (key: string, size: number): void => {
    total += size - (sizes.get(key) ?? 0)
    sizes.delete(key)
    if (size > 0) sizes.set(key, size)
  }

  const load = async (): Promise<void> => {
    const names = await readdir(join(directory, below)).catch(() => [])
    const found: { readonly key: string; readonly size: number; readonly at: number }[] = []
    for (const name of names) {
      if (name.endsWith('.part')) continue
      const key = `${below}/${name}`
      const entry = await stat(placeOf(key)).catch(() => undefined)
      if (entry?.isFile()) found.push({ key, size: entry.size, at: entry.mtimeMs })
    }
    for (const { key, size } of found.toSorted((a, b) => a.at - b.at)) count(key, size)
  }
  const loaded = (): Promise<void> => {
    loading ??= load()
    return loading
  }

  const copy = async (key: string, bytes: Uint8Array): Promise<void> => {
    await loaded()
    if (bytes.length === 0 || bytes.length > maxBytes) return
    await copies.put(key, bytes)
    count(key, bytes.length)
    for (const [oldest] of sizes) {
      if (total <= maxBytes) break
      count(oldest, 0)
      await copies.remove(oldest)
    }
  }

  /** A failed copy is harmless: the next read goes to the store. */
  const tryToCopy = async (key: string, bytes: Uint8Array): Promise<void> => {
    try {
      await copy(key, bytes)
    } catch (error) {
      log('warn', 'A file could not be copied to this machine', { key, error: messageOf(error) })
    }
  }

  /** A file that was written again counts as new. */
  const isMissing = (key: string): boolean => {
    if (!sizes.has(key)) return true
    const now = new Date()
    utimes(placeOf(key), now, now).catch(() => count(key, 0))
    return false
  }

  const look = async (): Promise<void> => {
    await loaded()
    const begun = Date.now()
    const since = lookedAt === undefined ? {} : { since: new Date(lookedAt - clocksDiffer) }
    // The first search copies existing files while there is room.
    const hasRoom = () => lookedAt !== undefined || total < maxBytes
    const wanted = (key: string) => hasRoom() && isMissing(key)
    for await (const { key, bytes } of files.each(below, { ...since, wanted })) {
      if (!isStarted) return
      if (hasRoom()) await tryToCopy(key, bytes)
    }
    lookedAt = begun
  }

  const lookAndGoOn = async (): Promise<void> => {
    try {
      await look()
      isFailing = false
    } catch (error) {
      if (!isFailing) log('warn', 'Local copies of files could not be updated', { error: messageOf(error) })
      isFailing = true
    }
    if (!isStarted) return
    timer = setTimeout(() => {
      looking = lookAndGoOn()
    }, lookTime).unref()
  }

  const found = async (key: string): Promise<Uint8Array | undefined> => {
    const own = await copies.get(key).catch(() => undefined)
    if (own) {
      onRead('copy')
      return own
    }
    const bytes = await files.get(key)
    onRead('store')
    if (bytes) void tryToCopy(key, bytes)
    return bytes
  }

  return {
    ...files,
    get: (key) => (isCopied(key) ? found(key) : files.get(key)),
    put: async (key, bytes) => {
      await files.put(key, bytes)
      if (isCopied(key)) await tryToCopy(key, bytes)
    },
    remove: async (key) => {
      await files.remove(key)
      await loaded()
      for (const one of [...sizes.keys()]) if (one === key || one.startsWith(`${key}/`)) count(one, 0)
      if (isCopied(key) || key === below) await copies.remove(key)
    },
    prune: async (key, before) => {
      if (isCopied(`${key}/`) || key === below) {
        await copies.prune(key, before)
        sizes.clear()
        total = 0
        loading = undefined
      }
      return files.prune(key, before)
    },
    start: () => {
      if (isStarted) return
      isStarted = true
      looking = lookAndGoOn()
    },
    stop: async () => {
      isStarted = false
      clearTimeout(timer)
      await looking
    },
  }
}
