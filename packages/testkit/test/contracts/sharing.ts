import { aContact, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import {
  acceptance,
  at,
  claim,
  credit,
  dispatchId,
  expansion,
  ledgerOf,
  numbersOf,
  row,
  settlement,
} from './ledger/ledger-rows.js'
import { type ContractStore, freshStore, type MakeStore } from './under-test/store.js'

const later = new Date('2026-01-06T12:01:00.000Z')

/** What several processes on one store rely on. For stores that provide `another`. */
export const sharingContract = (name: string, make: MakeStore) => {
  describe(`${name}: two processes`, () => {
    const store = freshStore(async () => {
      const one = await make()
      const other = await one.another?.()
      return {
        both: other && ([one, other] as const),
        close: async () => {
          await other?.close()
          await one.close()
        },
      }
    })
    const both = (): readonly [ContractStore, ContractStore] => {
      const { both: found } = store()
      if (!found) throw new Error('The store brings no `another`; say so with without: ["processes"]')
      return found
    }
    /** Runs `turns` calls concurrently, alternating between the two processes. */
    const atOnce = <T>(turns: number, take: (store: ContractStore, turn: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: turns }, (_, turn) => take(both()[turn % 2 === 0 ? 0 : 1], turn)))

    it('read each other’s writes at once', async () => {
      const [one, other] = both()
      await one.repositories.contacts.add(aContact())
      expect(await other.repositories.contacts.get({ _id: numberedId(1) })).toStrictEqual(aContact())
      await other.repositories.contacts.remove({ _id: numberedId(1) })
      expect(await one.repositories.contacts.get({ _id: numberedId(1) })).toBeUndefined()
    })

    it('lose none of each other’s updates', async () => {
      await both()[0].repositories.contacts.add(aContact({ customFields: { n: 0 } }))
      await atOnce(30, ({ repositories: { contacts } }) =>
        contacts.change({ _id: numberedId(1) }, (one) => ({
          ...one,
          customFields: { n: Number(one.customFields.n) + 1 },
        })),
      )
      expect((await both()[1].repositories.contacts.get({ _id: numberedId(1) }))?.customFields.n).toBe(30)
    })

    it('never both get a unique key', async () => {
      const outcomes = await Promise.allSettled(
        both().map(({ repositories: { contacts } }, n) => contacts.add(aContact({ _id: numberedId(n) }))),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })

    it('never exceed a limit together', async () => {
      const refusals = await atOnce(20, ({ counters }) => counters.take([{ key: 'a', n: 1, limit: 7 }]))
      expect(refusals.filter((refused) => !refused)).toHaveLength(7)
      const parts = await atOnce(20, ({ counters }) => counters.takeUpTo({ key: 'b', n: 3, limit: 10 }, later))
      expect(parts.reduce((sum, n) => sum + n, 0)).toBe(10)
    })

    it('accept a dispatch and expand its page once', async () => {
      const [one] = both()
      await atOnce(4, ({ deliveries }) =>
        deliveries.accept({ ...acceptance([], { stage: 'expanding' }), takes: [{ key: credit, n: 5 }] }),
      )
      const page = expansion({ deliveries: [row(1), row(2)], refund: { key: credit, n: 3 } })
      const done = await atOnce(4, ({ deliveries }) => deliveries.expand(page))
      expect(done.filter((moved) => moved)).toHaveLength(1)
      expect(await one.counters.used(credit)).toBe(2)
      expect(numbersOf(await ledgerOf(one.deliveries))).toEqual([1, 2])
    })

    it('never claim the same delivery, and reclaim what the other lost', async () => {
      const [one, other] = both()
      await one.deliveries.accept(acceptance(Array.from({ length: 40 }, (_, n) => row(n + 1))))
      const shares = await atOnce(8, ({ deliveries }, turn) =>
        deliveries.claim(claim({ worker: `worker-${turn % 2}`, limit: 6 })),
      )
      const claimed = numbersOf(shares.flat())
      expect(new Set(claimed).size).toBe(40)
      await one.deliveries.settle(claimed.map((n) => settlement(n, { worker: 'worker-0' })))
      // The other process may see the outcome later, but must not reclaim the delivery.
      const { lost } = await other.deliveries.reclaim(at(61), at(61))
      const { sent } = (await other.deliveries.tally(dispatchId)).byStatus
      expect(lost).toBe(40 - sent)
      expect(sent).toBe(shares.filter((_, turn) => turn % 2 === 0).flat().length)
      expect(await one.deliveries.claim(claim({ worker: 'worker-0', now: at(62), limit: 50 }))).toHaveLength(40 - sent)
    })
  })
}
