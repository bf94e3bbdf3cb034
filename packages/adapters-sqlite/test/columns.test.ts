import { type AudienceQuestion, type ContactQuestion, collected, type Groups } from '@posthorn/core/ports/storage'
import { aContact, aDelivery, aDispatch, aSubscriber, aSubscriberList, aSuppression, idOf } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { columnTriggers } from '../src/columns/columns-schema.js'
import type { SqliteDatabase } from '../src/database/sqlite-database.js'
import { openSqliteStore, type SqliteStore } from '../src/index.js'
import type { folder } from './folder.js'
import { closeFile, openFile } from './store-for-each.js'

const now = '2026-01-06T12:00:00.000Z'
const projectId = idOf(0xb)
const subscriberListId = idOf(0xc)

let place: Awaited<ReturnType<typeof folder>>
let store: SqliteStore
let raw: SqliteDatabase
beforeEach(async () => {
  ;({ place, store, raw } = await openFile())
})
afterEach(() => closeFile({ place, store, raw }))

const columnsOf = (n: number) =>
  raw
    .statement('SELECT received, opened, suppressed, lists, tags, f0, f1 FROM contact_columns WHERE id = ?')
    .get(idOf(n))
const isFilled = () => raw.statement('SELECT 1 FROM contact_columns_fill').get() === undefined
const tallies = () =>
  Object.fromEntries(
    raw
      .statement('SELECT id, status, n FROM tallies JOIN short_keys ON key = subject WHERE n <> 0')
      .all()
      .map(({ id, status, n }) => [`${Number.parseInt(String(id), 16)} ${String(status)}`, n]),
  )
const contact = (n: number, given: Parameters<typeof aContact>[0] = {}) =>
  aContact({ _id: idOf(n), email: `contact${n}@example.com`, ...given })
const member = (n: number, given: Parameters<typeof aSubscriber>[0] = {}) =>
  aSubscriber({ _id: idOf(0x100 + n), contactId: idOf(n), ...given })

/** A mail for the contact is sent, and recorded. */
const receive = async (n: number, receivedAt = now) => {
  const leased = { status: 'sending', worker: 'worker', leaseUntil: receivedAt } as const
  const delivery = aDelivery({ ...leased, dispatchId: idOf(0xd00 + n), contactId: idOf(n), _id: `${n} ${receivedAt}` })
  const dispatch = aDispatch({ _id: delivery.dispatchId, stage: 'single' })
  await store.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
  const outcome = { _id: delivery._id, worker: 'worker', to: 'sent', attempted: true, now: receivedAt } as const
  await store.deliveries.settle([{ ...outcome, receivedBy: idOf(n) }])
}

