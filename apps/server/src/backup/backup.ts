import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { nodeSecrets, pauseFileRemovals, RemovalsPausedElsewhere } from '@posthorn/adapters-node'
import { snapshotDatabase, sqliteStoreVersionOf } from '@posthorn/adapters-sqlite'
import type { Clock } from '@posthorn/core/ports/runtime'
import type { DataDirectory } from '../data-directory.js'
import { version } from '../version.js'
import { BackupFailure, explainFullDisk } from './failures.js'
import { type BackupManifest, backupEntryNames, type ManifestEntry, manifestOf } from './manifest.js'
import { sealSecret } from './sealed-secret.js'
import {
  type BackupSink,
  directorySink,
  fileBytesFrom,
  syncParentDirectory,
  tarSink,
  textAsBackupFileContent,
} from './sinks.js'

export type BackupOptions = {
  readonly data: Pick<DataDirectory, 'database' | 'files' | 'hits'>
  /** Newest first. */
  readonly secrets: readonly string[]
  /** Without one, the backup holds no secret. */
  readonly passphrase: string | undefined
  /** A tar archive if it ends in `.tar`, else a directory. Must be new, or an empty directory. */
  readonly target: string
  readonly clock: Clock
  /** Ends the backup, which then leaves nothing. */
  readonly signal?: AbortSignal | undefined
  /** For tests. */
  readonly openSink?: (target: string, place: string) => Promise<BackupSink>
}

export type BackupMade = {
  readonly target: string
  readonly createdAt: string
  readonly bytes: number
  readonly files: number
  readonly holdsSecret: boolean
}

export const isArchivePath = (target: string): boolean => target.endsWith('.tar')

/** Plain text of the manifest's `secretCheck`. */
export const secretCheckText = 'posthorn backup'

/** Never a name that a restore takes for a backup. */
export const unfinishedBackupPath = (target: string): string =>
  join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`)

export const isUnfinishedBackup = (name: string): boolean => /^\..+\.[\da-f]{8}\.part$/.test(name)

const sinkOf = async (target: string, place: string): Promise<BackupSink> =>
  isArchivePath(target) ? tarSink(place) : directorySink(place)

const addFile = async (sink: BackupSink, name: string, file: FileHandle): Promise<ManifestEntry> => {
  const { size, mtime: changedAt } = await file.stat()
  return sink.add(name, { size, changedAt, bytes: fileBytesFrom(file, size) })
}

const opened = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const addIfThere = async (sink: BackupSink, name: string, path: string): Promise<readonly ManifestEntry[]> => {
  const file = await opened(path)
  if (!file) return []
  try {
    return [await addFile(sink, name, file)]
  } finally {
    await file.close()
  }
}

/** Before the database: a hit that is in both is counted once, one in neither is lost. */
const addHits = async (sink: BackupSink, directory: string): Promise<readonly ManifestEntry[]> => {
  const all = await readdir(directory).catch(() => [])
  const entries: ManifestEntry[] = []
  for (const name of all)
    if (name.endsWith('.hits'))
      entries.push(...(await addIfThere(sink, `${backupEntryNames.hits}${name}`, join(directory, name))))
  return entries
}

type Written = { readonly createdAt: string; readonly storeVersion: number; readonly entries: readonly ManifestEntry[] }

/** Pauses removals, then copies the database, then the files: every file that the database names is there. */
const write = async (sink: BackupSink, options: BackupOptions, part: string): Promise<Written> => {
  const { data, secrets, passphrase, clock, signal } = options
  const pause = await pauseFileRemovals(data.files)
  try {
    const entries = [...(await addHits(sink, data.hits))]
    const createdAt = clock().toISOString()
    const snapshot = join(part, 'snapshot')
    await snapshotDatabase(data.database, snapshot)
    const storeVersion = sqliteStoreVersionOf(snapshot)
    entries.push(...(await addIfThere(sink, backupEntryNames.database, snapshot)))
    await rm(snapshot)
    const known = new Set<string>()
    for await (const { key, place } of pause.files()) {
      signal?.throwIfAborted()
      if (known.has(key)) continue
      const added = await addIfThere(sink, `${backupEntryNames.files}${key}`, place)
      if (added.length > 0) known.add(key)
      entries.push(...added)
    }
    signal?.throwIfAborted()
    pause.assertUnbroken()
    if (passphrase !== undefined)
      entries.push(
        await sink.add(
          backupEntryNames.secret,
          textAsBackupFileContent(await sealSecret(secrets.join(','), passphrase)),
        ),
      )
    return { createdAt, storeVersion, entries }
  } finally {
    await pause.end()
  }
}

const assertFree = async (target: string): Promise<void> => {
  const found = await stat(target).catch(() => undefined)
  if (!found) return
  const isEmpty = !isArchivePath(target) && found.isDirectory() && (await readdir(target)).length === 0
  if (!isEmpty) throw new BackupFailure(`${target} exists already. Name a new file or directory.`)
}

const manifestFor = ({ secrets }: BackupOptions, { createdAt, storeVersion, entries }: Written): BackupManifest =>
  manifestOf({
    createdAt,
    posthorn: version,
    store: { kind: 'sqlite', version: storeVersion },
    secretCheck: nodeSecrets(secrets).seal(secretCheckText),
    entries: [...entries],
  })

/**
 * The server may be running. The target only ever holds a whole backup.
 * @throws BackupFailure if the target exists, the disk is full, or another backup of the directory runs; nothing is kept then
 */
export const backUp = async (options: BackupOptions): Promise<BackupMade> => {
  const target = resolve(options.target)
  await assertFree(target)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const part = unfinishedBackupPath(target)
  const place = join(part, 'backup')
  let sink: BackupSink | undefined
  try {
    await mkdir(place, { recursive: true, mode: 0o700 })
    if (isArchivePath(target)) await rm(place, { recursive: true })
    sink = await (options.openSink ?? sinkOf)(target, place)
    const written = await write(sink, options, part)
    await sink.add(backupEntryNames.manifest, textAsBackupFileContent(JSON.stringify(manifestFor(options, written))))
    await sink.end()
    await rename(place, target)
    await syncParentDirectory(target)
    const { createdAt, entries } = written
    return {
      target,
      createdAt,
      bytes: entries.reduce((sum, { size }) => sum + size, 0),
      files: entries.filter(({ name }) => name.startsWith(backupEntryNames.files)).length,
      holdsSecret: options.passphrase !== undefined,
    }
  } catch (error) {
    if (error instanceof RemovalsPausedElsewhere) throw new BackupFailure(error.message)
    throw explainFullDisk(error, target)
  } finally {
    await sink?.close()
    await rm(part, { recursive: true, force: true })
  }
}
