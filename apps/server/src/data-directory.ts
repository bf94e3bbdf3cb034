import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Log } from '@posthorn/core'
import { shortestSecret } from './variable-kinds.js'

/** Permission bits of group and others. */
const others = 0o077

type Tally = { closed: number; failed: number; reason?: string }

/** Below a folder that was open, recursively. Ignores symbolic links. */
const close = (path: string, isTop: boolean, tally: Tally): void => {
  const found = isTop ? statSync(path) : lstatSync(path, { throwIfNoEntry: false })
  if (!found || !(found.isDirectory() || found.isFile())) return
  const isOpen = (found.mode & others) !== 0
  try {
    if (isOpen) {
      chmodSync(path, found.mode & 0o777 & ~others)
      tally.closed += 1
    }
    if (found.isDirectory() && (isOpen || isTop))
      for (const name of readdirSync(path)) close(join(path, name), false, tally)
  } catch (error) {
    // SQLite or another process may have removed the file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    tally.failed += 1
    tally.reason = error instanceof Error ? error.message : String(error)
  }
}

/** Whatever the umask was. Skips folders that are closed already. */
export const denyOtherUsers = (directory: string, log: Log): void => {
  const tally: Tally = { closed: 0, failed: 0 }
  close(directory, true, tally)
  const { closed, failed, reason } = tally
  if (failed > 0)
    log('warn', 'Other users of this machine can read the data directory, and its permissions could not be changed', {
      directory,
      failed,
      reason,
    })
  else if (closed > 0)
    log('warn', 'Other users of this machine could read the data directory; its permissions now admit only its owner', {
      directory,
      closed,
    })
}

export class UnusableDataDirectory extends Error {
  override readonly name = 'UnusableDataDirectory'
}

export type DataDirectory = {
  readonly database: string
  readonly files: string
  readonly outbox: string
  /** Opens and clicks that are not stored yet. */
  readonly hits: string
  /** Copies of link tables, for a store on another machine. */
  readonly linkCopies: string
  /** Marks of running servers. */
  readonly servers: string
  /** For commands in other terminals. */
  readonly notePublicUrl: (url: string) => void
  /** Undefined before the first start. */
  readonly notedPublicUrl: () => string | undefined
  /** Newest first. Created if missing. @throws UnusableDataDirectory */
  readonly secrets: () => readonly string[]
}

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const dataDirectoryEntries = {
  database: 'posthorn.db',
  files: 'files',
  outbox: 'outbox',
  secret: 'secret',
  hits: 'hits',
  publicUrl: 'public-url',
  linkCopies: 'link-copies',
  servers: 'servers',
} as const

const { database, secret, publicUrl, ...ofFolders } = dataDirectoryEntries
const folders = [...Object.values(ofFolders), `${database}-workers`]
const plainFiles = [database, `${database}-wal`, `${database}-shm`, secret, publicUrl]

const { R_OK, W_OK, X_OK } = constants

const assertUsable = (path: string, isFolder: boolean): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory() !== isFolder) throw new Error(`${path} is ${isFolder ? 'no directory' : 'a directory'}`)
  try {
    accessSync(path, isFolder ? R_OK | W_OK | X_OK : R_OK | W_OK)
  } catch (error) {
    const user = process.getuid?.()
    if (!isCode(error, 'EACCES') || user === undefined) throw error
    const owner =
      found.uid === user
        ? 'its permissions refuse this user'
        : `it belongs to user ${found.uid}, and this is user ${user}`
    throw new Error(`${path} cannot be read and written: ${owner}`)
  }
}

export const writeRestoredSecrets = (path: string, secrets: readonly string[]): void =>
  writeFileSync(join(path, dataDirectoryEntries.secret), secrets.join(','), { mode: 0o600, flag: 'wx', flush: true })

export const databasePathIn = (path: string): string => join(path, dataDirectoryEntries.database)

