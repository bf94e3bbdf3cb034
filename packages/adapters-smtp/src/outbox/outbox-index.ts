import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type MailSummary, readSummary } from './mail-summary.js'
import { fileNameOf, folderOf, idOfFile, isFolder } from './outbox-files.js'

export type Entry = {
  readonly id: string
  /** Epoch ms. */
  readonly written: number
  readonly size: number
}

type Kept = Entry & { summary?: MailSummary }

type Folder = { readonly changed: number; readonly settled: boolean; readonly entries: ReadonlyMap<string, Kept> }

/** In ms: a folder changed less than this before it was read may have changed again unnoticed. */
const stampStep = 2_000

/** Newest mails, about 40 MB. */
const summariesKept = 100_000

/** Files between yields to the event loop. */
const turn = 200

/** Empty if it cannot be read. */
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

  const pathOf = (id: string) => join(directory, folderOf(id), fileNameOf(id))

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

    entries: async (): Promise<readonly Entry[]> => {
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

    /** In order, with their positions in the outbox. */
    summarised: async function* (entries: readonly Entry[], from = 0): AsyncGenerator<readonly [Entry, MailSummary]> {
      for (const [index, entry] of entries.entries()) {
        const kept = folders.get(folderOf(entry.id))?.entries.get(entry.id)
        const known = kept?.summary
        const summary = known ?? readSummary(pathOf(entry.id))
        if (kept && from + index < summariesKept) kept.summary = summary
        if (!known && index % turn === turn - 1) await breathe()
        yield [entry, summary]
      }
    },
  }
}
