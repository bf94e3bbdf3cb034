import {
  type DeliveryQuery,
  type DeliveryWhere,
  deliveryMarks,
  type FigureKey,
  mostDeliveryMarkNames,
  mostHappeningsKept,
  mostIdempotentFigureCounts,
  quarterHourOf,
} from '@posthorn/core/ports/storage'
import { aContact, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ContractStore } from '../under-test/store.js'
import { acceptance, at, bulk, claim, found, numbersOf, row, rowId, settlement } from './ledger-rows.js'

const { projectId } = bulk
const emailId = numberedId(0xe1)
const counted: readonly FigureKey[] = [{ subject: 'email:a', metric: 'sent' }]

/** Marks on sent mails, and the figures that grow with them. */
export const marksContract = (store: () => ContractStore) => {
  const deliveries = () => store().deliveries
  const totals = () => store().figures.totals('email:a', {})
  const accept = (...rows: Parameters<typeof acceptance>[0]) => deliveries().accept(acceptance(rows))

  const ask = async (where: Partial<DeliveryWhere> = {}, rest: Partial<DeliveryQuery> = {}) => {
    const query: DeliveryQuery = {
      where: { emailId, projectId, ...where },
      by: 'createdAt',
      order: 'asc',
      skip: 0,
      limit: 10,
      ...rest,
    }
    const { items, count } = await deliveries().list(query)
    return { numbers: numbersOf(items), count }
  }

  describe('an outcome', () => {
    it('is counted when it is stored, and only then', async () => {
      await accept(row(1), row(2))
      await deliveries().claim(claim())
      await deliveries().settle([settlement(1, { counted }), settlement(2, { counted, worker: 'another' })])
      await deliveries().settle([settlement(1, { counted })])
      expect(await totals()).toEqual({ sent: 1 })
    })

    it('that the provider reports is counted once', async () => {
      await accept(row(1, { status: 'uncertain' }))
      await deliveries().report(rowId(1), 'message-1', at(1), counted)
      await deliveries().report(rowId(1), 'message-1', at(1), counted)
      expect(await totals()).toEqual({ sent: 1 })
    })
  })

  describe('a mail rejected after acceptance', () => {
    it('fails and is no longer counted as sent; once', async () => {
      const error = { name: 'Reject', message: 'Bad content' }
      await accept(row(1))
      await deliveries().claim(claim())
      await deliveries().settle([settlement(1, { counted, now: at(1) })])
      const reject = () =>
        deliveries().reject(rowId(1), error, at(9), [
          { subject: 'email:a', metric: 'sent', slot: quarterHourOf(at(1)), n: -1 },
          { subject: 'email:a', metric: 'failed', slot: quarterHourOf(at(9)), n: 1 },
        ])
      expect([await reject(), await reject()]).toEqual([true, false])
      const { sent = 0, failed } = await totals()
      expect([sent, failed]).toEqual([0, 1])
      const { status, error: told, sentAt } = (await found(deliveries(), 1)) ?? {}
      expect([status, told, sentAt]).toEqual(['failed', error, undefined])
    })
  })

  describe('the contact’s last receive date', () => {
    it('is stored with the outcome, and never moves back', async () => {
      const { contacts } = store().repositories
      const contact = aContact({ _id: numberedId(1), email: row(1).email })
      await contacts.add(contact)
      await accept(row(1), row(2))
      await deliveries().claim(claim())
      const receivedBy = contact._id
      await deliveries().settle([settlement(1, { receivedBy, now: at(9) })])
      await deliveries().settle([settlement(2, { receivedBy, now: at(8) })])
      await deliveries().settle([settlement(1, { receivedBy, now: at(10) })])
      expect(await contacts.get({ _id: contact._id })).toStrictEqual({ ...contact, lastReceiveDate: at(9) })
      expect(await contacts.get({ projectId: contact.projectId, lastReceiveDate: at(9) })).toBeDefined()
    })
  })

  describe('a mark', () => {
    const opens = (times: number): readonly FigureKey[] => [
      { subject: 'email:a', metric: 'opens' },
      ...(times === 1 ? [{ subject: 'email:a', metric: 'uniqueOpens' } as const] : []),
    ]
    const opened = { what: 'opens', at: at(5) } as const
    const open = () => deliveries().mark({ _id: rowId(1), mark: 'opens', now: at(5), counted: opens })

    it('is counted on its delivery and in the requested figures', async () => {
      await accept(row(1, { status: 'sent' }), row(2, { status: 'sent' }))
      expect((await open())?.opens).toBe(1)
      expect((await open())?.opens).toBe(2)
      expect(await found(deliveries(), 1)).toStrictEqual(
        row(1, { status: 'sent', opens: 2, happened: [opened, opened] }),
      )
      expect(await found(deliveries(), 2)).toStrictEqual(row(2, { status: 'sent' }))
      expect(await totals()).toEqual({ opens: 2, uniqueOpens: 1 })
    })

    it.each(deliveryMarks)('of each kind is stored: %s', async (mark) => {
      await accept(row(1, { status: 'sent' }))
      await deliveries().mark({ _id: rowId(1), mark, now: at(5), counted: () => [] })
      expect(await deliveries().get(rowId(1))).toStrictEqual(
        row(1, { status: 'sent', [mark]: 1, happened: [{ what: mark, at: at(5) }] }),
      )
    })

    it('is the first one only once under concurrency', async () => {
      await accept(row(1, { status: 'sent' }))
      await Promise.all(Array.from({ length: 20 }, open))
      expect(await totals()).toEqual({ opens: 20, uniqueOpens: 1 })
    })

    it('for a bounce keeps its first reason, also after a later outcome', async () => {
      const reason = { name: '5.1.1', message: 'smtp; 550 gone' }
      const back = (returned = reason) =>
        deliveries().mark({ _id: rowId(1), mark: 'bounced', name: 'bounce', returned, now: at(5), counted: () => [] })
      await accept(row(1, { emailId }), row(2, { emailId, status: 'sent' }))
      await deliveries().claim(claim())
      expect(await back()).toMatchObject({ bounced: 1, returned: reason, updatedAt: at(5) })
      expect(await back({ name: 'another', message: '' })).toMatchObject({ bounced: 1, returned: reason })
      await deliveries().settle([settlement(1, { now: at(6) })])
      expect(await deliveries().get(rowId(1))).toMatchObject({ status: 'sent', returned: reason })
    })

    it('for a bounce updates the delivery’s date', async () => {
      const returned = { name: '5.1.1', message: 'smtp; 550 gone' }
      await accept(row(1, { emailId, status: 'sent' }))
      const back = { _id: rowId(1), mark: 'bounced', name: 'bounce', returned, now: at(5), reportedAt: at(9) } as const
      await deliveries().mark({ ...back, counted: () => [] })
      expect(await deliveries().get(rowId(1))).toMatchObject({ returned, updatedAt: at(9) })
    })

    it('with a name is counted once, in any order and however often it is reported', async () => {
      await accept(row(1, { status: 'sent' }))
      const named = (name: string) =>
        deliveries().mark({ _id: rowId(1), mark: 'opens', name, now: at(5), counted: opens })
      expect((await named('a'))?.opens).toBe(1)
      expect((await named('a'))?.opens).toBe(1)
      await Promise.all(['b', 'c', 'a', 'b', 'c', 'd', 'd'].map(named))
      expect(await totals()).toEqual({ opens: 4, uniqueOpens: 1 })
      const { markNames = [] } = (await deliveries().get(rowId(1))) ?? {}
      expect(markNames.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    })

    it('loses no names under concurrency with another kind', async () => {
      await accept(row(1, { status: 'sent' }))
      const names = Array.from({ length: 10 }, (_, n) => `${n}`)
      const both = () =>
        names.map((name) =>
          deliveries().mark({
            _id: rowId(1),
            mark: Number(name) % 2 ? 'opens' : 'clicks',
            name,
            now: at(5),
            counted: () => [],
          }),
        )
      await Promise.all([...both(), ...both()])
      expect(await deliveries().get(rowId(1))).toMatchObject({ opens: 5, clicks: 5 })
    })

    it('forgets the oldest names over the limit', async () => {
      await accept(row(1, { status: 'sent' }))
      const named = (n: number) =>
        deliveries().mark({ _id: rowId(1), mark: 'opens', name: `${n}`, now: at(5), counted: () => [] })
      for (let n = 0; n <= mostDeliveryMarkNames; n += 1) await named(n)
      const { markNames } = (await deliveries().get(rowId(1))) ?? {}
      expect(markNames).toHaveLength(mostDeliveryMarkNames)
      expect((await named(1))?.opens).toBe(mostDeliveryMarkNames + 1)
    })

    it('for a link reports the first click on it once, also under concurrency', async () => {
      await accept(row(1, { status: 'sent' }))
      const click = (link: number | undefined, name?: string) =>
        deliveries().mark({
          ...{ _id: rowId(1), mark: 'clicks', name, now: at(5), link },
          counted: (_, isNewLink) => [
            { subject: 'email:a', metric: 'clicks' },
            ...(isNewLink ? [{ subject: `link:a:${link}`, metric: 'uniqueClicks' } as const] : []),
          ],
        })
      await Promise.all([0, 3, 0, 3, 0, 100, undefined].map((link) => click(link)))
      await click(3)
      await click(4, 'once')
      await click(4, 'once')
      const { clicks, clickedLinks = [] } = (await deliveries().get(rowId(1))) ?? {}
      expect([clicks, clickedLinks.toSorted((a, b) => a - b)]).toEqual([9, [0, 3, 4, 100]])
      expect(await totals()).toEqual({ clicks: 9 })
      const links = [0, 1, 3, 4, 100].map((link) => `link:a:${link}`)
      expect(await store().figures.totalsOf(links, 'uniqueClicks')).toEqual({
        ...{ 'link:a:0': 1, 'link:a:3': 1, 'link:a:4': 1, 'link:a:100': 1 },
      })
    })

    it('on an unknown delivery changes nothing', async () => {
      expect(await open()).toBeUndefined()
      expect(await deliveries().get(rowId(1))).toBeUndefined()
      expect(await totals()).toEqual({})
    })
  })

  describe('counts without a mark', () => {
    const one = (name: string, n = 1) => ({
      name,
      figures: [{ subject: 'email:a', metric: 'machineOpens', slot: quarterHourOf(at(5)), n } as const],
    })

    it('are added once per name, alone, together and concurrently', async () => {
      await accept(row(1, { status: 'sent' }))
      const count = (...names: readonly string[]) =>
        deliveries().countOnce(
          rowId(1),
          names.map((name) => one(name)),
        )
      await count('a', 'b')
      await count('a', 'b')
      await count('b', 'c')
      await Promise.all([count('c', 'd'), count('d', 'e'), count('a', 'e')])
      expect(await totals()).toEqual({ machineOpens: 5 })
      const { markNames = [], ...others } = (await deliveries().get(rowId(1))) ?? {}
      expect(markNames.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
      expect(others).toStrictEqual(row(1, { status: 'sent' }))
    })

    it('are remembered with what happened, beside marks, also under concurrency', async () => {
      await accept(row(1, { status: 'sent' }))
      const machine = (name: string, n: number) => ({
        ...one(name),
        happening: { what: 'clicks', at: at(n), by: 'machine', link: n } as const,
      })
      await Promise.all([
        deliveries().countOnce(rowId(1), [machine('a', 1), machine('b', 2)]),
        deliveries().mark({ _id: rowId(1), mark: 'clicks', name: 'c', now: at(3), link: 3, counted: () => [] }),
        deliveries().mark({ _id: rowId(1), mark: 'bounced', now: at(4), counted: () => [] }),
        deliveries().countOnce(rowId(1), [machine('a', 1)]),
      ])
      const { happened = [] } = (await deliveries().get(rowId(1))) ?? {}
      expect(happened.toSorted((a, b) => (a.at < b.at ? -1 : 1))).toStrictEqual([
        { what: 'clicks', at: at(1), by: 'machine', link: 1 },
        { what: 'clicks', at: at(2), by: 'machine', link: 2 },
        { what: 'clicks', at: at(3), link: 3 },
        { what: 'bounced', at: at(4) },
      ])
    })

    it('of machines do not displace what people did', async () => {
      await accept(row(1, { status: 'sent' }))
      await deliveries().mark({ _id: rowId(1), mark: 'opens', now: at(1), counted: () => [] })
      const machine = (n: number) => ({
        ...one(`${n}`),
        happening: { what: 'opens', at: at(2 + n), by: 'machine' } as const,
      })
      for (let n = 0; n < mostHappeningsKept; n += 1) await deliveries().countOnce(rowId(1), [machine(n)])
      const { happened = [] } = (await deliveries().get(rowId(1))) ?? {}
      expect(happened).toHaveLength(mostHappeningsKept)
      expect(happened[0]).toStrictEqual({ what: 'opens', at: at(1) })
      expect(happened[1]).toStrictEqual({ what: 'opens', at: at(3), by: 'machine' })
    })

    it('can be repeated as a whole, up to the limit, without a change', async () => {
      await accept(row(1, { status: 'sent' }))
      const many = Array.from({ length: mostIdempotentFigureCounts }, (_, n) => one(`${n}`))
      for (let n = 0; n < 3; n += 1) await deliveries().countOnce(rowId(1), many)
      expect(await totals()).toEqual({ machineOpens: mostIdempotentFigureCounts })
    })

    it('recognise the names of marks', async () => {
      await accept(row(1, { status: 'sent' }))
      await deliveries().mark({ _id: rowId(1), mark: 'opens', name: 'a', now: at(5), counted: () => [] })
      await deliveries().countOnce(rowId(1), [one('a'), one('b')])
      expect(await totals()).toEqual({ machineOpens: 1 })
    })

    it('of an unknown delivery are ignored', async () => {
      await deliveries().countOnce(rowId(1), [one('a')])
      expect(await totals()).toEqual({})
    })
  })

  describe('the deliveries to an address', () => {
    const to = async (address: string, where: Partial<DeliveryWhere> = {}, rest: Partial<DeliveryQuery> = {}) => {
      const asked = { where: { address, projectId, ...where }, by: 'createdAt', order: 'desc', skip: 0, limit: 10 }
      const { items, count } = await deliveries().list({ ...asked, ...rest } as DeliveryQuery)
      return { numbers: numbersOf(items), count }
    }

    it('are found in any spelling, of any email and of tests, the newest first', async () => {
      await accept(
        row(1, { emailId, email: 'Ada@Example.com' }),
        row(2, { email: 'ada@example.com', createdAt: at(5) }),
        row(3, { emailId, email: 'ada@example.com.org' }),
        row(4, { emailId: numberedId(0xe2), email: 'ADA@example.com', createdAt: at(-5) }),
      )
      expect(await to('ada@example.com')).toEqual({ numbers: [2, 1, 4], count: 3 })
      expect(await to('ada@example.com', {}, { skip: 1, limit: 1 })).toEqual({ numbers: [1], count: 3 })
      expect(await to('ada@example.com', { projectId: numberedId(0xbb) })).toEqual({ numbers: [], count: 0 })
      expect((await to('ada@example.com', { emailId })).numbers).toEqual([1])
    })

    it('match status and dispatch', async () => {
      const other = numberedId(0xd9)
      const email = 'ada@example.com'
      await accept(row(1, { email, status: 'sent' }), row(2, { email, status: 'failed' }))
      const elsewhere = row(3, { email, dispatchId: other, _id: `${other}:3`, status: 'sent', createdAt: at(9) })
      await deliveries().accept({ ...acceptance([elsewhere], { _id: other }), takes: [] })
      expect((await to(email, { status: ['sent'] })).numbers).toEqual([3, 1])
      expect((await to(email, { dispatchId: other })).numbers).toEqual([3])
      expect((await to(email, { dispatchId: other, status: ['failed'] })).numbers).toEqual([])
    })
  })

  describe('the deliveries of an email', () => {
    it('are those of all its dispatches, and of no other email or project', async () => {
      await accept(row(1, { emailId }), row(2, { emailId: numberedId(0xe2) }), row(3), row(4, { emailId }))
      expect(await ask()).toEqual({ numbers: [1, 4], count: 2 })
      expect(await ask({ projectId: numberedId(0xbb) })).toEqual({ numbers: [], count: 0 })
    })

    it('are sorted by a field, then by id, absent values first, in pages', async () => {
      await accept(
        row(1, { emailId, status: 'sent', sentAt: at(9), email: 'b@example.com' }),
        row(2, { emailId, email: 'a@example.com' }),
        row(3, { emailId, status: 'sent', sentAt: at(8), email: 'c@example.com' }),
        row(4, { emailId, createdAt: at(-1), updatedAt: at(3) }),
      )
      expect((await ask({}, { by: 'createdAt' })).numbers).toEqual([4, 1, 2, 3])
      expect((await ask({}, { by: 'sentAt' })).numbers).toEqual([2, 4, 3, 1])
      expect((await ask({}, { by: 'sentAt', order: 'desc' })).numbers).toEqual([1, 3, 4, 2])
      expect((await ask({}, { by: 'email' })).numbers).toEqual([2, 1, 3, 4])
      expect((await ask({}, { by: 'updatedAt', order: 'desc' })).numbers).toEqual([4, 3, 2, 1])
      expect(await ask({}, { skip: 1, limit: 2 })).toEqual({ numbers: [1, 2], count: 4 })
    })

    it('match all given conditions', async () => {
      await accept(
        row(1, { emailId, status: 'sent', sentAt: at(1), opens: 2 }),
        row(2, { emailId, status: 'sent', sentAt: at(2), opens: 1, clicks: 1 }),
        row(3, { emailId, status: 'failed', updatedAt: at(7) }),
        row(4, { emailId, status: 'queued', createdAt: at(8) }),
        row(5, { emailId, status: 'excluded', reason: 'paused' }),
        row(6, { emailId, status: 'sent', updatedAt: at(6), bounced: 1, returned: { name: '5.1.1', message: 'gone' } }),
      )
      const numbers = async (where: Partial<DeliveryWhere>) => (await ask(where)).numbers
      expect(await numbers({ status: ['failed', 'queued'] })).toEqual([3, 4])
      expect(await numbers({ status: [] })).toEqual([])
      expect(await numbers({ address: row(2).email })).toEqual([2])
      expect(await numbers({ _id: row(2)._id })).toEqual([2])
      expect(await numbers({ dispatchId: row(2).dispatchId, status: ['queued'] })).toEqual([4])
      expect(await numbers({ dispatchId: numberedId(0xd9) })).toEqual([])
      expect(await numbers({ createdAt: at(8) })).toEqual([4])
      expect(await numbers({ sentAt: at(2) })).toEqual([2])
      expect(await numbers({ reason: 'paused' })).toEqual([5])
      expect(await numbers({ reason: 'unverified' })).toEqual([])
      expect(await numbers({ since: at(7) })).toEqual([3])
      expect(await numbers({ undelivered: true })).toEqual([3, 6])
      expect(await numbers({ undelivered: true, since: at(7) })).toEqual([3])
      expect(await numbers({ marked: { opens: true } })).toEqual([1, 2])
      expect(await numbers({ marked: { opens: true, clicks: false } })).toEqual([1])
      expect(await numbers({ times: { opens: 1 } })).toEqual([2])
      expect(await numbers({ times: { opens: 0 } })).toEqual([3, 5, 6, 4])
    })
  })
}
