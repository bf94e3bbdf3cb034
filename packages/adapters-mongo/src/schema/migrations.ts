import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import type { Collection, Db } from 'mongodb'

/**
 * Runs while processes of both versions work; may run twice, or be interrupted.
 * `online`: processes of `from` understand what it writes, and may still start.
 */
export type Migration = {
  readonly from: number
  readonly to: number
  readonly online: boolean
  readonly run: (db: Db) => Promise<void>
}

/** Each from one version to the next; none is ever removed or changed after a release. */
export const migrations: readonly Migration[] = []

export type StoredSchemaVersion = {
  readonly _id: string
  readonly version: number
  /** Oldest program version that may open the database; default: `version`. */
  readonly opens?: number
  readonly migrating?: { readonly by: string; readonly until: Date }
}

/** In ms. */
const standardTimes = { lease: 60_000, retry: 500, renew: 15_000 }

/** Whether a program of that version may work on the database as it is. */
export const mayWorkOnSchema = ({ version, opens = version }: StoredSchemaVersion, mine: number): boolean =>
  version === mine || (version === mine + 1 && opens <= mine)

export const schemaVersionError = ({ version }: StoredSchemaVersion, mine: number): Error =>
  new Error(
    `its schema has version ${version}, and this version of Posthorn needs ${mine}. Nothing was changed. Run the version that wrote it, or choose a new database`,
  )

export type SchemaMigrationOptions = {
  readonly schemas: Collection<StoredSchemaVersion>
  readonly db: Db
  readonly id: string
  readonly version: number
  /** Unique among processes. */
  readonly by: string
  readonly log: Log
  readonly steps?: readonly Migration[]
  readonly times?: typeof standardTimes
}

const leaseFrom = ({ by, times = standardTimes }: SchemaMigrationOptions) => ({
  by,
  until: new Date(Date.now() + times.lease),
})

/** Undefined if another process has the lease or changed the version. */
const leased = (options: SchemaMigrationOptions, from: number) =>
  options.schemas.findOneAndUpdate(
    {
      _id: options.id,
      version: from,
      $or: [{ migrating: { $exists: false } }, { 'migrating.until': { $lt: new Date() } }],
    },
    { $set: { migrating: leaseFrom(options) } },
    { returnDocument: 'after' },
  )

const carryOut = async (options: SchemaMigrationOptions, { from, to, online, run }: Migration): Promise<void> => {
  const { schemas, id, by, log, db, times = standardTimes } = options
  const mine = { _id: id, 'migrating.by': by }
  const renewing = setInterval(() => {
    schemas
      .updateOne(mine, { $set: { migrating: leaseFrom(options) } })
      .catch((error: unknown) => log('warn', 'The lease of a migration could not be renewed', { error }))
  }, times.renew).unref()
  try {
    log('info', 'The database is being migrated', { from, to })
    await run(db)
    await schemas.updateOne(
      { ...mine, version: from },
      { $set: { version: to, opens: online ? from : to }, $unset: { migrating: '' } },
    )
    log('info', 'The database has been migrated', { from, to })
  } catch (error) {
    await schemas.updateOne(mine, { $unset: { migrating: '' } })
    throw new Error(`its migration from version ${from} to ${to} failed: ${String(error)}`, { cause: error })
  } finally {
    clearInterval(renewing)
  }
}

/**
 * One process migrates, others wait.
 * @throws Error, before any change, if the database is too new or no steps lead from its version
 */
export const migrateMongoSchema = async (options: SchemaMigrationOptions): Promise<void> => {
  const { schemas, id, version, steps = migrations, times = standardTimes } = options
  for (;;) {
    const found = await schemas.findOne({ _id: id })
    if (!found || mayWorkOnSchema(found, version)) return
    const step = steps.find((one) => one.from === found.version && one.to <= version)
    if (!step) throw schemaVersionError(found, version)
    if (await leased(options, found.version)) await carryOut(options, step)
    else await pause(times.retry)
  }
}
