import type { Delivery, DispatchToAccept } from '@posthorn/core/ports/storage'
import { aDispatch, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { at, claim, credit, dispatchId, ledgerOf, numbersOf, row, transactional } from './ledger-rows.js'

const single = (n: number, limit: number | undefined, given: Partial<Delivery> = {}): DispatchToAccept => {
  const _id = numberedId(0xe00 + n)
  return {
    dispatch: aDispatch({ _id, stage: 'single', audience: { kind: 'address', email: `contact${n}@example.com` } }),
    deliveries: [row(n, { _id: `${_id}:${n}`, dispatchId: _id, lane: 'transactional', ...given })],
    takes: [{ key: credit, n: 1, limit }],
  }
}
const range = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

/** Many dispatches in one step, cancelling, and tags. */
export const togetherContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const used = () => store().counters.used(credit)
  const stored = () => store().repositories.dispatches.removeAll({ stage: 'single' })

  describe('accepting several dispatches in one step', () => {
    it('stores all with their deliveries, takes the credit, and returns what was created leased', async () => {
      const lease = { status: 'sending', worker: 'worker-1', leaseUntil: at(60) } as const
      const all = [single(1, undefined), single(2, undefined, lease), single(3, 10)]
      expect(await deliveries().acceptAll('batch', all)).toEqual([
        { leased: [] },
        { leased: [`${numberedId(0xe02)}:2`] },
        { leased: [] },
      ])
      expect(await used()).toBe(3)
      expect(numbersOf(await deliveries().claim(claim({ queue: transactional, now: at(1) })))).toEqual([1, 3])
      expect(await stored()).toBe(3)
    })

    it('accepts the first ones, as many as the limit permits', async () => {
      const answers = await deliveries().acceptAll(
        'batch',
        range(20).map((n) => single(n, 13)),
      )
      expect(answers.map(({ refused }) => refused?.key)).toEqual([
        ...range(13).map(() => undefined),
        ...range(7).map(() => credit),
      ])
      expect(await used()).toBe(13)
      expect(
        numbersOf(await deliveries().claim(claim({ queue: transactional, now: at(1), limit: 100 }))).toSorted(
          (a, b) => a - b,
        ),
      ).toEqual(range(13))
    })

    it('accepts each once, however often and by however many it is repeated', async () => {
      const all = range(10).map((n) => single(n, 10))
      await deliveries().acceptAll('batch', all.slice(0, 4))
      const answers = await Promise.all([1, 2, 3].map(() => deliveries().acceptAll('batch', all)))
      expect(answers.flat().every(({ refused }) => refused === undefined)).toBe(true)
      expect(await used()).toBe(10)
      expect(await stored()).toBe(10)
    })
  })

  describe('stopping a dispatch while a worker claims its deliveries', () => {
    it('gives each delivery to one of both, and returns the credit of the stopped ones', async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = numberedId(0xf00 + round)
        const rows = range(3).map((n) => row(n, { _id: `${id}:${n}`, dispatchId: id, lane: 'transactional' }))
        const dispatch = aDispatch({ _id: id, stage: 'single' })
        const before = await used()
        await deliveries().accept({ dispatch, deliveries: rows, takes: [{ key: credit, n: 3 }] })
        const [stopped, ...claimed] = await Promise.all([
          deliveries().stop(id, credit, at(2)),
          deliveries().claim(claim({ queue: transactional, now: at(1), limit: 2 })),
          deliveries().stop(id, credit, at(2)),
        ])
        const [taken, again] = claimed
        const ended = stopped + again
        expect(await used()).toBe(before + 3 - ended)
        expect((await deliveries().tally(id)).byStatus).toMatchObject({
          excluded: ended,
          sending: taken.length,
          queued: 3 - ended - taken.length,
        })
        await deliveries().stop(id, credit, at(3))
      }
    })
  })

  describe('tags', () => {
    it('come back with the delivery, and filter lists', async () => {
      const of = { emailId: numberedId(0x77), lane: 'transactional' } as const
      const rows = [
        row(1, { ...of, tags: ['receipt', 'shop "7" ä'] }),
        row(2, { ...of, tags: ['receipts'] }),
        row(3, { ...of }),
      ]
      await deliveries().accept({
        dispatch: aDispatch({ _id: dispatchId, stage: 'single' }),
        deliveries: rows,
        takes: [{ key: credit, n: 3 }],
      })
      expect(await ledgerOf(deliveries())).toStrictEqual(rows)
      const listed = async (tag: string) => {
        const where = { emailId: of.emailId, projectId: rows[0]?.projectId ?? '', tag }
        return numbersOf((await deliveries().list({ where, by: 'createdAt', order: 'asc', skip: 0, limit: 10 })).items)
      }
      expect([await listed('receipt'), await listed('shop "7" ä'), await listed('shop')]).toEqual([[1], [1], []])
    })
  })
}
