import { numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import {
  acceptance,
  at,
  bulk,
  claim,
  credit,
  dispatchId,
  found,
  ledgerOf,
  numbersOf,
  row,
  rowId,
  settlement,
  statusOf,
  transactional,
} from './ledger-rows.js'

const error = { name: '451', message: 'Try later' }

/** How workers share the ledger, and how the work of dead workers continues. */
export const workingContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const used = () => store().counters.used(credit)
  const accept = (...rows: Parameters<typeof acceptance>[0]) => deliveries().accept(acceptance(rows))
  const claimed = async (given: Parameters<typeof claim>[0] = {}) => numbersOf(await deliveries().claim(claim(given)))

  describe('due queues', () => {
    it('are those with a delivery whose time has come, each once', async () => {
      expect(await deliveries().due(at(0))).toEqual([])
      const other = { lane: 'bulk', projectId: numberedId(0xbb) } as const
      await accept(row(1), row(2), row(3, transactional), row(4, other), row(5, { ...other, notBefore: at(9) }))
      const queues = await deliveries().due(at(0))
      expect(queues).toHaveLength(3)
      expect(queues).toEqual(expect.arrayContaining([bulk, transactional, other]))
    })

    it('exclude deliveries that wait, are claimed or have ended', async () => {
      await accept(row(1), row(2, { notBefore: at(10) }), row(3, { status: 'excluded', reason: 'paused' }))
      await claimed()
      expect(await deliveries().due(at(9))).toEqual([])
      expect(await deliveries().due(at(10))).toEqual([bulk])
    })
  })

  describe('the backlog', () => {
    const none = { queued: 0, sending: 0, uncertain: 0 }

    it('is zero in both lanes if nothing is queued', async () => {
      const empty = [
        { lane: 'transactional', ...none },
        { lane: 'bulk', ...none },
      ]
      expect(await deliveries().backlog()).toStrictEqual(empty)
      await accept(row(1, { status: 'sent' }), row(2, { status: 'failed', error }), row(3, { status: 'excluded' }))
      expect(await deliveries().backlog()).toStrictEqual(empty)
    })

    it('counts queued, sending and uncertain deliveries of all projects', async () => {
      await accept(
        row(1),
        row(2),
        row(3, { projectId: numberedId(0xbb) }),
        row(4, { ...transactional, notBefore: at(30) }),
        row(5, { status: 'uncertain', notBefore: at(-9) }),
        row(6, { ...transactional, status: 'uncertain' }),
      )
      expect(await claimed({ limit: 1 })).toEqual([1])
      expect(await deliveries().backlog()).toStrictEqual([
        { lane: 'transactional', queued: 1, sending: 0, uncertain: 1, oldest: at(30) },
        { lane: 'bulk', queued: 2, sending: 1, uncertain: 1, oldest: row(2).notBefore },
      ])
    })

    it('is as old as its oldest delivery of any project', async () => {
      await accept(row(1), row(2, { projectId: numberedId(0xbb), notBefore: at(-90) }), row(3, { notBefore: at(-20) }))
      const [, mails] = await deliveries().backlog()
      expect(mails?.oldest).toBe(at(-90))
    })
  })

  describe('a claim', () => {
    it('leases deliveries to the worker', async () => {
      await accept(row(1))
      const leased = { ...row(1), status: 'sending', worker: 'worker-1', leaseUntil: at(60), updatedAt: at(0) }
      expect(await deliveries().claim(claim())).toStrictEqual([leased])
      expect(await found(deliveries(), 1)).toStrictEqual(leased)
    })

    it('returns the longest due first, then by _id, up to its limit', async () => {
      await accept(row(3), row(1), row(4, { notBefore: at(-2) }), row(2, { notBefore: at(-1) }))
      expect(await claimed({ limit: 3 })).toEqual([4, 2, 1])
      expect(await claimed({ limit: 3 })).toEqual([3])
      expect(await claimed({ limit: 3 })).toEqual([])
    })

    it('excludes other lanes, other projects and deliveries not yet due', async () => {
      await accept(
        row(1, { notBefore: at(5) }),
        row(2, transactional),
        row(3, { projectId: numberedId(0xbb) }),
        row(4, { status: 'excluded', reason: 'suppressed' }),
      )
      expect(await claimed()).toEqual([])
      expect(await claimed({ now: at(5), leaseUntil: at(65) })).toEqual([1])
      expect(await claimed({ queue: transactional })).toEqual([2])
    })

    it('never shares a delivery with another claim', async () => {
      await accept(...Array.from({ length: 60 }, (_, n) => row(n + 1)))
      const shares = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((worker) => claimed({ worker, limit: 13 })))
      const all = shares.flat()
      expect(new Set(all).size).toBe(all.length)
      expect(all.length).toBe(60)
    })
  })

  describe('a lease', () => {
    it('is renewed for deliveries that the worker still holds', async () => {
      await accept(row(1), row(2), row(3))
      await claimed({ limit: 2 })
      await claimed({ worker: 'worker-2' })
      await deliveries().settle([settlement(2)])
      const ids = [rowId(1), rowId(2), rowId(3), rowId(4)]
      expect(await deliveries().renew(ids, 'worker-1', at(200))).toEqual([rowId(1)])
      expect((await deliveries().reclaim(at(100), at(100))).lost).toBe(1)
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'sending', leaseUntil: at(200) })
    })

    it('of no deliveries is renewed without a query', async () => {
      expect(await deliveries().renew([], 'worker-1', at(60))).toEqual([])
      await deliveries().settle([])
    })

    it('that expired makes the delivery uncertain until the grace period ends', async () => {
      await accept(row(1), row(2))
      await claimed({ limit: 1 })
      expect(await deliveries().reclaim(at(59), at(300))).toEqual({ lost: 0, queued: 0 })
      expect(await deliveries().reclaim(at(61), at(300))).toEqual({ lost: 1, queued: 0 })
      const lost = await found(deliveries(), 1)
      expect(lost).toMatchObject({ status: 'uncertain', notBefore: at(300) })
      expect(lost).not.toHaveProperty('worker')
      expect(lost).not.toHaveProperty('leaseUntil')
      expect(await claimed({ now: at(62), leaseUntil: at(122) })).toEqual([2])
      expect(await deliveries().reclaim(at(299), at(999))).toEqual({ lost: 1, queued: 0 })
      expect(await statusOf(deliveries(), 1)).toBe('uncertain')
      expect(await deliveries().reclaim(at(301), at(999))).toEqual({ lost: 0, queued: 1 })
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'queued', attempts: 1 })
      expect(await claimed({ now: at(302), leaseUntil: at(362) })).toEqual([1])
    })

    it('that expired is listed by dispatch, and can be requeued at once', async () => {
      await accept(row(1), row(2))
      const other = acceptance([{ ...row(1), _id: `${numberedId(0xee)}:1`, dispatchId: numberedId(0xee) }], {
        _id: numberedId(0xee),
      })
      await deliveries().accept(other)
      expect(await deliveries().dispatchesOfDeadLeases(at(61))).toEqual([])
      await claimed()
      expect(await deliveries().dispatchesOfDeadLeases(at(59))).toEqual([])
      expect((await deliveries().dispatchesOfDeadLeases(at(61))).toSorted()).toEqual(
        [dispatchId, numberedId(0xee)].sort(),
      )
      expect((await deliveries().reclaim(at(61), at(300), [numberedId(0xee)])).lost).toBe(3)
      expect(await deliveries().dispatchesOfDeadLeases(at(61))).toEqual([])
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'uncertain', notBefore: at(300), attempts: 1 })
      expect(await deliveries().get(`${numberedId(0xee)}:1`)).toMatchObject({ status: 'queued', attempts: 1 })
    })

    it('that expired without a grace period requeues the delivery as attempted', async () => {
      await accept(row(1))
      await claimed()
      expect((await deliveries().reclaim(at(61), at(61))).lost).toBe(1)
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'queued', attempts: 1 })
      expect(await claimed({ worker: 'worker-2', now: at(61), leaseUntil: at(121) })).toEqual([1])
    })
  })

  describe('a settlement', () => {
    it('stores a sent mail', async () => {
      await accept(row(1))
      await claimed()
      await deliveries().settle([settlement(1, { now: at(3) })])
      expect(await found(deliveries(), 1)).toStrictEqual({
        ...row(1),
        status: 'sent',
        attempts: 1,
        providerMessageId: 'message-1',
        sentAt: at(3),
        updatedAt: at(3),
      })
    })

    it('stores the rendered subject, and keeps it if a later one has none', async () => {
      await accept(row(1))
      await claimed()
      await deliveries().settle([settlement(1, { to: 'queued', notBefore: at(4), subject: 'Hello Ada' })])
      expect(await found(deliveries(), 1)).toMatchObject({ subject: 'Hello Ada' })
      await deliveries().claim(claim({ now: at(5) }))
      await deliveries().settle([settlement(1, { now: at(6) })])
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'sent', subject: 'Hello Ada' })
    })

    it('stores failed, deferred, excluded and unknown outcomes', async () => {
      await accept(row(1), row(2), row(3), row(4), row(5))
      await claimed()
      await deliveries().settle([
        settlement(1, { to: 'failed', error }),
        settlement(2, { to: 'queued', error, notBefore: at(60) }),
        settlement(3, { to: 'excluded', reason: 'unsubscribed', attempted: false }),
        settlement(4, { to: 'uncertain', error, notBefore: at(300) }),
        settlement(5, { to: 'queued', attempted: false }),
      ])
      const end = { updatedAt: at(1) }
      const rows = await ledgerOf(deliveries())
      expect(rows.toSorted((a, b) => (a._id < b._id ? -1 : 1))).toStrictEqual([
        { ...row(1), ...end, status: 'failed', attempts: 1, error },
        { ...row(2), ...end, status: 'queued', attempts: 1, error, notBefore: at(60) },
        { ...row(3), ...end, status: 'excluded', attempts: 0, reason: 'unsubscribed' },
        { ...row(4), ...end, status: 'uncertain', attempts: 1, error, notBefore: at(300) },
        { ...row(5), ...end, status: 'queued', attempts: 0 },
      ])
    })

    it('counts an attempt with an unknown outcome once, even if it is requeued', async () => {
      await accept(row(1))
      await claimed()
      await deliveries().settle([settlement(1, { to: 'uncertain', error, notBefore: at(10) })])
      expect((await deliveries().reclaim(at(11), at(11))).lost).toBe(0)
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'queued', attempts: 1, error })
    })

    it('keeps the error of an attempt until the next attempt', async () => {
      await accept(row(1))
      await claimed()
      await deliveries().settle([settlement(1, { to: 'queued', error, notBefore: at(2) })])
      await claimed({ now: at(2) })
      await deliveries().settle([settlement(1, { to: 'queued', attempted: false })])
      expect((await found(deliveries(), 1))?.error).toEqual(error)
      await claimed({ now: at(3) })
      await deliveries().settle([settlement(1)])
      expect(await found(deliveries(), 1)).not.toHaveProperty('error')
    })

    it('is ignored if the worker never held the delivery', async () => {
      await accept(row(1), row(2))
      await claimed({ limit: 1 })
      await deliveries().settle([settlement(1, { worker: 'worker-2' }), settlement(2), settlement(9)])
      expect(await statusOf(deliveries(), 1)).toBe('sending')
      expect(await statusOf(deliveries(), 2)).toBe('queued')
    })

    it('is stored after the lease expired if no other worker reclaimed the delivery', async () => {
      await accept(row(1))
      await claimed()
      await deliveries().settle([settlement(1, { now: at(500) })])
      expect(await statusOf(deliveries(), 1)).toBe('sent')
    })

    it('is ignored after a reclaim, and returns no credit', async () => {
      await accept(row(1), row(2))
      await claimed()
      await deliveries().reclaim(at(61), at(61))
      await claimed({ worker: 'worker-2', now: at(62), leaseUntil: at(122), limit: 1 })
      const late = { to: 'failed', error, refund: credit, now: at(63) } as const
      await deliveries().settle([settlement(1, late), settlement(2, late)])
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'sending', worker: 'worker-2' })
      expect(await statusOf(deliveries(), 2)).toBe('queued')
      expect(await used()).toBe(2)
    })

    it('returns one credit once, when it is stored', async () => {
      await accept(row(1), row(2), row(3))
      await claimed()
      const excluded = { to: 'excluded', reason: 'paused', refund: credit, attempted: false } as const
      await deliveries().settle([settlement(1, excluded), settlement(1, excluded)])
      await Promise.all([1, 2, 3].map(() => deliveries().settle([settlement(1, excluded), settlement(2, excluded)])))
      expect(await used()).toBe(1)
    })
  })

  describe('the provider’s report', () => {
    it('changes an uncertain delivery to sent, once', async () => {
      await accept(row(1), row(2))
      await claimed({ limit: 1 })
      await deliveries().reclaim(at(61), at(300))
      expect(await deliveries().report(rowId(1), 'message-1', at(70), [])).toBe(true)
      expect(await deliveries().report(rowId(1), 'message-2', at(71), [])).toBe(false)
      expect(await found(deliveries(), 1)).toMatchObject({
        status: 'sent',
        providerMessageId: 'message-1',
        sentAt: at(70),
        updatedAt: at(70),
      })
      await deliveries().reclaim(at(400), at(400))
      expect(await deliveries().tally(dispatchId)).toMatchObject({ byStatus: { sent: 1, queued: 1 } })
    })

    it('changes only uncertain deliveries', async () => {
      await accept(row(1), row(2))
      await claimed({ limit: 1 })
      expect(await deliveries().report(rowId(1), 'message-1', at(1), [])).toBe(false)
      expect(await deliveries().report(rowId(2), 'message-2', at(1), [])).toBe(false)
      expect(await deliveries().report(rowId(9), 'message-9', at(1), [])).toBe(false)
      expect(await statusOf(deliveries(), 1)).toBe('sending')
    })
  })
}
