import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { nodeSecrets } from '@posthorn/adapters-node'
import { schemaVersion, sqliteStoreVersionOf } from '@posthorn/adapters-sqlite'
import { dataDirectoryEntries, writeRestoredSecrets } from '../data-directory.js'
import { secretCheckText } from './backup.js'
import { BackupFailure, explainFullDisk } from './failures.js'
import {
  type BackupManifest,
  backupEntryNames,
  isSafeBackupEntryName,
  largestManifest,
  type ManifestEntry,
  readManifest,
} from './manifest.js'
import { openSecret } from './sealed-secret.js'
import { syncParentDirectory, writeNewFile } from './sinks.js'
import { openReadableBackup, type ReadableBackup } from './sources.js'

export type RestoreSecrets = {
  /** Of POSTHORN_SECRET. */
  readonly secrets: readonly string[] | undefined
  readonly passphrase: string | undefined
}

/** Undefined if the given ones are to be used at the start, too. */
type SecretsToKeep = readonly string[] | undefined

/** In bytes. */
const largestSecret = 100_000

const textOf = async (source: ReadableBackup, name: string, most: number): Promise<string> =>
  source.read(name, async ({ size, bytes }) => {
    if (size > most) throw new BackupFailure(`The backup is damaged: ${name} is too long.`)
    const chunks: Uint8Array[] = []
    for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk))
    return Buffer.concat(chunks).toString('utf8')
  })

/** @throws BackupFailure if there is none, or for a newer store */
export const backupManifestIn = async (source: ReadableBackup): Promise<BackupManifest> => {
  if (!source.names.has(backupEntryNames.manifest))
    throw new BackupFailure('This is no whole backup of Posthorn: it has no manifest.')
  const manifest = readManifest(await textOf(source, backupEntryNames.manifest, largestManifest))
  if (manifest.store.version > schemaVersion)
    throw new BackupFailure(
      `The backup has a store of version ${manifest.store.version}, and this version of Posthorn knows ${schemaVersion}. Restore it by Posthorn ${manifest.posthorn} or newer.`,
    )
  return manifest
}

const otherChecksum = (name: string) =>
  new BackupFailure(`The backup is damaged: ${name} has another checksum than the manifest says.`)

/** The backup holds exactly the files of its manifest. */
const assertComplete = ({ entries }: BackupManifest, source: ReadableBackup): void => {
  const wrong = entries.find(({ name }) => !isSafeBackupEntryName(name))
  if (wrong) throw new BackupFailure(`The backup is damaged: it names a file ${JSON.stringify(wrong.name)}.`)
  const listed = new Set(entries.map(({ name }) => name))
  const [missing] = entries.filter(({ name }) => !source.names.has(name))
  if (missing) throw new BackupFailure(`The backup is damaged: ${missing.name} is missing.`)
  for (const name of source.names)
    if (name !== backupEntryNames.manifest && !listed.has(name))
      throw new BackupFailure(`The backup is damaged: ${name} is in it, but not in its manifest.`)
  if (!listed.has(backupEntryNames.database)) throw new BackupFailure('The backup is damaged: it has no database.')
}

const extract = async (source: ReadableBackup, { name, size, sha256 }: ManifestEntry, path: string): Promise<void> => {
  const sum = await source.read(name, (content) => writeNewFile(path, content))
  if (sum.size !== size || sum.sha256 !== sha256) throw otherChecksum(name)
}

const opensCheck = (secrets: readonly string[], { secretCheck }: BackupManifest): boolean => {
  try {
    return nodeSecrets(secrets).open(secretCheck) === secretCheckText
  } catch {
    return false
  }
}

const sealedIn = async ({ entries }: BackupManifest, source: ReadableBackup): Promise<string> => {
  const text = await textOf(source, backupEntryNames.secret, largestSecret)
  const entry = entries.find(({ name }) => name === backupEntryNames.secret)
  if (createHash('sha256').update(text).digest('hex') !== entry?.sha256) throw otherChecksum(backupEntryNames.secret)
  return text
}

const secretsFor = async (
  manifest: BackupManifest,
  source: ReadableBackup,
  given: RestoreSecrets,
): Promise<SecretsToKeep> => {
  const isSealed = source.names.has(backupEntryNames.secret)
  if (given.secrets) {
    if (opensCheck(given.secrets, manifest)) return undefined
    throw new BackupFailure(
      'POSTHORN_SECRET is another secret than that of the backup. Set it to the one of the server that was backed up.',
    )
  }
  if (!isSealed)
    throw new BackupFailure(
      'The backup holds no secret. Set POSTHORN_SECRET to that of the server that was backed up: the variable, or the file “secret” of its data directory.',
    )
  if (given.passphrase === undefined)
    throw new BackupFailure(
      'The secret of the backup is sealed. Set POSTHORN_BACKUP_PASSPHRASE to the passphrase of the backup, or POSTHORN_SECRET to the secret itself.',
    )
  const secrets = (await openSecret(await sealedIn(manifest, source), given.passphrase)).split(',')
  if (opensCheck(secrets, manifest)) return secrets
  throw new BackupFailure('The backup is damaged: its secret is not that of its manifest.')
}

