import {
  type Delivery,
  type DeliveryError,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  moveDispatch,
} from '@posthorn/core/ports/storage'
import { aDispatch, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import {
  acceptance,
  at,
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
} from './ledger-rows.js'

const error = { name: '550', message: 'No such user' }

/** Queries and changes of a whole dispatch. */
export const askingContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const used = () => store().counters.used(credit)
  const accept = (...rows: Parameters<typeof acceptance>[0]) => deliveries().accept(acceptance(rows))

  describe('the newest deliveries of a project', () => {
    const all = { createdAt: '9999', _id: '' }
    const walk = async (more: Partial<Parameters<ReturnType<typeof deliveries>['newest']>[0]> = {}) => {
      const { projectId } = row(1)
      const some = await deliveries().newest({ projectId, before: all, limit: 10, ...more })
      return some.map(({ _id }) => _id)
    }
    const fill = () =>
      accept(
        row(1, { createdAt: at(1) }),
        row(2, { createdAt: at(3), status: 'failed', error }),
        row(3, { createdAt: at(3) }),
        row(4, { createdAt: at(2), status: 'failed', error }),
        row(5, { createdAt: at(2), status: 'sent' }),
      )

    it('come by time and id, page by page, each once', async () => {
      await fill()
      const ids = [3, 2, 5, 4, 1].map(rowId)
      expect(await walk()).toEqual(ids)
      const pages: string[] = []
      for (let before = all; ; ) {
        const [one] = await deliveries().newest({ projectId: row(1).projectId, before, limit: 1 })
        if (!one) break
        pages.push(one._id)
        before = { createdAt: one.createdAt, _id: one._id }
      }
      expect(pages).toEqual(ids)
    })

    it('are those that failed, if asked for', async () => {
      await fill()
      expect(await walk({ failed: true })).toEqual([2, 4].map(rowId))
      expect(await walk({ failed: true, before: { createdAt: at(3), _id: rowId(2) } })).toEqual([rowId(4)])
    })

    it('are of a span of time, whose end is excluded', async () => {
      await fill()
      expect(await walk({ from: at(2), before: { createdAt: at(3), _id: '' } })).toEqual([5, 4].map(rowId))
    })

    it('are of no other project', async () => {
      await fill()
      expect(await walk({ projectId: numberedId(0xbb) })).toEqual([])
    })
  })

  describe('a dispatch', () => {
    it.each(deliveryStatuses)('with a delivery that is %s is open only if that status is not final', async (status) => {
      await accept(row(1, { status }), row(2, { status: 'sent' }))
      const open: readonly DeliveryStatus[] = ['queued', 'sending', 'uncertain']
      expect(await deliveries().open(dispatchId)).toBe(open.includes(status))
    })

    it('has untried deliveries until each was attempted', async () => {
      const tried = { attempts: 1, error }
      await accept(row(1, tried), row(2, { ...tried, status: 'uncertain' }), row(3, { status: 'excluded' }))
      expect(await deliveries().untried(dispatchId)).toBe(false)
      expect(await deliveries().untried(numberedId(0xd2))).toBe(false)
      const untried: readonly Partial<Delivery>[] = [
        { status: 'sending', worker: 'worker-1', leaseUntil: at(60) },
        { attempts: 1 },
        { attempts: 0, error },
      ]
      for (const [index, given] of untried.entries()) {
        const _id = numberedId(0xd4 + index)
        const one = row(4, { _id: `${_id}:4`, dispatchId: _id, ...given })
        await deliveries().accept({ ...acceptance([one], { _id }), takes: [] })
        expect({ given, untried: await deliveries().untried(_id) }).toEqual({ given, untried: true })
      }
    })

    it('stores its channel', async () => {
      const channel = { account: 'project', projectId: numberedId(0xb), region: 'eu-west-1' } as const
      await deliveries().accept(acceptance([], { channel }))
      expect((await store().repositories.dispatches.get({ _id: dispatchId }))?.channel).toStrictEqual(channel)
    })

    it('is counted by status, and its exclusions by reason', async () => {
      await accept(
        row(1),
        row(2, { status: 'sent' }),
        row(3, { status: 'sent' }),
        row(4, { status: 'excluded', reason: 'suppressed' }),
        row(5, { status: 'excluded', reason: 'paused' }),
        row(6, { status: 'excluded', reason: 'suppressed' }),
        row(7, { status: 'failed', error }),
      )
      expect(await deliveries().tally(dispatchId)).toStrictEqual({
        byStatus: { queued: 1, sending: 0, uncertain: 0, sent: 2, failed: 1, excluded: 3 },
        excluded: { suppressed: 2, paused: 1 },
      })
    })

    it('is empty and closed if it is unknown', async () => {
      await accept(row(1))
      const other = numberedId(0xd2)
      expect(await deliveries().tally(other)).toStrictEqual({
        byStatus: { queued: 0, sending: 0, uncertain: 0, sent: 0, failed: 0, excluded: 0 },
        excluded: {},
      })
      expect(await deliveries().open(other)).toBe(false)
      expect(await ledgerOf(deliveries(), other)).toEqual([])
    })

    it('is distinguished from one whose id begins with its id', async () => {
      const longer = `${dispatchId}0`
      await accept(row(1))
      await deliveries().accept({
        dispatch: aDispatch({ _id: longer }),
        deliveries: [row(2, { dispatchId: longer, _id: `${longer}:2` })],
        takes: [],
      })
      expect(numbersOf(await ledgerOf(deliveries()))).toEqual([1])
      expect((await deliveries().tally(longer)).byStatus.queued).toBe(1)
    })

    it('is walked by status in _id order, beyond any page size', async () => {
      const all = Array.from({ length: 1203 }, (_, n) =>
        row(n + 1, { status: n % 400 === 0 ? 'failed' : 'sent', ...(n % 400 === 0 && { error }) }),
      )
      await accept(...all.toReversed())
      const numbers = async (status: DeliveryStatus) => {
        const seen: number[] = []
        for await (const one of deliveries().each(dispatchId, status)) seen.push(...numbersOf([one]))
        return seen
      }
      expect(await numbers('failed')).toEqual([1, 401, 801, 1201])
      expect(await numbers('sent')).toEqual(all.flatMap((one, n) => (one.status === 'sent' ? [n + 1] : [])))
      expect(await numbers('queued')).toEqual([])
    })
  })

  describe('stopping with an error', () => {
    it('fails its queued deliveries and returns their credit; they can be retried', async () => {
      await accept(row(1), row(2), row(3, { status: 'sent' }))
      expect(await deliveries().stop(dispatchId, credit, at(5), error)).toBe(2)
      expect(await deliveries().stop(dispatchId, credit, at(6), error)).toBe(0)
      expect(await found(deliveries(), 1)).toStrictEqual(row(1, { status: 'failed', error, updatedAt: at(5) }))
      expect((await deliveries().tally(dispatchId)).byStatus).toMatchObject({ failed: 2, sent: 1, excluded: 0 })
      expect(await used()).toBe(1)
      expect(await deliveries().due(at(100))).toEqual([])
      expect(await deliveries().retryFailed({ dispatchId, credit: { key: credit }, now: at(60) })).toEqual({ again: 2 })
    })
  })

  describe('stopping', () => {
    it('excludes queued deliveries, returns their credit, and keeps the others', async () => {
      await accept(row(1), row(2), row(3, { notBefore: at(60) }), row(4, { status: 'sent' }))
      await deliveries().claim(claim({ limit: 1 }))
      expect(await deliveries().stop(dispatchId, credit, at(5))).toBe(2)
      expect(await found(deliveries(), 3)).toStrictEqual({
        ...row(3, { notBefore: at(60) }),
        status: 'excluded',
        reason: 'stopped',
        updatedAt: at(5),
      })
      expect((await deliveries().tally(dispatchId)).byStatus).toMatchObject({ sending: 1, sent: 1, excluded: 2 })
      expect(await used()).toBe(2)
    })

    it('fails queued deliveries if an error is given, and returns their credit', async () => {
      await accept(row(1), row(2, { status: 'sent' }))
      expect(await deliveries().stop(dispatchId, credit, at(5), error)).toBe(1)
      expect(await found(deliveries(), 1)).toStrictEqual({ ...row(1), status: 'failed', error, updatedAt: at(5) })
      expect(await statusOf(deliveries(), 2)).toBe('sent')
      expect(await used()).toBe(1)
    })

    it('happens once under concurrency', async () => {
      await accept(row(1), row(2))
      const stopped = await Promise.all([1, 2, 3].map(() => deliveries().stop(dispatchId, credit, at(5))))
      expect(stopped.toSorted((a, b) => a - b)).toEqual([0, 0, 2])
      expect(await used()).toBe(0)
      expect(await deliveries().due(at(100))).toEqual([])
    })

    it('returns each credit once while deliveries are claimed and settled', async () => {
      await accept(...Array.from({ length: 20 }, (_, n) => row(n + 1)))
      const [claimed] = await Promise.all([
        deliveries().claim(claim()),
        deliveries().stop(dispatchId, credit, at(5)),
        deliveries().stop(dispatchId, credit, at(5)),
      ])
      await deliveries().settle(
        numbersOf(claimed).map((n) => settlement(n, { to: 'excluded', reason: 'paused', refund: credit })),
      )
      expect(await used()).toBe(0)
      expect((await deliveries().tally(dispatchId)).byStatus.excluded).toBe(20)
    })
  })

  describe('retrying failed deliveries', () => {
    const retry = (limit?: number) =>
      deliveries().retryFailed({ dispatchId, credit: { key: credit, limit }, now: at(60) })
    const failed = (n: number) => row(n, { status: 'failed', attempts: 8, error })

    it('queues them again with their attempts, and changes no others', async () => {
      await accept(failed(1), row(2, { status: 'sent' }), row(3, { status: 'excluded', reason: 'paused' }))
      expect(await retry()).toEqual({ again: 1 })
      expect(await found(deliveries(), 1)).toMatchObject({ status: 'queued', attempts: 0, notBefore: at(60) })
      expect((await deliveries().tally(dispatchId)).byStatus).toMatchObject({ queued: 1, sent: 1, excluded: 1 })
      expect(numbersOf(await deliveries().claim(claim({ now: at(60), leaseUntil: at(120) })))).toEqual([1])
      expect(await retry()).toEqual({ again: 0 })
    })

    it('queues only those that failed for a given reason', async () => {
      const full = { name: '552', message: 'Mailbox “Ümlaut” is full\n\u2028' }
      await accept(failed(1), row(2, { status: 'failed', attempts: 8, error: full }), row(3, { status: 'failed' }))
      const before = await used()
      const retryFor = (...reasons: DeliveryError[]) =>
        deliveries().retryFailed({ dispatchId, credit: { key: credit }, reasons, now: at(60) })
      expect(await retryFor()).toEqual({ again: 0 })
      expect(await retryFor({ ...full, name: error.name }, { ...error, message: full.message })).toEqual({ again: 0 })
      expect(await retryFor(full, { name: '550', message: 'Other' })).toEqual({ again: 1 })
      expect(await Promise.all([1, 2, 3].map((n) => statusOf(deliveries(), n)))).toEqual(['failed', 'queued', 'failed'])
      expect((await used()) - before).toBe(1)
    })

    it('queues only the given one, and only if it failed', async () => {
      await accept(failed(1), failed(2), row(3, { status: 'sent' }))
      const retryOne = (n: number, reasons?: readonly DeliveryError[]) =>
        deliveries().retryFailed({
          dispatchId,
          credit: { key: credit },
          deliveryId: rowId(n),
          reasons,
          now: at(60),
        })
      expect(await retryOne(3)).toEqual({ again: 0 })
      expect(await retryOne(2, [{ name: '550', message: 'Other' }])).toEqual({ again: 0 })
      expect(await retryOne(2, [error])).toEqual({ again: 1 })
      expect(await Promise.all([1, 2, 3].map((n) => statusOf(deliveries(), n)))).toEqual(['failed', 'queued', 'sent'])
    })

    it('takes one credit each under concurrency', async () => {
      await accept(...Array.from({ length: 30 }, (_, n) => failed(n + 1)))
      const before = await used()
      const retried = await Promise.all([retry(), retry(), retry()])
      expect(retried.reduce((sum, { again }) => sum + again, 0)).toBe(30)
      expect((await used()) - before).toBe(30)
    })

    it('takes and changes nothing without enough credit', async () => {
      await accept(failed(1), failed(2))
      await finish()
      const before = await used()
      expect(await retry(before + 1)).toMatchObject({ again: 0, refused: { key: credit, n: 2 } })
      expect(await used()).toBe(before)
      expect((await deliveries().tally(dispatchId)).byStatus).toMatchObject({ failed: 2, queued: 0 })
      expect(await stage()).toEqual(['finished', at(50)])
    })

    it('resumes a finished dispatch, and not a stopped one', async () => {
      await accept(failed(1))
      await finish()
      await retry()
      expect(await stage()).toEqual(['sending', undefined])
      await deliveries().claim(claim({ now: at(60), leaseUntil: at(120) }))
      await deliveries().settle([settlement(1, { to: 'failed', error })])
      await dispatches().change({ _id: dispatchId }, (one) => moveDispatch(one, 'stop', at(70)))
      expect(await retry()).toEqual({ again: 0 })
      expect(await stage()).toEqual(['stopped', at(70)])
    })

    it.each(['expanding', 'sending'] as const)(
      'resumes a dispatch that its channel stopped in stage %s',
      async (resumes) => {
        await accept(failed(1))
        const halt = (one: Dispatch) =>
          moveDispatch({ ...one, resumes, stopError: error, errorMessage: 'No role' }, 'stop', at(50))
        await dispatches().change({ _id: dispatchId }, halt)
        expect(await retry()).toEqual({ again: 1 })
        expect(await stage()).toEqual([resumes, undefined])
        const dispatch = await dispatches().get({ _id: dispatchId })
        expect(dispatch).toMatchObject({ progressAt: at(60), updatedAt: at(60) })
        expect(dispatch).not.toHaveProperty('resumes')
        expect(dispatch).not.toHaveProperty('errorMessage')
        expect(dispatch).not.toHaveProperty('stopError')
        expect(await statusOf(deliveries(), 1)).toBe('queued')
      },
    )

    const dispatches = () => store().repositories.dispatches
    const finish = () => dispatches().change({ _id: dispatchId }, (one) => moveDispatch(one, 'finish', at(50)))
    const stage = async () => {
      const dispatch = await dispatches().get({ _id: dispatchId })
      return [dispatch?.stage, dispatch?.finishedAt]
    }
  })
}
