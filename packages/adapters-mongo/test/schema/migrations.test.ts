import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Migration,
  mayWorkOnSchema,
  migrateMongoSchema,
  type StoredSchemaVersion,
} from '../../src/schema/migrations.js'
import { prepareMongoSchema, schemaVersion } from '../../src/schema/mongo-schema.js'
import { dropDatabase, withDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

describe('a program', () => {
  it('accepts its own version, and one that is newer by an online step', () => {
    const of = (version: number, opens?: number): StoredSchemaVersion => ({
      _id: 'posthorn',
      version,
      ...(opens && { opens }),
    })
    expect([of(2), of(3), of(3, 2), of(3, 3), of(4, 3), of(4, 2), of(1)].map((one) => mayWorkOnSchema(one, 2))).toEqual(
      [true, false, true, false, false, false, false],
    )
  })
})

onMongoDB('a migration', () => {
  let url = ''
  let runs: number[] = []
  beforeEach(() => {
    url = databaseUrl()
    runs = []
  })
  afterEach(() => dropDatabase(url))

  const step = (from: number, online: boolean, run = async () => {}): Migration => ({
    ...{ from, to: from + 1, online },
    run: async () => {
      runs.push(from)
      await run()
    },
  })

  const onSchema = <T>(
    work: (
      to: (version: number, steps: readonly Migration[], by?: string) => Promise<void>,
      found: () => Promise<StoredSchemaVersion | null>,
      open: () => Promise<void>,
    ) => Promise<T>,
  ) =>
    withDatabase(url, async (database) => {
      const schemas = database.patientDb.collection<StoredSchemaVersion>('schema')
      await prepareMongoSchema(database, {})
      const times = { lease: 60_000, retry: 5, renew: 15_000 }
      const to = (version: number, steps: readonly Migration[], by = 'me') =>
        migrateMongoSchema({
          schemas,
          db: database.patientDb,
          id: 'posthorn',
          version,
          by,
          log: () => {},
          steps,
          times,
        })
      return work(
        to,
        () => schemas.findOne({}),
        () => prepareMongoSchema(database, {}),
      )
    })

  it('is carried out by one of several processes, in order; older processes still open the database if it is online', () =>
    onSchema(async (to, found, open) => {
      const steps = [step(schemaVersion + 1, false), step(schemaVersion, true)]
      await Promise.all(['a', 'b', 'c'].map((by) => to(schemaVersion + 1, steps, by)))
      expect(runs).toEqual([schemaVersion])
      expect(await found()).toMatchObject({ version: schemaVersion + 1, opens: schemaVersion })
      await open()
      await to(schemaVersion + 2, steps)
      expect(runs).toEqual([schemaVersion, schemaVersion + 1])
      await expect(open()).rejects.toThrow(
        `its schema has version ${schemaVersion + 2}, and this version of Posthorn needs ${schemaVersion}. Nothing was changed.`,
      )
    }))

  it('that fails keeps the version, and is carried out by the next', () =>
    onSchema(async (to, found) => {
      const failing = step(schemaVersion, true, async () => {
        throw new Error('The dog ate it')
      })
      await expect(to(schemaVersion + 1, [failing])).rejects.toThrow('failed: Error: The dog ate it')
      expect(await found()).toEqual({ _id: 'posthorn', version: schemaVersion })
      await to(schemaVersion + 1, [step(schemaVersion, true)])
      expect(await found()).toMatchObject({ version: schemaVersion + 1 })
    }))

  it('of a process that died is carried out by another when the lease is over', () =>
    withDatabase(url, async (database) => {
      const schemas = database.patientDb.collection<StoredSchemaVersion>('schema')
      const version = schemaVersion
      await schemas.insertOne({ _id: 'posthorn', version, migrating: { by: 'dead', until: new Date(0) } })
      const steps = [step(version, true)]
      const shared = { schemas, db: database.patientDb, id: 'posthorn', log: () => {}, steps }
      await migrateMongoSchema({ ...shared, version: version + 1, by: 'me' })
      expect(runs).toEqual([version])
    }))

  it('does not begin where no steps lead from', () =>
    onSchema(async (to, found) => {
      await expect(to(schemaVersion + 2, [step(schemaVersion + 1, true)])).rejects.toThrow('Nothing was changed')
      expect(await found()).toEqual({ _id: 'posthorn', version: schemaVersion })
    }))
})
