import fc from 'fast-check'
import type { Collection } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MongoDatabase, openMongoDatabase } from '../src/mongo-database.js'
import { recordOf, type StoredDocument } from '../src/mongo-document.js'
import { ledgerIndexes } from '../src/mongo-ledger.js'
import { migrate } from '../src/mongo-schema.js'
import { dropDatabase } from './databases.js'
import { frozenAt, gate, killedAt } from './failing-database.js'
import { ledgerOn } from './ledger-on.js'
import { databaseUrl, onMongoDB } from './on-mongodb.js'
import { type Scene, scenes } from './step-scenes.js'

const minute = 60_000
const day = 24 * 60 * minute
const kept = ['counters', 'figures', 'deliveries', 'dispatches', 'contacts'] as const

onMongoDB('a step', () => {
  const url = databaseUrl()
  let database: MongoDatabase
  beforeAll(async () => {
    database = await openMongoDatabase({ url, log: () => {} })
    await migrate(database, ledgerIndexes)
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })

  const collection = (name: string) => database.collection(name) as unknown as Collection<StoredDocument>
  const all = (name: string) => collection(name).find().sort({ _id: 1 }).toArray()

  /** Everything that a port would show, without what only this adapter keeps. */
  const shown = async () => {
    const state: Record<string, unknown> = {}
    for (const name of kept)
      state[name] = (await all(name))
        .filter((document) => document.value !== 0 && document.n !== 0)
        .map((document) => recordOf(document))
    return state
  }

  const marks = async () => {
    const documents = (await Promise.all([...kept].map(all))).flat() as { _steps?: readonly string[] }[]
    return documents.flatMap(({ _steps = [] }) => _steps)
  }

  const set = async ({ before }: Scene) => {
    for (const name of [...kept, 'steps']) await collection(name).deleteMany({})
    await before(ledgerOn(database))
  }

  /** Another process, so much later. */
  const sweptAfter = (milliseconds: number, on: Pick<MongoDatabase, 'collection'> = database) =>
    ledgerOn(on, { now: () => new Date(Date.now() + milliseconds) }).steps.sweep()

  /** What there is before and after, and how many writes lie in between. */
  const played = async (scene: Scene) => {
    await set(scene)
    const before = await shown()
    const counting = killedAt(database, Number.POSITIVE_INFINITY, 'before')
    await scene.ask(ledgerOn(counting.database))
    return { before, after: await shown(), writes: counting.writes() }
  }

  const expectOneOf = async (states: readonly unknown[], says: string) => {
    const state = await shown()
    expect(states.some((one) => JSON.stringify(one) === JSON.stringify(state)) ? [] : [state], says).toEqual([])
  }

  /** A day later there is nothing left of it but what it did. */
  const expectCleared = async () => {
    const state = await shown()
    await sweptAfter(2 * day)
    expect(await all('steps')).toEqual([])
    expect(await marks()).toEqual([])
    expect(await shown()).toEqual(state)
  }

  describe.each(Object.entries(scenes))('by which %s', (_, scene) => {
    it('leaves nothing behind when nobody dies', async () => {
      const { before, after } = await played(scene)
      expect(await all('steps')).toEqual([])
      expect(await marks()).toEqual([])
      await sweptAfter(2 * day)
      expect(await shown()).toEqual(after)
      expect(before).toBeDefined()
    })

    it.each(['before', 'amid'] as const)(
      'happens all or not at all when its process dies %s any write',
      async (how) => {
        const { before, after, writes } = await played(scene)
        for (let n = 1; n <= writes; n += 1) {
          await set(scene)
          await expect(scene.ask(ledgerOn(killedAt(database, n, how).database))).rejects.toThrow('Killed')
          await Promise.all([sweptAfter(minute), sweptAfter(minute)])
          await expectOneOf([before, after], `${how} write ${n}`)
          await expectCleared()
        }
      },
    )

    it('happens once when its process is frozen before any write, is thought dead, and goes on', async () => {
      const { before, after, writes } = await played(scene)
      for (let n = 1; n <= writes; n += 1) {
        await set(scene)
        const frozen = frozenAt(database, n, async () => {
          await sweptAfter(minute)
          await sweptAfter(2 * minute)
        })
        const answer = await scene.ask(ledgerOn(frozen)).then(
          () => 'done',
          () => 'failed',
        )
        await sweptAfter(minute)
        await expectOneOf(answer === 'done' ? [after] : [before], `frozen before write ${n}`)
        await expectCleared()
      }
    })

    it('happens once when two do it at the same time, each held up before any write', async () => {
      const { before, after, writes } = await played(scene)
      const any = fc.integer({ min: 1, max: writes })
      await fc.assert(
        fc.asyncProperty(any, any, async (n, m) => {
          await set(scene)
          const [held, ended] = [gate(), gate()]
          let sweeping: Promise<void> | undefined
          const sweeper = frozenAt(database, m, async () => {
            held.open()
            await ended.opened
          })
          const process = frozenAt(database, n, async () => {
            sweeping = sweptAfter(minute, sweeper).finally(held.open)
            await held.opened
          })
          const answer = await scene.ask(ledgerOn(process)).then(
            () => 'done',
            () => 'failed',
          )
          ended.open()
          await sweeping
          await sweptAfter(2 * minute)
          await expectOneOf(answer === 'done' ? [after] : [before], `${n}, ${m}`)
          expect(await sweptAfter(2 * day)).toBeUndefined()
          expect(await all('steps')).toEqual([])
          await expectOneOf([before, after], `a day after ${n}, ${m}`)
        }),
        { numRuns: 20 },
      )
    })

    it('is done by whoever lives, however many die at it', async () => {
      const { before, after, writes } = await played(scene)
      const deaths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: writes }), deaths, async (first, others) => {
          await set(scene)
          await scene.ask(ledgerOn(killedAt(database, first, 'amid').database)).catch(() => undefined)
          for (const [times, n] of others.entries())
            await sweptAfter((times + 1) * minute, killedAt(database, n, 'amid').database).catch(() => undefined)
          await sweptAfter(10 * minute)
          await expectOneOf([before, after], `${first}, ${others.join(', ')}`)
          await expectCleared()
        }),
        { numRuns: 10 },
      )
    })
  })
})
