import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkStoreFile, type StoreIntegrityCheck } from '@posthorn/adapters-sqlite'
import { databasePathIn, dataDirectoryEntries } from '../data-directory.js'
import { backupEntryNames } from './manifest.js'
import { type RestoreSecrets, restoreBackup } from './restore.js'
import { openReadableBackup } from './sources.js'

/** The directory must have a database. */
export const checkStoreIntegrity = (directory: string): StoreIntegrityCheck =>
  checkStoreFile(databasePathIn(directory), (key) => existsSync(join(directory, dataDirectoryEntries.files, key)))

export type VerifiedBackup = {
  readonly createdAt: string
  readonly files: number
  /** `unchecked`: sealed, and no passphrase was given. */
  readonly secret: 'opened' | 'unchecked' | 'absent'
  readonly problems: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

const holdsSecret = async (backup: string): Promise<boolean> => {
  const source = await openReadableBackup(backup)
  await source.close()
  return source.names.has(backupEntryNames.secret)
}

/** Restores into a temporary directory in `within`, and checks the store there. @throws BackupFailure for a backup that cannot be restored */
export const verifyBackup = async ({
  backup,
  within = tmpdir(),
  ...given
}: RestoreSecrets & { readonly backup: string; readonly within?: string }): Promise<VerifiedBackup> => {
  const isSealed = await holdsSecret(backup)
  const directory = await mkdtemp(join(within, 'posthorn-verify-'))
  try {
    const opensSeal = isSealed && given.passphrase !== undefined
    const { manifest } = await restoreBackup({
      ...(opensSeal ? { ...given, secrets: undefined } : given),
      backup,
      directory,
      needsSecret: opensSeal || given.secrets !== undefined,
      prepare: async () => {},
    })
    const { problems, counts } = checkStoreIntegrity(directory)
    return {
      createdAt: manifest.createdAt,
      files: manifest.entries.filter(({ name }) => name.startsWith(backupEntryNames.files)).length,
      secret: isSealed ? (opensSeal ? 'opened' : 'unchecked') : 'absent',
      problems,
      counts,
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
