import fc from 'fast-check'
import type { Collection } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MongoDatabase, openMongoDatabase } from '../../src/connection/mongo-database.js'
import { ledgerIndexes } from '../../src/ledger/ledger-collections.js'
import { recordOfDocument, type StoredDocument } from '../../src/records/documents.js'
import { prepareMongoSchema } from '../../src/schema/mongo-schema.js'
import { dropDatabase } from '../databases.js'
import { cutAt, delayedAt, frozenAt, gate, killedAt } from '../failing-database.js'
import { ledgerOn } from '../ledger-on.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'
import { type Scene, scenes } from './step-scenes.js'

const minute = 60_000
const day = 24 * 60 * minute
const kept = ['counters', 'figures', 'deliveries', 'dispatches', 'contacts'] as const

onMongoDB('a step', () => {
  const url = databaseUrl()
  let database: MongoDatabase
  beforeAll(async () => {
    database = await openMongoDatabase({ url, log: () => {} })
    await prepareMongoSchema(database, ledgerIndexes)
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })

  const collection = (name: string) => database.collection(name) as unknown as Collection<StoredDocument>
  const all = (name: string) => collection(name).find().sort({ _id: 1 }).toArray()

  const inOrder = (document: StoredDocument): object =>
    Object.fromEntries(Object.entries(recordOfDocument(document)).sort(([one], [other]) => (one < other ? -1 : 1)))

  /** The sums of their parts, of which each process has its own. */
  const figures = async () => {
    const sums = new Map<string, number>()
    for (const { subject, metric, slot, n } of await all('figures'))
      sums.set(`${slot} ${metric} ${subject}`, (sums.get(`${slot} ${metric} ${subject}`) ?? 0) + n)
    return [...sums].filter(([, n]) => n !== 0).sort(([one], [other]) => (one < other ? -1 : 1))
  }

  /** Everything that a port would show, without what only this adapter keeps. */
  const shown = async () => {
    const state: Record<string, unknown> = {}
    for (const name of kept)
      state[name] =
        name === 'figures' ? await figures() : (await all(name)).filter((document) => document.value !== 0).map(inOrder)
    return state
  }

  const marks = async () => {
    const documents = (await Promise.all([...kept].map(all))).flat() as { _steps?: readonly string[] }[]
    return documents.flatMap(({ _steps = [] }) => _steps)
  }

  const set = async ({ before }: Scene) => {
    for (const name of [...kept, 'steps']) await collection(name).deleteMany({})
    const ledger = ledgerOn(database)
    await before(ledger)
    await ledger.steps.tidy()
  }

  /** Another process, so much later. */
  const sweptAfter = (milliseconds: number, on: Pick<MongoDatabase, 'collection'> = database) =>
    ledgerOn(on, { now: () => new Date(Date.now() + milliseconds) }).steps.sweep()

  /** What there is before and after, and how many writes lie in between. */
  const played = async (scene: Scene) => {
    await set(scene)
    const before = await shown()
    const counting = killedAt(database, Number.POSITIVE_INFINITY, 'before')
    await asked(scene, ledgerOn(counting.database))
    return { before, after: await shown(), writes: counting.writes() }
  }

  /** Until nothing of it is left to do. */
  const asked = async ({ ask }: Scene, ledger: ReturnType<typeof ledgerOn>) => {
    await ask(ledger)
    await ledger.steps.tidy()
  }

  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

  /** Whether all of it has happened, or nothing, or both, where there was nothing to do; anything else is what there is now. */
  const happened = async ({ before, after }: Awaited<ReturnType<typeof played>>): Promise<unknown> => {
    const state = await shown()
    const whats = [...(isSame(state, after) ? ['all'] : []), ...(isSame(state, before) ? ['nothing'] : [])]
    return whats.length > 0 ? whats.join(' or ') : state
  }
  const allOrNothing = expect.stringMatching(/all|nothing/)
  const asAnswered = (asked: Promise<unknown>) =>
    asked.then(
      () => expect.stringMatching(/all/),
      () => expect.stringMatching(/nothing/),
    )

  /** What is left of it a day later, beside what it did. */
  const leftovers = async () => {
    const state = await shown()
    await sweptAfter(2 * day)
    return { steps: await all('steps'), marks: await marks(), changes: !isSame(state, await shown()) }
  }
  const none = { steps: [], marks: [], changes: false }

  describe.each(Object.entries(scenes))('a step by which %s', (_, scene) => {
    it('leaves nothing if no process dies', async () => {
      const both = await played(scene)
      expect({ steps: await all('steps'), marks: await marks() }).toEqual({ steps: [], marks: [] })
      expect(await leftovers()).toEqual(none)
      expect(await happened(both)).toMatch('all')
    })

    it.each(['before', 'amid'] as const)(
      'happens completely or not at all if its process dies %s any write',
      async (how) => {
        const both = await played(scene)
        for (let n = 1; n <= both.writes; n += 1) {
          await set(scene)
          await expect(asked(scene, ledgerOn(killedAt(database, n, how).database))).rejects.toThrow('Killed')
          await Promise.all([sweptAfter(minute), sweptAfter(minute)])
          expect([n, await happened(both)]).toEqual([n, allOrNothing])
          expect([n, await leftovers()]).toEqual([n, none])
        }
      },
    )

    it.each(['before', 'amid', 'after'] as const)('happens if the connection is cut %s any write', async (when) => {
      const both = await played(scene)
      for (let n = 1; n <= both.writes; n += 1) {
        await set(scene)
        await asked(scene, ledgerOn(cutAt(database, n, when)))
        expect([n, await happened(both)]).toEqual([n, expect.stringMatching(/all/)])
        expect([n, await leftovers()]).toEqual([n, none])
      }
    })

    it('happens once if any write arrives late, after it was repeated', async () => {
      const both = await played(scene)
      for (let n = 1; n <= both.writes; n += 1) {
        await set(scene)
        const { database: delayed, arrive } = delayedAt(database, n)
        await asked(scene, ledgerOn(delayed))
        await arrive()
        await sweptAfter(minute)
        expect([n, await happened(both)]).toEqual([n, expect.stringMatching(/all/)])
        expect([n, await leftovers()]).toEqual([n, none])
      }
    })

    it('happens once if its process is suspended before any write, considered dead, and continues', async () => {
      const both = await played(scene)
      for (let n = 1; n <= both.writes; n += 1) {
        await set(scene)
        const frozen = frozenAt(database, n, async () => {
          await sweptAfter(minute)
          await sweptAfter(2 * minute)
        })
        const answered = await asAnswered(asked(scene, ledgerOn(frozen)))
        await sweptAfter(minute)
        expect([n, await happened(both)]).toEqual([n, answered])
        expect([n, await leftovers()]).toEqual([n, none])
      }
    })

    it('happens once if two processes do it concurrently, each delayed before any write', async () => {
      const both = await played(scene)
      const any = fc.integer({ min: 1, max: both.writes })
      const property = fc.asyncProperty(any, any, async (n, m) => {
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
        const answered = await asAnswered(asked(scene, ledgerOn(process)))
        ended.open()
        await sweeping
        await sweptAfter(2 * minute)
        expect(await happened(both)).toEqual(answered)
        expect(await leftovers()).toEqual(none)
      })
      await fc.assert(property, { numRuns: 20 })
    })

    it('is completed by a live process, however many die', async () => {
      const both = await played(scene)
      const deaths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 })
      const property = fc.asyncProperty(fc.integer({ min: 1, max: both.writes }), deaths, async (first, others) => {
        await set(scene)
        await asked(scene, ledgerOn(killedAt(database, first, 'amid').database)).catch(() => undefined)
        for (const [times, n] of others.entries())
          await sweptAfter((times + 1) * minute, killedAt(database, n, 'amid').database).catch(() => undefined)
        await sweptAfter(10 * minute)
        expect(await happened(both)).toEqual(allOrNothing)
        expect(await leftovers()).toEqual(none)
      })
      await fc.assert(property, { numRuns: 10 })
    })
  })
})