describe('the columns of a contact', () => {
  it('are written with it, and follow what it becomes', async () => {
    const { contacts } = store.repositories
    await contacts.add(contact(1, { customFields: { city: 'WIEN', vip: true }, tags: ['a', 'b'] }))
    expect(columnsOf(1)).toMatchObject({ f0: 'wien', f1: '\u0001t', tags: '|a|b|', opened: null })
    await contacts.change({ _id: idOf(1) }, (one) => ({ ...one, customFields: { vip: false }, lastOpenDate: now }))
    expect(columnsOf(1)).toMatchObject({ f0: null, f1: '\u0001f', opened: Date.parse(now) })
    await contacts.remove({ _id: idOf(1) })
    expect(columnsOf(1)).toBeUndefined()
  })

  it('alone are written for a mail that was received', async () => {
    await store.repositories.contacts.add(contact(1))
    const document = () => raw.statement('SELECT json(doc) AS doc, "lastReceiveDate" FROM contacts').get()
    const before = document()
    await receive(1)
    expect(columnsOf(1)).toMatchObject({ received: Date.parse(now) })
    expect(document()).toEqual(before)
    expect(await store.repositories.contacts.get({ _id: idOf(1) })).toMatchObject({ lastReceiveDate: now })
  })

  it('know of suppressions, whichever came first', async () => {
    const { contacts, suppressions } = store.repositories
    await suppressions.add(aSuppression({ _id: idOf(1), email: 'contact1@example.com' }))
    await Promise.all([contacts.add(contact(1)), contacts.add(contact(2))])
    await suppressions.add(aSuppression({ _id: idOf(2), email: 'contact2@example.com' }))
    expect([columnsOf(1)?.suppressed, columnsOf(2)?.suppressed]).toEqual([1, 1])
    await suppressions.remove({ _id: idOf(1) })
    const { email, emailKey } = contact(3)
    await contacts.change({ _id: idOf(2) }, (one) => ({ ...one, email, emailKey }))
    expect([columnsOf(1)?.suppressed, columnsOf(2)?.suppressed]).toEqual([null, null])
  })

  it('and the tallies know of memberships, whichever came first, and of their end', async () => {
    const { contacts, subscribers, subscriberLists } = store.repositories
    await subscribers.add(member(1, { status: 'paused' }))
    await Promise.all([contacts.add(contact(1)), contacts.add(contact(2)), subscriberLists.add(aSubscriberList())])
    await store.roster.join(member(2))
    await store.roster.enrol([{ contact: contact(3), membership: member(3) }, { contact: contact(4) }])
    await subscribers.change({ contactId: idOf(2) }, (one) => ({ ...one, status: 'unsubscribed' }))
    const letters = () => [1, 2, 3, 4].map((n) => String(columnsOf(n)?.lists).replace(/\d+/g, ''))
    expect(letters()).toEqual(['|:p|', '|:u|', '|:a|', 'null'])
    expect(tallies()).toEqual({ '11 ': 4, '12 paused': 1, '12 unsubscribed': 1, '12 active': 1 })
    await store.roster.removeContact({ _id: idOf(1), projectId })
    await store.roster.removeList({ _id: subscriberListId, projectId })
    expect(letters()).toEqual(['undefined', 'null', 'null', 'null'])
    expect(tallies()).toEqual({ '11 ': 3 })
  })

  it('keep their places when what began them is undone', async () => {
    const { contacts } = store.repositories
    await contacts.add(contact(1, { customFields: { city: 'a' } }))
    await Promise.allSettled([
      contacts.change({ _id: idOf(1) }, (one) => ({ ...one, customFields: { lost: 'x' } })),
      contacts.change({ _id: idOf(1) }, () => {
        throw new Error('not this way')
      }),
      contacts.change({ _id: idOf(1) }, (one) => ({ ...one, customFields: { kept: 'y' } })),
    ])
    const slots = raw.statement('SELECT field, slot FROM contact_slots').all()
    expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length)
    expect(slots.map(({ field }) => field)).toContain('kept')
  })

  it('are as many as fit; other fields are asked of the documents', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `field${n}`)
    const customFields = Object.fromEntries(names.map((name) => [name, name]))
    await store.repositories.contacts.add(contact(1, { customFields }))
    for (const property of names) {
      const segment = (value: string): Groups => [
        { conditions: [{ category: 'contact-property', operator: 'equals', property, value }] },
      ]
      expect(await found({ segments: [segment(property.toUpperCase())] })).toEqual([1])
      expect(await found({ segments: [segment('other')] })).toEqual([])
    }
  })
})

const question: ContactQuestion = {
  ...{ projectId, where: {}, segments: [], skip: 0, limit: 10, now },
  sort: { by: 'createdAt', order: 'desc' },
}
const found = async (asked: Partial<ContactQuestion>) =>
  (await store.contactSearch.page({ ...question, ...asked })).items.map(({ _id }) => Number.parseInt(_id, 16))

