import type { ContactQuery, SegmentGroups } from '@posthorn/core/ports/storage'
import {
  aContact,
  aDelivery,
  aDispatch,
  aSubscriber,
  aSubscriberList,
  aSuppression,
  numberedId,
} from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SqliteDatabase } from '../../src/database/sqlite-database.js'
import type { SqliteStore } from '../../src/index.js'
import type { folder } from '../folder.js'
import { closeFile, openFile } from '../store-for-each.js'

const now = '2026-01-06T12:00:00.000Z'
const projectId = numberedId(0xb)
const subscriberListId = numberedId(0xc)

let place: Awaited<ReturnType<typeof folder>>
let store: SqliteStore
let raw: SqliteDatabase
beforeEach(async () => {
  ;({ place, store, raw } = await openFile())
})
afterEach(() => closeFile({ place, store, raw }))

const columnsOf = (n: number) =>
  raw
    .statement('SELECT received, opened, suppressed, lists, tags, f0, f1 FROM segment_index WHERE id = ?')
    .get(numberedId(n))
const tallies = () =>
  Object.fromEntries(
    raw
      .statement('SELECT id, status, n FROM tallies JOIN short_keys ON key = subject WHERE n <> 0')
      .all()
      .map(({ id, status, n }) => [`${Number.parseInt(String(id), 16)} ${String(status)}`, n]),
  )
const contact = (n: number, given: Parameters<typeof aContact>[0] = {}) =>
  aContact({ _id: numberedId(n), email: `contact${n}@example.com`, ...given })
const member = (n: number, given: Parameters<typeof aSubscriber>[0] = {}) =>
  aSubscriber({ _id: numberedId(0x100 + n), contactId: numberedId(n), ...given })

/** A mail for the contact is sent, and recorded. */
const receive = async (n: number, receivedAt = now) => {
  const leased = { status: 'sending', worker: 'worker', leaseUntil: receivedAt } as const
  const delivery = aDelivery({
    ...leased,
    dispatchId: numberedId(0xd00 + n),
    contactId: numberedId(n),
    _id: `${n} ${receivedAt}`,
  })
  const dispatch = aDispatch({ _id: delivery.dispatchId, stage: 'single' })
  await store.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
  const outcome = { _id: delivery._id, worker: 'worker', to: 'sent', attempted: true, now: receivedAt } as const
  await store.deliveries.settle([{ ...outcome, receivedBy: numberedId(n) }])
}