/** Where a data directory keeps an entry of a backup. */
const pathOf = (directory: string, name: string): string => {
  if (name === backupEntryNames.database) return join(directory, dataDirectoryEntries.database)
  if (name.startsWith(backupEntryNames.files))
    return join(directory, dataDirectoryEntries.files, name.slice(backupEntryNames.files.length))
  return join(directory, dataDirectoryEntries.hits, name.slice(backupEntryNames.hits.length))
}

const assertEmpty = async (directory: string): Promise<void> => {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw new BackupFailure(`${directory} is no directory.`)
    if (error.code === 'EACCES')
      throw new BackupFailure(`${directory} cannot be used by this user (${error.message}). Give the user a directory.`)
    throw error
  })
  const [first] = found
  if (first === staging)
    throw new BackupFailure(
      `${directory} has what an interrupted restore left. Remove ${join(directory, staging)} first.`,
    )
  if (first !== undefined)
    throw new BackupFailure(`${directory} is not empty. A backup is restored to a new or an empty directory.`)
}

/** Within the target, which may be a mount. */
const staging = '.restoring'

/** The database comes last: only then is there a store. */
const moveIn = async (from: string, to: string): Promise<void> => {
  const others = (await readdir(from)).filter((name) => name !== dataDirectoryEntries.database)
  for (const name of [...others, dataDirectoryEntries.database]) await rename(join(from, name), join(to, name))
  await syncParentDirectory(join(to, dataDirectoryEntries.database))
}

export type RestoreOptions = RestoreSecrets & {
  readonly backup: string
  readonly directory: string
  /** Without a secret, the store can be checked but not used. */
  readonly needsSecret?: boolean
  /** Runs before the store is moved into the directory. */
  readonly prepare: (directory: string, manifest: BackupManifest) => Promise<void>
}

export type Restored = {
  readonly directory: string
  readonly manifest: BackupManifest
  /** Whether the directory has the secret; else the server needs POSTHORN_SECRET. */
  readonly hasSecret: boolean
}

const unpack = async (
  source: ReadableBackup,
  manifest: BackupManifest,
  place: string,
  kept: SecretsToKeep,
): Promise<void> => {
  for (const entry of manifest.entries)
    if (entry.name !== backupEntryNames.secret) await extract(source, entry, pathOf(place, entry.name))
  if (kept) writeRestoredSecrets(place, kept)
  const database = join(place, dataDirectoryEntries.database)
  const version = sqliteStoreVersionOf(database)
  if (version !== manifest.store.version)
    throw new BackupFailure(
      `The backup is damaged: its database has version ${version}, and its manifest says ${manifest.store.version}.`,
    )
  await mkdir(join(place, dataDirectoryEntries.files), { recursive: true, mode: 0o700 })
}

/**
 * The directory belongs to the current user. After a failure, it is as it was.
 * @throws BackupFailure for a directory that is not empty, a damaged backup, a newer store, a wrong passphrase or secret, or a full disk
 */
export const restoreBackup = async ({
  backup,
  directory,
  prepare,
  needsSecret = true,
  ...given
}: RestoreOptions): Promise<Restored> => {
  const target = resolve(directory)
  await assertEmpty(target)
  const source = await openReadableBackup(backup)
  const place = join(target, staging)
  let made: string | undefined
  try {
    const manifest = await backupManifestIn(source)
    assertComplete(manifest, source)
    if (source.names.has(backupEntryNames.secret)) await sealedIn(manifest, source)
    const kept = needsSecret ? await secretsFor(manifest, source, given) : undefined
    made = await mkdir(target, { recursive: true, mode: 0o700 })
    await mkdir(place, { mode: 0o700 })
    await chmod(target, 0o700)
    await unpack(source, manifest, place, kept)
    await prepare(place, manifest)
    await moveIn(place, target)
    return { directory: target, manifest, hasSecret: kept !== undefined }
  } catch (error) {
    await rm(made === undefined ? place : target, { recursive: true, force: true })
    throw explainFullDisk(error, target)
  } finally {
    await source.close()
    await rm(place, { recursive: true, force: true })
  }
}
