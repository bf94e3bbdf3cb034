import { type AudienceQuestion, type ContactQuestion, collected, type Groups } from '@posthorn/core/ports'
import { aContact, aSubscriber, aSubscriberList, aSuppression, idOf } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { columnTriggers } from '../src/columns/columns-schema.js'
import { openDatabase, type SqliteDatabase } from '../src/database/sqlite-database.js'
import { openSqliteStore, type SqliteStore } from '../src/index.js'
import { folder } from './folder.js'

const now = '2026-01-06T12:00:00.000Z'
const projectId = idOf(0xb)
const subscriberListId = idOf(0xc)

let place: Awaited<ReturnType<typeof folder>>
let store: SqliteStore
let raw: SqliteDatabase
beforeEach(async () => {
  place = await folder()
  store = openSqliteStore({ file: place.file })
  raw = openDatabase(place.file)
})
afterEach(async () => {
  await Promise.all([raw.close(), store.close()])
  await place.remove()
})

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

  it('hear of mails received without anybody telling them', async () => {
    await store.repositories.contacts.add(contact(1))
    raw.statement('UPDATE contacts SET "lastReceiveDate" = ? WHERE _id = ?').run(now, idOf(1))
    expect(columnsOf(1)).toMatchObject({ received: Date.parse(now) })
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
})