describe('a contact’s index columns', () => {
  it('are written with it, and follow its changes', async () => {
    const { contacts } = store.repositories
    await contacts.add(contact(1, { customFields: { city: 'WIEN', vip: true }, tags: ['a', 'b'] }))
    expect(columnsOf(1)).toMatchObject({ f0: 'wien', f1: '\u0001t', tags: '|a|b|', opened: null })
    await contacts.change({ _id: numberedId(1) }, (one) => ({
      ...one,
      customFields: { vip: false },
      lastOpenDate: now,
    }))
    expect(columnsOf(1)).toMatchObject({ f0: null, f1: '\u0001f', opened: Date.parse(now) })
    await contacts.remove({ _id: numberedId(1) })
    expect(columnsOf(1)).toBeUndefined()
  })

  it('are the only ones written for a received mail', async () => {
    await store.repositories.contacts.add(contact(1))
    const document = () => raw.statement('SELECT json(doc) AS doc, "lastReceiveDate" FROM contacts').get()
    const before = document()
    await receive(1)
    expect(columnsOf(1)).toMatchObject({ received: Date.parse(now) })
    expect(document()).toEqual(before)
    expect(await store.repositories.contacts.get({ _id: numberedId(1) })).toMatchObject({ lastReceiveDate: now })
  })

  it('reflect suppressions in any order', async () => {
    const { contacts, suppressions } = store.repositories
    await suppressions.add(aSuppression({ _id: numberedId(1), email: 'contact1@example.com' }))
    await Promise.all([contacts.add(contact(1)), contacts.add(contact(2))])
    await suppressions.add(aSuppression({ _id: numberedId(2), email: 'contact2@example.com' }))
    expect([columnsOf(1)?.suppressed, columnsOf(2)?.suppressed]).toEqual([1, 1])
    await suppressions.remove({ _id: numberedId(1) })
    const { email, emailKey } = contact(3)
    await contacts.change({ _id: numberedId(2) }, (one) => ({ ...one, email, emailKey }))
    expect([columnsOf(1)?.suppressed, columnsOf(2)?.suppressed]).toEqual([null, null])
  })

  it('reflect memberships and tallies in any order, and their removal', async () => {
    const { contacts, subscribers, subscriberLists } = store.repositories
    await subscribers.add(member(1, { status: 'paused' }))
    await Promise.all([contacts.add(contact(1)), contacts.add(contact(2)), subscriberLists.add(aSubscriberList())])
    await store.membershipStore.join(member(2))
    await store.membershipStore.upsertMembers([{ contact: contact(3), membership: member(3) }, { contact: contact(4) }])
    await subscribers.change({ contactId: numberedId(2) }, (one) => ({ ...one, status: 'unsubscribed' }))
    const letters = () => [1, 2, 3, 4].map((n) => String(columnsOf(n)?.lists).replace(/\d+/g, ''))
    expect(letters()).toEqual(['|:p|', '|:u|', '|:a|', 'null'])
    expect(tallies()).toEqual({ '11 ': 4, '12 paused': 1, '12 unsubscribed': 1, '12 active': 1 })
    await store.membershipStore.removeContact({ _id: numberedId(1), projectId })
    await store.membershipStore.removeList({ _id: subscriberListId, projectId })
    expect(letters()).toEqual(['undefined', 'null', 'null', 'null'])
    expect(tallies()).toEqual({ '11 ': 3 })
  })

  it('keep their slots if the first write is rolled back', async () => {
    const { contacts } = store.repositories
    await contacts.add(contact(1, { customFields: { city: 'a' } }))
    await Promise.allSettled([
      contacts.change({ _id: numberedId(1) }, (one) => ({ ...one, customFields: { lost: 'x' } })),
      contacts.change({ _id: numberedId(1) }, () => {
        throw new Error('not this way')
      }),
      contacts.change({ _id: numberedId(1) }, (one) => ({ ...one, customFields: { kept: 'y' } })),
    ])
    const slots = raw.statement('SELECT field, slot FROM segment_slots').all()
    expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length)
    expect(slots.map(({ field }) => field)).toContain('kept')
  })

  it('are limited; conditions on other fields read the documents', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `field${n}`)
    const customFields = Object.fromEntries(names.map((name) => [name, name]))
    await store.repositories.contacts.add(contact(1, { customFields }))
    for (const property of names) {
      const segment = (value: string): SegmentGroups => [
        { conditions: [{ category: 'contact-property', operator: 'equals', property, value }] },
      ]
      expect(await found({ segments: [segment(property.toUpperCase())] })).toEqual([1])
      expect(await found({ segments: [segment('other')] })).toEqual([])
    }
  })
})

const question: ContactQuery = {
  ...{ projectId, where: {}, segments: [], skip: 0, limit: 10, now },
  sort: { by: 'createdAt', order: 'desc' },
}
const found = async (asked: Partial<ContactQuery>) =>
  (await store.contactSearch.page({ ...question, ...asked })).items.map(({ _id }) => Number.parseInt(_id, 16))

/** More contacts than a walk in their order looks at, of which few fit, at the end of it. */
describe('a page of contacts', () => {
  it('is found at the far end, too', async () => {
    const all = 5_600
    const upserts = Array.from({ length: all }, (_, n) => ({
      contact: contact(n + 1, {
        createdAt: new Date(Date.parse(now) + n).toISOString(),
        ...(n % 2 && { lastOpenDate: new Date(Date.parse(now) - n).toISOString() }),
        customFields: { rare: n < 3 },
      }),
    }))
    await store.membershipStore.upsertMembers(upserts)
    const rare: SegmentGroups = [
      { conditions: [{ category: 'contact-property', operator: 'is-true', property: 'rare' }] },
    ]
    for (const [by, order, first] of [
      ['createdAt', 'desc', [3, 2, 1]],
      ['createdAt', 'asc', [1, 2, 3]],
      ['lastOpenDate', 'desc', [2, 3, 1]],
      ['lastOpenDate', 'asc', [1, 3, 2]],
      ['_id', 'desc', [3, 2, 1]],
    ] as const) {
      const asked = { segments: [rare], sort: { by, order }, limit: 2 }
      expect(await found(asked)).toEqual(first.slice(0, 2))
      expect(await found({ ...asked, skip: 2 })).toEqual(first.slice(2))
    }
    expect(await found({ sort: { by: 'lastOpenDate', order: 'desc' }, limit: 3 })).toEqual([2, 4, 6])
    expect(await found({ sort: { by: 'createdAt', order: 'desc' }, limit: 2, skip: 5_598 })).toEqual([2, 1])
  }, 30_000)
})
