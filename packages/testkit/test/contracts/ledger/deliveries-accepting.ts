import { aDispatch, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import {
  acceptance,
  at,
  claim,
  credit,
  dispatchId,
  expansion,
  found,
  ledgerOf,
  numbersOf,
  row,
  rowId,
  settlement,
  statusOf,
} from './ledger-rows.js'

/** Accepting dispatches and deliveries into the ledger. */
export const acceptingContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const dispatches = () => store().repositories.dispatches
  const used = () => store().counters.used(credit)

  describe('accepting', () => {
    it('stores the dispatch and its deliveries, and takes the credit', async () => {
      const one = acceptance([row(1)], { stage: 'single', data: { order: { total: '12 €' } } })
      expect(await deliveries().accept(one)).toEqual({ leased: [] })
      expect(await dispatches().get({ _id: dispatchId })).toStrictEqual(one.dispatch)
      expect(await ledgerOf(deliveries())).toStrictEqual([row(1)])
      expect(await used()).toBe(1)
    })

    it('does nothing if a take is refused, and returns that take', async () => {
      const refused = { key: 'day', n: 3, limit: 2 }
      const all = { ...acceptance([row(1)]), takes: [{ key: credit, n: 1, limit: 10 }, refused] }
      expect(await deliveries().accept(all)).toEqual({ refused, leased: [] })
      expect(await used()).toBe(0)
      expect(await dispatches().get({ _id: dispatchId })).toBeUndefined()
      expect(await ledgerOf(deliveries())).toEqual([])
      expect(await deliveries().open(dispatchId)).toBe(false)
    })

    it('happens once for repeated and concurrent calls', async () => {
      await Promise.all([1, 2, 3].map(() => deliveries().accept(acceptance([row(1), row(2)]))))
      const another = acceptance([row(1), row(2)], { errorMessage: 'another' })
      expect(await deliveries().accept(another)).toEqual({ leased: [] })
      expect(await used()).toBe(2)
      expect(await dispatches().get({ _id: dispatchId })).toStrictEqual(acceptance([]).dispatch)
      expect(numbersOf(await ledgerOf(deliveries()))).toEqual([1, 2])
    })

    it('changes nothing if it was accepted before, even if the credit is used up now', async () => {
      const all = { ...acceptance([row(1)]), takes: [{ key: credit, n: 1, limit: 1 }] }
      await deliveries().accept(all)
      expect(await deliveries().accept(all)).toEqual({ leased: [] })
      expect(await used()).toBe(1)
    })

    it('happens once for concurrent calls that take the last credit, and refuses none of them', async () => {
      const all = { ...acceptance([row(1)]), takes: [{ key: credit, n: 1, limit: 1 }] }
      expect(await Promise.all([1, 2, 3].map(() => deliveries().accept(all)))).toEqual([
        { leased: [] },
        { leased: [] },
        { leased: [] },
      ])
      expect(await used()).toBe(1)
    })

    it('never exceeds a limit under concurrency', async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) =>
          deliveries().accept({
            dispatch: aDispatch({ _id: numberedId(0xe0 + n), stage: 'single' }),
            deliveries: [row(n, { dispatchId: numberedId(0xe0 + n), _id: `${numberedId(0xe0 + n)}:${n}` })],
            takes: [{ key: credit, n: 1, limit: 4 }],
          }),
        ),
      )
      expect(answers.filter(({ refused }) => refused === undefined)).toHaveLength(4)
      expect(await used()).toBe(4)
      expect(await dispatches().removeAll({ stage: 'single' })).toBe(4)
    })
  })

  describe('accepting deliveries created leased', () => {
    const lease = { status: 'sending', worker: 'worker-1', leaseUntil: at(60) } as const

    it('returns the leased ones, which no other worker can claim or settle', async () => {
      expect(await deliveries().accept(acceptance([row(1, lease), row(2)]))).toEqual({ leased: [rowId(1)] })
      expect(await found(deliveries(), 1)).toStrictEqual(row(1, lease))
      expect(numbersOf(await deliveries().claim(claim({ worker: 'worker-2', now: at(2) })))).toEqual([2])
      await deliveries().settle([settlement(1, { worker: 'worker-2', now: at(3) })])
      expect(await statusOf(deliveries(), 1)).toBe('sending')
      await deliveries().settle([settlement(1, { now: at(3) })])
      expect(await statusOf(deliveries(), 1)).toBe('sent')
    })

    it('leases a delivery to one of several concurrent callers, and not to later ones', async () => {
      const by = (worker: string) => deliveries().accept(acceptance([row(1, { ...lease, worker })]))
      const answers = await Promise.all(['worker-1', 'worker-2', 'worker-3'].map(by))
      expect(answers.flatMap(({ leased }) => leased)).toEqual([rowId(1)])
      expect(await by('worker-4')).toEqual({ leased: [] })
      const owner = answers.findIndex(({ leased }) => leased.length > 0)
      expect(await found(deliveries(), 1)).toMatchObject({ worker: `worker-${owner + 1}` })
    })

    it('leases nothing if a take is refused', async () => {
      const all = { ...acceptance([row(1, lease)]), takes: [{ key: credit, n: 2, limit: 1 }] }
      expect(await deliveries().accept(all)).toMatchObject({ leased: [] })
      expect(await ledgerOf(deliveries())).toEqual([])
    })

    it('requeues them when the lease expires', async () => {
      await deliveries().accept(acceptance([row(1, lease)]))
      expect(await deliveries().renew([rowId(1)], 'worker-1', at(90))).toEqual([rowId(1)])
      expect((await deliveries().reclaim(at(91), at(91))).lost).toBe(1)
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'queued', attempts: 1 })
    })
  })

  describe('expanding a page', () => {
    const accept = (given = {}) => deliveries().accept(acceptance([], { stage: 'expanding', ...given }))

    it('adds its deliveries and moves the cursor', async () => {
      await accept({ creditsHeld: 5 })
      const page = [row(1), row(2, { status: 'excluded', reason: 'suppressed' })]
      expect(await deliveries().expand(expansion({ deliveries: page, cursor: numberedId(2), creditsHeld: 4 }))).toEqual(
        [],
      )
      expect(await ledgerOf(deliveries())).toStrictEqual(page)
      expect(await dispatches().get({ _id: dispatchId })).toMatchObject({
        cursor: numberedId(2),
        stage: 'expanding',
        creditsHeld: 4,
        progressAt: at(1),
        updatedAt: at(1),
      })
    })

    it('writes nothing if the cursor is elsewhere', async () => {
      await accept()
      await deliveries().expand(expansion({ deliveries: [row(1)], cursor: numberedId(1) }))
      const refund = { key: credit, n: 1 }
      await store().counters.take([refund])
      const late = expansion({ deliveries: [row(2)], cursor: numberedId(2), stage: 'sending', refund })
      expect(await deliveries().expand(late)).toBeUndefined()
      expect(await deliveries().expand({ ...late, after: numberedId(3) })).toBeUndefined()
      expect(await dispatches().get({ _id: dispatchId })).toMatchObject({ cursor: numberedId(1), stage: 'expanding' })
      expect(numbersOf(await ledgerOf(deliveries()))).toEqual([1])
      expect(await used()).toBe(1)
    })

    it('succeeds for one of several workers with the same page', async () => {
      await accept()
      const page = expansion({ deliveries: [row(1)], refund: { key: credit, n: 1 } })
      await store().counters.take([{ key: credit, n: 3 }])
      const answers = await Promise.all([1, 2, 3].map(() => deliveries().expand(page)))
      expect(answers.filter((done) => done)).toEqual([[]])
      expect(await used()).toBe(2)
    })

    it('skips recipients that the ledger already has', async () => {
      await accept()
      await deliveries().expand(expansion({ deliveries: [row(1, { notBefore: at(9) })], cursor: 'a' }))
      await deliveries().expand(expansion({ deliveries: [row(1), row(2)], after: 'a', cursor: 'b' }))
      expect(numbersOf(await ledgerOf(deliveries()))).toEqual([1, 2])
      expect((await found(deliveries(), 1))?.notBefore).toBe(at(9))
    })

    it('takes the page’s credit once for several workers', async () => {
      await accept()
      const takes = { key: credit, n: 2, limit: 3 }
      const page = expansion({ deliveries: [row(1), row(2)], takes })
      const answers = await Promise.all([1, 2, 3].map(() => deliveries().expand(page)))
      expect(answers.filter((done) => done)).toEqual([[]])
      expect(await used()).toBe(2)
    })

    it('writes nothing if the page’s credit is refused', async () => {
      await accept()
      const takes = { key: credit, n: 2, limit: 1 }
      expect(await deliveries().expand(expansion({ deliveries: [row(1), row(2)], takes }))).toBeUndefined()
      expect([await used(), await ledgerOf(deliveries())]).toEqual([0, []])
      expect(await dispatches().get({ _id: dispatchId })).toMatchObject({ stage: 'expanding' })
    })

    it('returns the held credit with the last page', async () => {
      await store().counters.take([{ key: credit, n: 5 }])
      await accept({ creditsHeld: 5 })
      const last = expansion({ deliveries: [row(1)], stage: 'sending', refund: { key: credit, n: 4 } })
      expect(await deliveries().expand(last)).toEqual([])
      expect(await used()).toBe(1)
      expect(await dispatches().get({ _id: dispatchId })).toMatchObject({ stage: 'sending', creditsHeld: 0 })
    })

    it('does nothing to a stopped, finished or unknown dispatch', async () => {
      expect(await deliveries().expand(expansion({ deliveries: [row(1)] }))).toBeUndefined()
      await accept()
      await dispatches().change({ _id: dispatchId }, (one) => ({ ...one, stage: 'stopped' }))
      expect(await deliveries().expand(expansion({ deliveries: [row(1)], stage: 'sending' }))).toBeUndefined()
      expect((await dispatches().get({ _id: dispatchId }))?.stage).toBe('stopped')
      expect(await ledgerOf(deliveries())).toEqual([])
    })

    it('adds leased deliveries, which no other worker can claim', async () => {
      await accept()
      const lease = { status: 'sending', worker: 'worker-1', leaseUntil: at(60) } as const
      const page = [row(1, lease), row(2), row(3, { status: 'excluded', reason: 'suppressed' }), row(4, lease)]
      const born = await deliveries().expand(expansion({ deliveries: page }))
      expect([...(born ?? [])].sort()).toEqual([rowId(1), rowId(4)])
      expect(await found(deliveries(), 1)).toStrictEqual(page[0])
      const claimed = await deliveries().claim(claim({ worker: 'worker-2', now: at(2) }))
      expect(numbersOf(claimed)).toEqual([2])
      await deliveries().settle([settlement(1, { now: at(3) }), settlement(4, { worker: 'worker-2' })])
      expect([await statusOf(deliveries(), 1), await statusOf(deliveries(), 4)]).toEqual(['sent', 'sending'])
      expect(await deliveries().renew([rowId(1), rowId(4)], 'worker-1', at(90))).toEqual([rowId(4)])
      expect((await deliveries().reclaim(at(91), at(91))).lost).toBe(2)
      expect(await found(deliveries(), 4)).toMatchObject({ status: 'queued', attempts: 1 })
    })

    it('does not return deliveries that existed before', async () => {
      await accept()
      const lease = { status: 'sending', worker: 'worker-1', leaseUntil: at(60) } as const
      await deliveries().expand(expansion({ deliveries: [row(1), row(2, lease)], cursor: 'a' }))
      const again = expansion({ deliveries: [row(1, lease), row(2, lease), row(3, lease)], after: 'a', cursor: 'b' })
      expect(await deliveries().expand(again)).toEqual([rowId(3)])
      expect(await statusOf(deliveries(), 1)).toBe('queued')
    })

    it('handles a page of a thousand', async () => {
      await accept()
      const page = Array.from({ length: 1000 }, (_, n) => row(n + 1))
      await deliveries().expand(expansion({ deliveries: page.toReversed(), cursor: numberedId(1000) }))
      expect(numbersOf(await ledgerOf(deliveries()))).toEqual(page.map((_, n) => n + 1))
    })
  })
}
