import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dispatchIdOf } from '@posthorn/core/ports/storage'
import { decodeWords } from 'postal-mime'

/** The dot distinguishes it from mail folders. */
export const unfinishedMailsFolder = '.unfinished'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * 32 hexadecimal digits, the same for each attempt. The first is by dispatch, the second by delivery; together they name one of 256
 * folders: a campaign's batch touches 16, and no folder gets a whole campaign.
 */
export const outboxMailIdOf = (deliveryId: string): string =>
  hash(dispatchIdOf(deliveryId)).slice(0, 1) + hash(deliveryId).slice(0, 31)

/** Such a text cannot lead outside the outbox. */
export const isMailId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

const isFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

export const mailFolderOf = (id: string): string => id.slice(0, 2)

const ending = '.eml'

export const mailFileNameOf = (id: string): string => `${id}${ending}`

const idOfFile = (folder: string, name: string): string | undefined => {
  const id = name.slice(0, -ending.length)
  return name.endsWith(ending) && isMailId(id) && mailFolderOf(id) === folder ? id : undefined
}

export type OutboxMailSummary = {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** ISO. */
  readonly date: string | undefined
}

const nothing: OutboxMailSummary = { from: '', to: '', subject: '', date: undefined }

/** Bytes of a header. */
const headerRead = 16 * 1024

const shown = 500

/** A slice keeps the whole text in V8's memory. */
const copied = (text: string) => Buffer.from(text).toString()

const fieldOf = (header: string, name: string): string => {
  const value = new RegExp(`^${name}:(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(header)?.[1] ?? ''
  return copied(decodeWords(value.replaceAll(/\r?\n(?=[ \t])/g, '').trim()).slice(0, shown))
}

const isoOf = (text: string): string | undefined => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

export const outboxMailSummaryOf = (mime: string): OutboxMailSummary => {
  const end = /\r?\n\r?\n/.exec(mime)?.index ?? mime.length
  const header = mime.slice(0, end)
  return {
    from: fieldOf(header, 'From'),
    to: fieldOf(header, 'To'),
    subject: fieldOf(header, 'Subject'),
    date: isoOf(fieldOf(header, 'Date')),
  }
}

const buffer = Buffer.alloc(headerRead)

/** Reads only the header. Empty if the file cannot be read. */
const readSummary = (path: string): OutboxMailSummary => {
  try {
    const file = openSync(path, 'r')
    try {
      return outboxMailSummaryOf(buffer.toString('utf8', 0, readSync(file, buffer, 0, headerRead, 0)))
    } finally {
      closeSync(file)
    }
  } catch {
    return nothing
  }
}

export type OutboxMailFile = {
  readonly id: string
  /** Epoch ms. */
  readonly written: number
  readonly size: number
}

type Kept = OutboxMailFile & { summary?: OutboxMailSummary }

type Folder = { readonly changed: number; readonly settled: boolean; readonly entries: ReadonlyMap<string, Kept> }

/** In ms: a folder may change again unnoticed so soon after a change. */
const stampStep = 2_000

/** Newest mails, about 40 MB. */
const summariesKept = 100_000

/** Files between yields to the event loop. */
const turn = 200

const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const breathe = () => new Promise((resolve) => setImmediate(resolve))

/** Newest first. Reads a folder again only after a change; ignores foreign files. */
export const outboxIndex = (directory: string) => {
  const folders = new Map<string, Folder>()
  let newestFirst: readonly Kept[] | undefined

  const pathOf = (id: string) => join(directory, mailFolderOf(id), mailFileNameOf(id))

  const keptOf = (folder: string, name: string, before: Folder | undefined): Kept | undefined => {
    const id = idOfFile(folder, name)
    if (id === undefined) return undefined
    const found = statSync(pathOf(id), { throwIfNoEntry: false })
    if (!found?.isFile()) return undefined
    const kept = before?.entries.get(id)
    const { mtimeMs: written, size } = found
    return kept?.written === written && kept.size === size ? kept : { id, written, size }
  }

  const read = (folder: string, changed: number, before: Folder | undefined): Folder => {
    const settled = Date.now() - changed > stampStep
    const entries = new Map<string, Kept>()
    for (const name of namesIn(join(directory, folder))) {
      const kept = keptOf(folder, name, before)
      if (kept) entries.set(kept.id, kept)
    }
    return { changed, settled, entries }
  }

  const refresh = (name: string): boolean => {
    const before = folders.get(name)
    const found = statSync(join(directory, name), { throwIfNoEntry: false })
    if (!found?.isDirectory()) return folders.delete(name)
    if (before?.settled && before.changed === found.mtimeMs) return false
    folders.set(name, read(name, found.mtimeMs, before))
    return true
  }

  return {
    pathOf,

    entries: async (): Promise<readonly OutboxMailFile[]> => {
      const all = new Set([...namesIn(directory).filter(isFolder), ...folders.keys()])
      let changed = newestFirst === undefined
      for (const name of all) {
        if (!refresh(name)) continue
        changed = true
        await breathe()
      }
      if (changed || !newestFirst)
        newestFirst = [...folders.values()]
          .flatMap(({ entries }) => [...entries.values()])
          .sort((a, b) => b.written - a.written || (a.id < b.id ? -1 : 1))
      return newestFirst
    },

    summarised: async function* (
      entries: readonly OutboxMailFile[],
      from = 0,
    ): AsyncGenerator<readonly [OutboxMailFile, OutboxMailSummary]> {
      for (const [index, entry] of entries.entries()) {
        const kept = folders.get(mailFolderOf(entry.id))?.entries.get(entry.id)
        const known = kept?.summary
        const summary = known ?? readSummary(pathOf(entry.id))
        if (kept && from + index < summariesKept) kept.summary = summary
        if (!known && index % turn === turn - 1) await breathe()
        yield [entry, summary]
      }
    },
  }
}
