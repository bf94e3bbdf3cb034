import { setTimeout as pause } from 'node:timers/promises'
import { recordingLog } from '@posthorn/testkit'
import { type Db, MongoNetworkError } from 'mongodb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildIndexes } from '../../src/schema/mongo-schema.js'
import { anOpenDatabase } from '../an-open-database.js'
import { onMongoDB } from '../on-mongodb.js'

const indexes = { notes: [{ name: 'a', key: { a: 1 }, unique: true }] } as const
const times = { start: 20, progress: 20, retry: 1 }

onMongoDB('indexes that are missing', () => {
  let database: Awaited<ReturnType<typeof anOpenDatabase>>
  beforeEach(async () => {
    database = await anOpenDatabase()
  })
  afterEach(() => database.close())

  /** A database on which making an index comes to this first. */
  const slowly = (before: () => Promise<unknown>): Db =>
    new Proxy(database.db, {
      get: (target, name) =>
        name !== 'collection'
          ? Reflect.get(target, name)
          : (collection: string) =>
              new Proxy(target.collection(collection), {
                get: (documents, method) => {
                  const found: unknown = Reflect.get(documents, method, documents)
                  if (typeof found !== 'function') return found
                  const call = found.bind(documents) as (...given: readonly unknown[]) => unknown
                  if (method !== 'createIndexes') return call
                  return async (...given: readonly unknown[]) => {
                    await before()
                    return call(...given)
                  }
                },
              }),
    })

  const names = async (): Promise<(string | undefined)[]> =>
    (await database.db.collection('notes').indexes()).map(({ name }) => name)
  const built = async () => {
    while (!(await names().catch(() => [] as (string | undefined)[])).includes('a')) await pause(5)
  }

  it('are built before a start continues if that is quick, and not requested again', async () => {
    const { log, lines } = recordingLog()
    let asked = 0
    const db = slowly(async () => {
      asked += 1
    })
    await buildIndexes({ db, indexes, log, isClosed: () => false })
    await buildIndexes({ db, indexes, log, isClosed: () => false })
    expect([await names(), asked, lines]).toEqual([['_id_', 'a'], 1, []])
  })

  it('do not block a start if they take long; the log shows progress and end', async () => {
    const { log, lines } = recordingLog()
    let go: () => void = () => {}
    const gone = new Promise<void>((resolve) => {
      go = resolve
    })
    await buildIndexes({ db: slowly(() => gone), indexes, log, isClosed: () => false, times })
    expect(lines.map(({ level }) => level)).toEqual(['warn'])
    await database.db.collection('notes').insertOne({ a: 1 })
    while (lines.length < 2) await pause(5)
    expect(lines[1]?.message).toBe('Indexes are being built')
    go()
    await built()
    while (!lines.some(({ message }) => message === 'All indexes are built')) await pause(5)
  })

  it('are requested again after a broken connection', async () => {
    let cuts = 2
    const db = slowly(async () => {
      cuts -= 1
      if (cuts >= 0) throw new MongoNetworkError('The connection was cut')
    })
    await buildIndexes({ db, indexes, log: () => {}, isClosed: () => false, times: { ...times, start: 10_000 } })
    expect(await names()).toContain('a')
  })
})
