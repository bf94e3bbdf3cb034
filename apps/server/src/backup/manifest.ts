import { z } from 'zod'
import { BackupFailure } from './failures.js'

/** Version of the backup's layout. */
const format = 1

export const backupEntryNames = {
  manifest: 'manifest.json',
  database: 'posthorn.db',
  secret: 'secret.json',
  files: 'files/',
  hits: 'hits/',
} as const

/** In bytes: of half a million files. */
export const largestManifest = 200 * 1024 * 1024

const entry = z.object({
  name: z.string().min(1).max(4096),
  size: z.int().nonnegative(),
  sha256: z.string().regex(/^[\da-f]{64}$/),
})
export type ManifestEntry = z.output<typeof entry>

const manifest = z.object({
  format: z.literal(format),
  createdAt: z.iso.datetime(),
  posthorn: z.string().max(100),
  store: z.object({ kind: z.literal('sqlite'), version: z.int().positive() }),
  /** A known text, sealed with the secret, to compare secrets. */
  secretCheck: z.string().max(1000),
  entries: z.array(entry),
})
export type BackupManifest = z.output<typeof manifest>

export const manifestOf = (parts: Omit<BackupManifest, 'format'>): BackupManifest => ({ format, ...parts })

const newer = z.object({ format: z.int().gt(format), posthorn: z.string().max(100) })

/** @throws BackupFailure for another text, and for a newer format */
export const readManifest = (text: string): BackupManifest => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupFailure('The backup is damaged: its manifest cannot be read.')
  }
  const { data } = newer.safeParse(value)
  if (data)
    throw new BackupFailure(
      `The backup was written by Posthorn ${data.posthorn} in a newer format. Restore it by that version.`,
    )
  const read = manifest.safeParse(value)
  if (!read.success) throw new BackupFailure('The backup is damaged: its manifest cannot be read.')
  return read.data
}

/** A name within the backup that leads nowhere else. */
export const isSafeBackupEntryName = (name: string): boolean =>
  [backupEntryNames.database, backupEntryNames.secret].some((one) => one === name) ||
  ((name.startsWith(backupEntryNames.files) || name.startsWith(backupEntryNames.hits)) &&
    name.split('/').every((part) => /^[\w~][\w.~-]{0,254}$/.test(part)))
