import { deliveryStatuses } from '@posthorn/core/ports/storage'
import { numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { acceptance, at, claim, dispatchId, ledgerOf, numbersOf, row } from './ledger-rows.js'

const [other, third] = [numberedId(0xd2), numberedId(0xd3)]

/** Removing finished dispatches and their deliveries. */
export const pruningContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const of = (_id: string, n: number, status: 'sent' | 'queued' = 'sent') =>
    row(n, { dispatchId: _id, _id: `${_id}:${n}`, status })
  const acceptOne = (_id: string, n: number, status?: 'sent' | 'queued') =>
    deliveries().accept({ ...acceptance([of(_id, n, status)], { _id, stage: 'single' }), takes: [] })

  describe('pruning', () => {
    it('removes deliveries with a final status only', async () => {
      await deliveries().accept(acceptance(deliveryStatuses.map((status, n) => row(n + 1, { status }))))
      expect(await deliveries().prune([dispatchId], 10)).toEqual({ removed: 3, gone: [] })
      expect((await ledgerOf(deliveries())).map(({ status }) => status)).toEqual(['queued', 'sending', 'uncertain'])
      expect(await deliveries().prune([dispatchId], 10)).toEqual({ removed: 0, gone: [] })
    })

    it('removes at most the given number, and returns the dispatches that are empty now', async () => {
      await deliveries().accept(acceptance([1, 2, 3].map((n) => row(n, { status: 'sent' }))))
      await acceptOne(other, 4)
      await acceptOne(third, 5)
      expect(await deliveries().prune([dispatchId], 2)).toEqual({ removed: 2, gone: [] })
      expect(await deliveries().prune([dispatchId, third], 5)).toEqual({ removed: 2, gone: [dispatchId, third] })
      expect(numbersOf(await ledgerOf(deliveries(), other))).toEqual([4])
      expect(await deliveries().prune([dispatchId, numberedId(0xd9)], 5)).toEqual({
        removed: 0,
        gone: [dispatchId, numberedId(0xd9)],
      })
      expect(await deliveries().prune([], 5)).toEqual({ removed: 0, gone: [] })
    })

    it('keeps deliveries changed since the given instant', async () => {
      await acceptOne(other, 1)
      await acceptOne(third, 2)
      const [{ updatedAt } = row(1)] = await ledgerOf(deliveries(), other)
      expect(await deliveries().prune([other, third], 5, updatedAt)).toEqual({ removed: 0, gone: [] })
      const later = new Date(Date.parse(updatedAt) + 1).toISOString()
      expect(await deliveries().prune([other, third], 5, later)).toEqual({ removed: 2, gone: [other, third] })
    })

    it('leaves no trace in queries', async () => {
      const [first] = [row(1, { status: 'sent', emailId: numberedId(0xe), opens: 1 })]
      await deliveries().accept(acceptance([first]))
      await deliveries().prune([dispatchId], 10)
      const where = { emailId: numberedId(0xe), projectId: first.projectId }
      const page = await deliveries().list({ where, by: 'createdAt', order: 'asc', skip: 0, limit: 10 })
      expect(page).toEqual({ items: [], count: 0 })
      expect(await deliveries().get(first._id)).toBeUndefined()
      const mark = { _id: first._id, mark: 'opens', now: at(1), counted: () => [] } as const
      expect(await deliveries().mark(mark)).toBeUndefined()
      expect((await store().dispatchResults.count([dispatchId])).byStatus.sent).toBe(0)
      expect((await deliveries().tally(dispatchId)).byStatus.sent).toBe(0)
      expect(await deliveries().open(dispatchId)).toBe(false)
    })

    it('keeps deliveries that a worker holds', async () => {
      await deliveries().accept(acceptance([row(1), row(2, { status: 'sent' })]))
      await deliveries().prune([dispatchId], 10)
      expect(numbersOf(await deliveries().claim(claim()))).toEqual([1])
    })
  })
}