/** More contacts than a walk in their order looks at, of which few fit, at the end of it. */
describe('a page of contacts', () => {
  it('is found at the far end, too', async () => {
    const all = 5_600
    const enrolments = Array.from({ length: all }, (_, n) => ({
      contact: contact(n + 1, {
        createdAt: new Date(Date.parse(now) + n).toISOString(),
        ...(n % 2 && { lastOpenDate: new Date(Date.parse(now) - n).toISOString() }),
        customFields: { rare: n < 3 },
      }),
    }))
    await store.roster.enrol(enrolments)
    const rare: Groups = [{ conditions: [{ category: 'contact-property', operator: 'is-true', property: 'rare' }] }]
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

describe('a file of before there were columns', () => {
  const audience: AudienceQuestion = {
    ...{ projectId, subscriberListId, now },
    segment: [{ conditions: [{ category: 'contact-property', operator: 'equals', property: 'city', value: 'wien' }] }],
  }

  it('gets them after it is opened, and answers all the while', async () => {
    const { contacts, subscribers } = store.repositories
    const numbers = Array.from({ length: 700 }, (_, n) => n + 1)
    await Promise.all(
      numbers.flatMap((n) => [
        contacts.add(contact(n, { customFields: { city: n % 7 ? 'Graz' : 'Wien' } })),
        subscribers.add(member(n, { _id: idOf(0x10000 + n), status: n % 2 ? 'active' : 'unsubscribed' })),
      ]),
    )
    await store.close()
    const names = columnTriggers.map((sql) => /^CREATE TRIGGER (\S+)/.exec(sql)?.[1])
    raw.alter(() => [
      ...names.map((name) => `DROP TRIGGER ${name}`),
      ...['short_keys', 'contact_slots', 'contact_columns', 'tallies', 'contact_columns_fill'].map(
        (t) => `DROP TABLE ${t}`,
      ),
      'DROP INDEX deliveries_errors',
      'ALTER TABLE deliveries DROP COLUMN returned',
      "CREATE INDEX deliveries_errors ON deliveries (email_id, updated_at) WHERE status = 'failed'",
      'DROP INDEX figures_slot',
      'ALTER TABLE deliveries DROP COLUMN mark_names',
      'ALTER TABLE deliveries DROP COLUMN clicked_links',
      'CREATE INDEX "contacts_projectId_lastOpenDate_index" ON contacts ("projectId", "lastOpenDate")',
      'PRAGMA user_version = 3',
    ])
    store = openSqliteStore({ file: place.file })
    expect(isFilled()).toBe(false)
    const wanted = { total: 50, reachable: 50 }
    expect(await store.audience.count(audience)).toEqual(wanted)
    await store.repositories.contacts.change({ _id: idOf(7) }, (one) => ({ ...one, customFields: { city: 'Linz' } }))
    await store.repositories.contacts.add(contact(701, { customFields: { city: 'Wien' } }))
    await store.roster.removeContact({ _id: idOf(699), projectId })
    while (!isFilled()) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await store.audience.count(audience)).toEqual({ total: 49, reachable: 49 })
    expect(raw.statement('SELECT count(*) AS n FROM contact_columns').get()?.n).toBe(700)
    expect(tallies()).toEqual({ '11 ': 700, '12 active': 349, '12 unsubscribed': 350 })
    expect((await collected(store.repositories.contacts.each({ projectId }))).length).toBe(700)
  })

  it('goes on where the one before was closed', async () => {
    await store.roster.enrol(Array.from({ length: 1_000 }, (_, n) => ({ contact: contact(n + 1) })))
    await store.close()
    raw.alter(() => ['DELETE FROM contact_columns', "INSERT INTO contact_columns_fill VALUES ('')"])
    for (let tries = 0; !isFilled(); tries += 1) {
      store = openSqliteStore({ file: place.file })
      await store.close()
      expect(tries).toBeLessThan(10)
    }
    expect(raw.statement('SELECT count(*) AS n FROM contact_columns').get()?.n).toBe(1_000)
    store = openSqliteStore({ file: place.file })
  })

  it('keeps every date of a mail that was received, those of before and those that come while they are written', async () => {
    const later = '2026-01-06T13:00:00.000Z'
    const dated = (n: number) => contact(n, { ...(n % 2 && { lastReceiveDate: now }) })
    await store.roster.enrol(Array.from({ length: 1_000 }, (_, n) => ({ contact: dated(n + 1) })))
    await store.close()
    raw.alter(() => ['DELETE FROM contact_columns', "INSERT INTO contact_columns_fill VALUES ('')"])
    store = openSqliteStore({ file: place.file })
    expect(isFilled()).toBe(false)
    await Promise.all([receive(1, later), receive(2, later), receive(999, later), receive(1_000, later)])
    await store.repositories.contacts.change({ _id: idOf(999) }, (one) => ({ ...one, tags: ['a'] }))
    const dates = async () =>
      (await collected(store.repositories.contacts.each({ projectId }))).map(({ lastReceiveDate }) => lastReceiveDate)
    const wanted = Array.from({ length: 1_000 }, (_, n) =>
      [1, 2, 999, 1_000].includes(n + 1) ? later : dated(n + 1).lastReceiveDate,
    )
    expect(await dates()).toEqual(wanted)
    while (!isFilled()) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await dates()).toEqual(wanted)
    const times = raw.statement('SELECT received FROM contact_columns ORDER BY id').all()
    expect(times.map(({ received }) => received)).toEqual(wanted.map((date) => (date ? Date.parse(date) : null)))
  })
})

describe('a file of before the columns alone had the dates of mails received', () => {
  /** As version 8 recorded a mail. */
  const receiveAsBefore = (n: number, at: string) =>
    raw
      .statement(
        `UPDATE contacts SET "lastReceiveDate" = ?1, doc = jsonb_set(doc, '$.lastReceiveDate', ?1) WHERE _id = ?2`,
      )
      .run(at, idOf(n))

  it('tells the dates it has, and the ones that come', async () => {
    const later = '2026-01-06T13:00:00.000Z'
    const { contacts } = store.repositories
    await Promise.all([1, 2, 3, 4].map((n) => contacts.add(contact(n))))
    await store.close()
    raw.alter(() => [
      'DROP TRIGGER contacts_engaged',
      `CREATE TRIGGER contacts_engaged AFTER UPDATE OF "lastReceiveDate", "lastOpenDate", "lastClickDate" ON contacts
        WHEN old."lastReceiveDate" IS NOT new."lastReceiveDate" OR old."lastOpenDate" IS NOT new."lastOpenDate"
          OR old."lastClickDate" IS NOT new."lastClickDate"
        BEGIN UPDATE contact_columns SET received = CAST(round(unixepoch(new."lastReceiveDate", 'subsec') * 1000) AS INTEGER),
          opened = CAST(round(unixepoch(new."lastOpenDate", 'subsec') * 1000) AS INTEGER),
          clicked = CAST(round(unixepoch(new."lastClickDate", 'subsec') * 1000) AS INTEGER)
          WHERE project = (SELECT key FROM short_keys WHERE id = new."projectId") AND id = new._id; END`,
      'CREATE INDEX contact_columns_received ON contact_columns (project, received) WHERE received IS NOT NULL',
      'PRAGMA user_version = 8',
    ])
    for (const n of [1, 2, 3]) receiveAsBefore(n, now)
    store = openSqliteStore({ file: place.file })
    expect(raw.statement("SELECT 1 FROM sqlite_schema WHERE name = 'contact_columns_received'").get()).toBeUndefined()
    await receive(2, later)
    await receive(3, '2026-01-06T11:00:00.000Z')
    const dates = async () =>
      (await collected(store.repositories.contacts.each({ projectId }))).map(({ lastReceiveDate }) => lastReceiveDate)
    expect(await dates()).toEqual([now, later, now, undefined])
    await store.repositories.contacts.change({ _id: idOf(2) }, (one) => ({ ...one, lastOpenDate: now }))
    expect(columnsOf(2)).toMatchObject({ received: Date.parse(later), opened: Date.parse(now) })
    expect(await dates()).toEqual([now, later, now, undefined])
  })
})
