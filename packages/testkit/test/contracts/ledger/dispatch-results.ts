import {
  type Delivery,
  type DeliveryStatus,
  deliveryMarks,
  deliveryStatuses,
  mostListedFailures,
} from '@posthorn/core/ports/storage'
import { numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore, onFreshStore } from '../under-test/store.js'
import { acceptance, dispatchId, numbersOf, row } from './ledger-rows.js'

const noMarks = Object.fromEntries(deliveryMarks.map((mark) => [mark, { mails: 0, times: 0 }]))
const nothing = {
  byStatus: { queued: 0, sending: 0, uncertain: 0, sent: 0, failed: 0, excluded: 0 },
  excluded: {},
  failures: [],
  marks: noMarks,
}
const failed = (n: number, name: string, message: string) => row(n, { status: 'failed', error: { name, message } })

/** Every method of `DispatchResults`. */
export const dispatchResultsContract = (name: string, make: MakeStore, { runs = 30 }: ContractOptions = {}) => {
  describe(`${name}: results of dispatches`, () => {
    const store = freshStore(make)
    const results = () => store().dispatchResults
    const accept = (...rows: readonly Delivery[]) => store().deliveries.accept(acceptance(rows))
    /** Stores rows of another dispatch. */
    const acceptElsewhere = (_id: string, ...rows: readonly Delivery[]) => {
      const moved = rows.map((one) => ({ ...one, _id: one._id.replace(dispatchId, _id), dispatchId: _id }))
      return store().deliveries.accept({ ...acceptance(moved, { _id }), takes: [] })
    }

    it('are empty for no dispatch and for an unknown one', async () => {
      await accept(row(1))
      expect(await results().count([])).toStrictEqual(nothing)
      expect(await results().count([numberedId(0xd2)])).toStrictEqual(nothing)
      expect(await results().page({ dispatchId: numberedId(0xd2) }, undefined, 10)).toEqual([])
    })

    it('count by status, exclusion reason, error and mark', async () => {
      await accept(
        row(1),
        row(2, { status: 'sent', opens: 3, clicks: 1 }),
        row(3, { status: 'sent', opens: 1, bounced: 1, unsubscribed: 1 }),
        row(4, { status: 'excluded', reason: 'suppressed' }),
        row(5, { status: 'excluded', reason: 'paused' }),
        row(6, { status: 'excluded', reason: 'suppressed' }),
        failed(7, 'SmtpRefused', '550 Mailbox is gone'),
        failed(8, 'SmtpRefused', '554 No such user'),
        failed(10, 'SmtpRefused', '550 Mailbox is gone'),
        failed(9, 'RenderFailure', 'Division by zero'),
      )
      expect(await results().count([dispatchId])).toStrictEqual({
        byStatus: { queued: 1, sending: 0, uncertain: 0, sent: 2, failed: 4, excluded: 3 },
        excluded: { suppressed: 2, paused: 1 },
        failures: [
          { name: 'SmtpRefused', message: '550 Mailbox is gone', mails: 2 },
          { name: 'RenderFailure', message: 'Division by zero', mails: 1 },
          { name: 'SmtpRefused', message: '554 No such user', mails: 1 },
        ],
        marks: {
          ...noMarks,
          opens: { mails: 2, times: 4 },
          clicks: { mails: 1, times: 1 },
          bounced: { mails: 1, times: 1 },
          unsubscribed: { mails: 1, times: 1 },
        },
      })
    })

    it('ignore errors of mails that have not finally failed', async () => {
      const error = { name: '421', message: 'Later' }
      await accept(row(1, { error }), row(2, { status: 'sent', error }), row(3, { status: 'excluded', error }))
      expect((await results().count([dispatchId])).failures).toEqual([])
    })

    it('add up several dispatches, each once', async () => {
      await accept(row(1, { status: 'sent', opens: 1 }), failed(2, '550', 'a'))
      await acceptElsewhere(numberedId(0xd2), row(1, { status: 'sent', opens: 2 }), failed(2, '550', 'a'))
      await acceptElsewhere(numberedId(0xd3), row(1, { status: 'sent' }))
      const counts = await results().count([dispatchId, numberedId(0xd2), dispatchId])
      expect(counts.byStatus).toMatchObject({ sent: 2, failed: 2 })
      expect(counts.failures).toEqual([{ name: '550', message: 'a', mails: 2 }])
      expect(counts.marks.opens).toEqual({ mails: 2, times: 3 })
    })

    it('distinguish a dispatch from one whose id begins with its id', async () => {
      await accept(row(1, { status: 'sent' }))
      await acceptElsewhere(`${dispatchId}0`, row(2, { status: 'sent' }))
      expect((await results().count([dispatchId])).byStatus.sent).toBe(1)
      expect(numbersOf(await results().page({ dispatchId }, undefined, 10))).toEqual([1])
    })

    it('return a limited number of failure reasons, the most frequent first', async () => {
      const rows = Array.from({ length: mostListedFailures + 5 }, (_, n) =>
        failed(n + 1, `E${String(n).padStart(3, '0')}`, 'x'),
      )
      await accept(...rows, failed(900, 'E054', 'x'))
      const { failures, byStatus } = await results().count([dispatchId])
      expect(failures).toHaveLength(mostListedFailures)
      expect(failures.slice(0, 3).map(({ name: reason, mails }) => [reason, mails])).toEqual([
        ['E054', 2],
        ['E000', 1],
        ['E001', 1],
      ])
      expect(byStatus.failed).toBe(mostListedFailures + 6)
    })

    it('are paged in _id order from where the last page ended', async () => {
      const all = Array.from({ length: 250 }, (_, n) => row(n + 1, { status: n % 10 === 0 ? 'excluded' : 'sent' }))
      await accept(...all.toReversed())
      const walked = async (limit: number, status?: readonly DeliveryStatus[]) => {
        const seen: number[] = []
        for (let after: string | undefined; ; ) {
          const page = await results().page({ dispatchId, status }, after, limit)
          seen.push(...numbersOf(page))
          after = page.at(-1)?._id
          if (page.length < limit) return seen
        }
      }
      expect(await walked(100)).toEqual(all.map((_, n) => n + 1))
      expect(await walked(7, ['excluded'])).toEqual(all.flatMap((_, n) => (n % 10 === 0 ? [n + 1] : [])))
      expect(await walked(10, [])).toEqual([])
      expect(await results().page({ dispatchId }, undefined, 1)).toStrictEqual([all[0]])
    })

    it('equal what a walk through the deliveries counts', async () => {
      const times = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
      const any = fc.record({
        status: fc.constantFrom(...deliveryStatuses),
        name: fc.constantFrom('550', '421', 'é', '😀', '\uffee'),
        message: fc.constantFrom('a', 'b', '\uffee', '😀', ''),
        opens: times,
        clicks: times,
      })
      const property = fc.asyncProperty(fc.array(any, { maxLength: 30 }), (list) =>
        onFreshStore(make, async (fresh) => {
          const rows = list.map(({ status, name: error, message, opens, clicks }, n) =>
            row(n + 1, {
              status,
              ...(status === 'failed' && { error: { name: error, message } }),
              ...(status === 'excluded' && { reason: 'paused' }),
              ...(opens && { opens }),
              ...(clicks && { clicks }),
            }),
          )
          await fresh.deliveries.accept(acceptance(rows))
          const walked = await fresh.dispatchResults.page({ dispatchId }, undefined, 100)
          const counts = await fresh.dispatchResults.count([dispatchId])
          expect(walked).toHaveLength(list.length)
          for (const status of deliveryStatuses)
            expect(counts.byStatus[status]).toBe(walked.filter((one) => one.status === status).length)
          expect(counts.marks.opens.times).toBe(walked.reduce((sum, { opens = 0 }) => sum + opens, 0))
          expect(counts.marks.clicks.mails).toBe(walked.filter(({ clicks }) => clicks !== undefined).length)
          for (const { mails, ...reason } of counts.failures) {
            const isSame = ({ error }: Delivery) => error?.name === reason.name && error.message === reason.message
            expect(mails).toBe(walked.filter((one) => one.status === 'failed' && isSame(one)).length)
          }
          expect(counts.failures.reduce((sum, { mails }) => sum + mails, 0)).toBe(counts.byStatus.failed)
        }),
      )
      await fc.assert(property, { numRuns: runs })
    })
  })
}
