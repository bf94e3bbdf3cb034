import type { WebhookDelivery, WebhookRef } from '@posthorn/core/ports/storage'
import { aWebhookDelivery, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore, onFreshStore } from './under-test/store.js'

const start = Date.parse('2026-01-06T12:00:00.000Z')
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()
const projectId = numberedId(0xb)
const other = numberedId(0xbb)

const webhook = { projectId, webhookId: numberedId(0xaa) }
const another = { projectId, webhookId: numberedId(0xab) }
const elsewhere = { projectId: other, webhookId: numberedId(0xac) }

const post = (n: number, given: Partial<WebhookDelivery> = {}) =>
  aWebhookDelivery({ _id: numberedId(n), eventId: `event ${n}`, createdAt: at(n), nextAt: at(n), ...webhook, ...given })

const numberOf = ({ _id }: { readonly _id: string }) => Number.parseInt(_id, 16)

/** Every method of `WebhookOutbox`. */
export const webhookOutboxContract = (name: string, make: MakeStore, { runs = 30 }: ContractOptions = {}) => {
  describe(`${name}: the outbox of webhooks`, () => {
    const store = freshStore(make)
    const outbox = () => store().webhookOutbox
    const stored = async (n: number) => store().repositories.webhookDeliveries.get({ _id: numberedId(n) })
    const there = async (): Promise<readonly number[]> => {
      const sort = { by: '_id', order: 'asc' } as const
      const { items } = await store().repositories.webhookDeliveries.list({ where: {}, sort, skip: 0, limit: 100 })
      return items.map(numberOf)
    }
    const claim = (
      worker: string,
      now: string,
      given: { readonly limit?: number; readonly until?: string; readonly of?: WebhookRef } = {},
    ) => {
      const { limit = 10, until = at(1_000), of = webhook } = given
      return outbox().claim({ ...of, worker, now, leaseUntil: until, limit })
    }

    it('adds an event once, whatever else is added with it', async () => {
      await outbox().add([])
      await outbox().add([post(1), post(2)])
      await outbox().add([post(3), post(4, { eventId: 'event 1' }), post(2), post(5, { eventId: 'event 3' })])
      await outbox().add([post(6, { eventId: 'event 1', ...elsewhere }), post(7, { eventId: 'event 1', ...another })])
      await outbox().add([post(8, { eventId: 'event 1', ...another })])
      expect(await there()).toEqual([1, 2, 3, 6, 7])
      expect(await stored(1)).toStrictEqual(post(1))
    })

    it('names exactly the webhooks with due events', async () => {
      expect(await outbox().due(at(0))).toEqual([])
      await outbox().add([post(1), post(5), post(2, { ...elsewhere, nextAt: at(100) }), post(4, another)])
      await outbox().add([post(3, { webhookId: numberedId(0xad), state: 'delivered' })])
      expect(await outbox().due(at(0))).toEqual([])
      expect(await outbox().due(at(1))).toEqual([webhook])
      expect(await outbox().due(at(4))).toEqual([webhook, another])
      expect(await outbox().due(at(100))).toEqual([webhook, another, elsewhere])
    })

    it('claims the events of one webhook, whatever waits for others', async () => {
      await outbox().add([post(1), post(2, { eventId: 'event 1', ...another }), post(3, another), post(4, elsewhere)])
      expect((await claim('a', at(5), { of: another })).map(numberOf)).toEqual([2, 3])
      expect(await claim('a', at(5), { of: { ...another, projectId: other } })).toEqual([])
      expect(await outbox().due(at(5))).toEqual([webhook, elsewhere])
      expect((await claim('a', at(5))).map(numberOf)).toEqual([1])
    })

    it('finds the events about a mail', async () => {
      const deliveryId = `${numberedId(0xd1)}:ada@example.com`
      await outbox().add([post(1, { deliveryId }), post(2), post(3, { deliveryId, ...another })])
      await outbox().add([post(4, { deliveryId, ...elsewhere }), post(5, { deliveryId: `${deliveryId}.org` })])
      const where = { projectId, deliveryId }
      const sort = { by: '_id', order: 'asc' } as const
      const { items } = await store().repositories.webhookDeliveries.list({ where, sort, skip: 0, limit: 10 })
      expect(items.map(numberOf)).toEqual([1, 3])
    })

    it('claims due events, the longest due first, with their lease', async () => {
      await outbox().add([post(4), post(1, { nextAt: at(3) }), post(2), post(9)])
      await outbox().add([post(3, elsewhere), post(5, { state: 'given-up' })])
      const claimed = await claim('a', at(4))
      expect(claimed.map(numberOf)).toEqual([2, 1, 4])
      const taken = { attempts: 1, worker: 'a', nextAt: at(1_000), updatedAt: at(4) }
      expect(claimed[0]).toStrictEqual({ ...post(2), ...taken })
      expect(await stored(2)).toStrictEqual({ ...post(2), ...taken })
      expect(await outbox().due(at(5))).toEqual([elsewhere])
    })

    it('claims up to the limit, and nothing twice before the lease expires', async () => {
      await outbox().add([1, 2, 3].map((n) => post(n)))
      expect((await claim('a', at(5), { limit: 2 })).map(numberOf)).toEqual([1, 2])
      expect((await claim('b', at(5))).map(numberOf)).toEqual([3])
      expect(await claim('b', at(999))).toEqual([])
      const again = await claim('b', at(1_000), { until: at(2_000) })
      expect(again.map(({ attempts, worker }) => [attempts, worker])).toEqual([
        [2, 'b'],
        [2, 'b'],
        [2, 'b'],
      ])
    })

    it('gives each event to one of many concurrent claims', async () => {
      await outbox().add(Array.from({ length: 60 }, (_, n) => post(n + 1)))
      const claims = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => claim(worker, at(100), { limit: 25 })))
      const all = claims.flat().map(numberOf)
      expect(new Set(all).size).toBe(all.length)
      expect(all.length).toBeGreaterThan(0)
    })

    it('stores the outcomes of all events', async () => {
      await outbox().add([1, 2, 3].map((n) => post(n)))
      const [one, two, three] = (await claim('a', at(5))) as [WebhookDelivery, WebhookDelivery, WebhookDelivery]
      const delivered = { ...one, state: 'delivered', log: [{ at: at(6), status: 200 }], updatedAt: at(6) } as const
      const { worker: _, ...free } = two
      const later = { ...free, nextAt: at(50), log: [{ at: at(6), reason: 'it took too long' }] } as const
      const gone = { ...three, state: 'given-up', reason: 'The webhook was removed' } as const
      await outbox().settle([
        { claimed: one, became: delivered },
        { claimed: two, became: later },
        { claimed: three, became: gone },
      ])
      await outbox().settle([])
      expect([await stored(1), await stored(2), await stored(3)]).toStrictEqual([delivered, later, gone])
      expect((await claim('b', at(50), { until: at(2_000) })).map(numberOf)).toEqual([2])
    })

    it('ignores late outcomes, and those of removed events', async () => {
      await outbox().add([post(1), post(2)])
      const [one, two] = (await claim('a', at(5), { until: at(10) })) as [WebhookDelivery, WebhookDelivery]
      await store().repositories.webhookDeliveries.remove({ _id: two._id })
      const [again] = await claim('b', at(10), { until: at(20) })
      const became = { state: 'delivered' } as const
      await outbox().settle([
        { claimed: one, became: { ...one, ...became } },
        { claimed: two, became: { ...two, ...became } },
      ])
      expect(await stored(1)).toStrictEqual(again)
      expect(await there()).toEqual([1])
    })

    it('prunes old events that do not wait', async () => {
      await outbox().add([
        post(1, { state: 'delivered' }),
        post(2),
        post(3, { state: 'given-up' }),
        post(4, { state: 'delivered' }),
      ])
      expect(await outbox().prune(at(4))).toBe(2)
      expect(await there()).toEqual([2, 4])
    })

    it('trims a webhook to its newest events, and keeps those that wait', async () => {
      const state = 'delivered'
      await outbox().add([1, 3, 4, 5, 6].map((n) => post(n, { state })))
      await outbox().add([post(2), post(7, { state, ...another }), post(8, { state, createdAt: at(5) })])
      expect(await outbox().trim(webhook, 100)).toBe(0)
      expect(await outbox().trim(webhook, 2)).toBe(4)
      expect(await there()).toEqual([2, 6, 7, 8])
    })

    it('gives no event to two claims and loses none, for any sequence of calls', async () => {
      const action = fc.oneof(
        fc.record({ verb: fc.constant('add' as const), n: fc.integer({ min: 1, max: 8 }) }),
        fc.record({
          verb: fc.constant('claim' as const),
          worker: fc.constantFrom('a', 'b'),
          limit: fc.constantFrom(1, 3),
        }),
        fc.record({ verb: fc.constant('deliver' as const), worker: fc.constantFrom('a', 'b') }),
        fc.record({ verb: fc.constant('pass' as const) }),
      )
      const property = fc.asyncProperty(fc.array(action, { maxLength: 25 }), (actions) =>
        onFreshStore(make, async (fresh) => {
          const added = new Set<number>()
          const owners = new Map<number, { readonly worker: string; readonly until: number }>()
          const delivered = new Set<number>()
          /** Deliveries that were claimed while another lease was valid, or whose settlement by the valid lease was lost. */
          const wrong: number[] = []
          const held: Record<string, WebhookDelivery[]> = { a: [], b: [] }
          let time = 10
          for (const one of actions)
            if (one.verb === 'pass') time += 20
            else if (one.verb === 'add') {
              await fresh.webhookOutbox.add([post(one.n)])
              added.add(one.n)
            } else if (one.verb === 'claim') {
              const { worker, limit } = one
              const times = { now: at(time), leaseUntil: at(time + 20) }
              const got = await fresh.webhookOutbox.claim({ ...webhook, worker, limit, ...times })
              const free = [...added].filter((n) => !delivered.has(n) && (owners.get(n)?.until ?? 0) <= time)
              wrong.push(...got.map(numberOf).filter((n) => !free.includes(n)))
              if (got.length !== Math.min(limit, free.length)) wrong.push(got.length)
              for (const claimed of got) owners.set(numberOf(claimed), { worker, until: time + 20 })
              held[worker]?.push(...got)
            } else {
              const mine = held[one.worker]?.splice(0) ?? []
              await fresh.webhookOutbox.settle(
                mine.map((claimed) => ({ claimed, became: { ...claimed, state: 'delivered' } })),
              )
              for (const claimed of mine) {
                const now = await fresh.repositories.webhookDeliveries.get({ _id: claimed._id })
                if (now?.state === 'delivered') delivered.add(numberOf(claimed))
                else if (at(owners.get(numberOf(claimed))?.until ?? 0) === claimed.nextAt) wrong.push(numberOf(claimed))
              }
            }
          expect(wrong).toEqual([])
        }),
      )
      await fc.assert(property, { numRuns: runs })
    })
  })
}
