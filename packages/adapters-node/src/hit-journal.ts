import { randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { AbandonedHitJournalEntry, HitJournal, HitJournalEntry } from '@posthorn/core/ports/runtime'

export type HitJournalOptions = {
  /** Shared by all processes of the journal. Created if missing. */
  readonly directory: string
  /** For this process's files; default: 64 MB. */
  readonly maxBytes?: number
  /** Default: 1 MB. */
  readonly fileBytes?: number
}

/** A file of the journal: added hits and the ids of settled ones, one per line. */
type Segment = {
  readonly path: string
  readonly file: number
  readonly open: Set<string>
  bytes: number
  isTorn: boolean
  addedAt: number
}

const megabyte = 1024 * 1024
const heartbeatInterval = 1_000
/** In ms since the last heartbeat; the first if the process no longer exists. */
const [deadAfter, silentAfter] = [3_000, 30_000]
/** In ms. Waiting hits are judged by hits up to 45 s earlier (core: `hitVerdictSettleTime`). */
const contextTime = 90_000

const segmentName = /^(?<owner>(?<host>[\w.-]{1,60})~(?<pid>\d{1,10})~[\da-f]{8})\.\d{1,9}\.hits$/

const hasNoProcess = (pid: number): boolean => {
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

const modifiedAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** Terminates an incomplete line before more is appended. */
const tornMark = '~'

const lineOf = ({ name, text }: HitJournalEntry) => `+${name} ${text}\n`

const entriesIn = (content: string): readonly AbandonedHitJournalEntry[] => {
  const entries = new Map<string, AbandonedHitJournalEntry>()
  for (const line of content.slice(0, content.lastIndexOf('\n') + 1).split('\n')) {
    if (line.endsWith(tornMark)) continue
    const blank = line.indexOf(' ')
    if (line.startsWith('+') && blank > 1) {
      const name = line.slice(1, blank)
      entries.set(name, { name, text: line.slice(blank + 1), isDone: false })
    } else if (line.startsWith('-'))
      for (const name of line.slice(1).split(' ')) {
        const entry = entries.get(name)
        if (entry) entries.set(name, { ...entry, isDone: true })
      }
  }
  return [...entries.values()]
}

/**
 * A journal in files. They survive a crash of the process but not a loss of power: nothing is synced.
 *
 *   add ───► <owner>.<n>.hits gets "+name text"; beyond 1 MB, <owner>.<n + 1>.hits begins
 *   done ──► the same file gets "-name name"
 *            all names done, and 90 s passed ──► the file is deleted
 *   owner dead ──► another process renames the file to its own name (only one rename succeeds) and returns its entries
 *
 * An owner, `host~pid~random`, is alive while it touches `<owner>.alive` every second.
 */
export const hitJournal = ({
  directory,
  maxBytes = 64 * megabyte,
  fileBytes = megabyte,
}: HitJournalOptions): HitJournal & { readonly bytes: () => number } => {
  const host =
    hostname()
      .replace(/[^\w.-]/g, '-')
      .slice(0, 60) || 'host'
  const owner = `${host}~${process.pid}~${randomBytes(4).toString('hex')}`
  const heartbeat = join(directory, `${owner}.alive`)
  const segments = new Set<Segment>()
  const segmentOf = new Map<string, Segment>()
  let current: Segment | undefined
  let made = 0
  let timer: NodeJS.Timeout | undefined

  const bytes = () => [...segments].reduce((sum, one) => sum + one.bytes, 0)
  const nextPath = () => {
    made += 1
    return join(directory, `${owner}.${made}.hits`)
  }

  const drop = (segment: Segment): void => {
    for (const name of segment.open) segmentOf.delete(name)
    segments.delete(segment)
    if (current === segment) current = undefined
    closeSync(segment.file)
  }

  const remove = (segment: Segment): void => {
    drop(segment)
    rmSync(segment.path, { force: true })
  }

  /** Starts anew if the files were deleted, or taken over while this process stood still. */
  const beat = (): void => {
    const now = new Date()
    try {
      utimesSync(heartbeat, now, now)
      if (current && modifiedAt(current.path) === undefined) current = undefined
      for (const segment of [...segments])
        if (segment.open.size === 0 && now.getTime() - segment.addedAt > contextTime) remove(segment)
    } catch {
      current = undefined
      clearInterval(timer)
      timer = undefined
    }
  }

  const startHeartbeat = (): void => {
    if (timer) return
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeFileSync(heartbeat, '', { mode: 0o600 })
    timer = setInterval(beat, heartbeatInterval).unref()
  }

  const write = (segment: Segment, text: string): void => {
    const line = Buffer.from(segment.isTorn ? `${tornMark}\n${text}` : text)
    let written = 0
    try {
      written = writeSync(segment.file, line)
    } catch (error) {
      // Errors other than a full disk may concern this file alone.
      const { code = '' } = error as NodeJS.ErrnoException
      if (current === segment && !['ENOSPC', 'EDQUOT'].includes(code)) current = undefined
      throw error
    }
    segment.bytes += written
    if (written > 0) segment.isTorn = written < line.length
    if (written < line.length) throw new Error('The disk is full')
  }

  const segmentFor = (length: number): Segment => {
    if (current && current.bytes + length <= fileBytes) return current
    startHeartbeat()
    const path = nextPath()
    current = { path, file: openSync(path, 'a', 0o600), bytes: 0, open: new Set(), isTorn: false, addedAt: 0 }
    segments.add(current)
    return current
  }

  const claim = (path: string): string | undefined => {
    const mine = nextPath()
    try {
      renameSync(path, mine)
      return mine
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  const load = (path: string): readonly AbandonedHitJournalEntry[] => {
    const content = readFileSync(path, 'utf8')
    const entries = entriesIn(content)
    const open = entries.filter(({ isDone }) => !isDone).map(({ name }) => name)
    if (open.length === 0) {
      rmSync(path, { force: true })
      return []
    }
    const length = Buffer.byteLength(content)
    const isTorn = !content.endsWith('\n')
    const file = openSync(path, 'a')
    const segment: Segment = { path, file, open: new Set(open), bytes: length, isTorn, addedAt: Date.now() }
    segments.add(segment)
    for (const name of open) segmentOf.set(name, segment)
    return entries
  }

  const isOfDeadOwner = (name: string): boolean => {
    const { owner: fileOwner = '', host: where, pid } = segmentName.exec(name)?.groups ?? {}
    if (fileOwner === '' || fileOwner === owner) return false
    const beatAt = modifiedAt(join(directory, `${fileOwner}.alive`)) ?? modifiedAt(join(directory, name)) ?? Date.now()
    const silence = Date.now() - beatAt
    return silence > silentAfter || (silence > deadAfter && where === host && hasNoProcess(Number(pid)))
  }

  const names = (): readonly string[] => {
    try {
      return readdirSync(directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  const removeDeadHeartbeats = (): void => {
    const all = names()
    for (const name of all) {
      if (!name.endsWith('.alive') || name === `${owner}.alive`) continue
      const fileOwner = name.slice(0, -'.alive'.length)
      if (all.some((one) => one.startsWith(`${fileOwner}.`) && one.endsWith('.hits'))) continue
      if (isOfDeadOwner(`${fileOwner}.0.hits`)) rmSync(join(directory, name), { force: true })
    }
  }

  return {
    bytes,

    add: (entry) => {
      const line = lineOf(entry)
      const length = Buffer.byteLength(line)
      if (bytes() + length > maxBytes) throw new Error(`The journal is full: ${maxBytes} bytes`)
      const segment = segmentFor(length)
      write(segment, line)
      segment.open.add(entry.name)
      segment.addedAt = Date.now()
      segmentOf.set(entry.name, segment)
    },

    done: (all) => {
      const bySegment = new Map<Segment, string[]>()
      for (const name of all) {
        const segment = segmentOf.get(name)
        if (!segment) continue
        segmentOf.delete(name)
        segment.open.delete(name)
        bySegment.set(segment, [...(bySegment.get(segment) ?? []), name])
      }
      for (const [segment, some] of bySegment) {
        try {
          write(segment, `-${some.join(' ')}\n`)
        } catch {
          // A takeover reads this hit again; it still counts once.
        }
      }
    },

    takeOver: async () => {
      for (const name of names().toSorted()) {
        if (!isOfDeadOwner(name)) continue
        startHeartbeat()
        const path = claim(join(directory, name))
        const entries = path === undefined ? [] : load(path)
        if (entries.length > 0) return entries
      }
      removeDeadHeartbeats()
      return []
    },

    close: async () => {
      clearInterval(timer)
      for (const segment of [...segments]) {
        if (segment.open.size === 0) remove(segment)
        else drop(segment)
      }
      const isLeftOpen = names().some((name) => name.startsWith(`${owner}.`) && name.endsWith('.hits'))
      if (!timer) return
      timer = undefined
      if (isLeftOpen) utimesSync(heartbeat, 0, 0)
      else rmSync(heartbeat, { force: true })
    },
  }
}