/** @throws UnusableDataDirectory if this user may not look */
export const hasStore = (path: string): boolean => {
  try {
    return statSync(databasePathIn(path), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (!isCode(error, 'EACCES')) return false
    throw new UnusableDataDirectory(
      `The data directory ${path} cannot be used (${reasonOf(error)}). Run this as the user of the server.`,
    )
  }
}

/** The error with which a start fails, for an operator: a full disk is named. */
export const startError = (error: unknown, path: string): unknown => {
  const isFull = ['ENOSPC', 'EDQUOT'].some((code) => isCode(error, code)) || /disk is full/.test(reasonOf(error))
  if (!isFull) return error
  return new UnusableDataDirectory(
    `The disk of the data directory ${path} is full (${reasonOf(error)}). Make room, then start again; what was stored is unharmed.`,
  )
}

export const nearestExistingPath = (path: string): string =>
  existsSync(path) ? path : nearestExistingPath(dirname(path))

const unusable = (path: string, error: unknown): UnusableDataDirectory =>
  isCode(error, 'EROFS')
    ? new UnusableDataDirectory(
        `The data directory ${path} is on a read-only file system (${reasonOf(error)}). Mount it for writing; where that happened by itself, look for errors of the disk in the system's log.`,
      )
    : new UnusableDataDirectory(
        `The data directory ${path} cannot be used (${reasonOf(error)}). Give POSTHORN_DATA_DIR a directory that this user may write to.`,
      )

/** @throws UnusableDataDirectory if it cannot be created, read or written */
export const openDataDirectory = (path: string, log: Log): DataDirectory => {
  try {
    // mkdir reports ENOENT on a read-only file system.
    if (!existsSync(path)) accessSync(nearestExistingPath(resolve(path)), W_OK | X_OK)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    assertUsable(path, true)
    for (const name of folders) assertUsable(join(path, name), true)
    for (const name of plainFiles) assertUsable(join(path, name), false)
    denyOtherUsers(path, log)
  } catch (error) {
    throw unusable(path, error)
  }
  const file = join(path, dataDirectoryEntries.secret)
  const publicUrl = join(path, dataDirectoryEntries.publicUrl)
  const read = () => {
    // A restored file has as many as POSTHORN_SECRET had.
    const secrets = readFileSync(file, 'utf8')
      .split(',')
      .map((one) => one.trim())
    if (secrets.some(({ length }) => length < shortestSecret))
      throw new Error(`it has fewer than ${shortestSecret} characters`)
    return secrets
  }
  const made = () => {
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
    try {
      linkSync(draft, file)
    } catch (error) {
      // Another process was first; its secret counts.
      if (!isCode(error, 'EEXIST')) throw error
    } finally {
      rmSync(draft)
    }
    return read()
  }
  const readOrMade = () => {
    try {
      return read()
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      return made()
    }
  }
  return {
    database: join(path, dataDirectoryEntries.database),
    files: join(path, dataDirectoryEntries.files),
    outbox: join(path, dataDirectoryEntries.outbox),
    hits: join(path, dataDirectoryEntries.hits),
    linkCopies: join(path, dataDirectoryEntries.linkCopies),
    servers: join(path, dataDirectoryEntries.servers),
    notePublicUrl: (url) => writeFileSync(publicUrl, `${url}\n`, { mode: 0o600 }),
    notedPublicUrl: () => (existsSync(publicUrl) ? readFileSync(publicUrl, 'utf8').trim() || undefined : undefined),
    secrets: () => {
      try {
        return readOrMade()
      } catch (error) {
        throw new UnusableDataDirectory(
          `The secret ${file} cannot be used (${reasonOf(error)}). Set POSTHORN_SECRET instead.`,
        )
      }
    },
  }
}

/** In ms. Copies and file systems round times. */
const mostAhead = 5_000

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Undefined unless a file of the directory was last written in the future. Ask before anything is written there. */
export const clockSetBackWarning = (directory: string, now: Date): string | undefined => {
  try {
    const newest = Math.max(
      ...[directory, ...readdirSync(directory).map((name) => join(directory, name))].map(writtenAt),
    )
    const behind = newest - now.getTime()
    if (behind <= mostAhead) return undefined
    return `The clock of this machine is ${Math.round(behind / 1_000)} s behind the last write to the data directory. It was set back, or was ahead before.`
  } catch {
    return undefined
  }
}
