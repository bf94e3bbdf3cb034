import { Worker } from 'node:worker_threads'
import { type MembershipToAdd, records } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSubscriberList, aSuppression, numberedId } from '@posthorn/testkit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteMembershipStore } from '../../src/contacts/sqlite-membership-store.js'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { openWriterThread, type WriterThread } from '../../src/database/writer.js'
import { openSqliteStore, type SqliteStore } from '../../src/index.js'
import { sqliteFigures } from '../../src/ledger/sqlite-figures.js'
import { sqliteRepository } from '../../src/records/sqlite-repository.js'
import { contactSegmentIndex } from '../../src/segment-index/segment-index.js'
import { folder } from '../folder.js'
import { closeFile, openFile } from '../store-for-each.js'

let place: Awaited<ReturnType<typeof folder>>
let store: SqliteStore
let raw: SqliteDatabase
let thread: WriterThread
beforeEach(async () => {
  ;({ place, store, raw } = await openFile())
  thread = openWriterThread(place.file)
})
afterEach(async () => {
  await thread.close()
  await closeFile({ place, store, raw })
})

const tables = ['contacts', 'subscribers', 'segment_index', 'tallies', 'short_keys', 'segment_slots']
const projectId = numberedId(0xb)
const now = '2026-01-06T12:00:00.000Z'

/** All that the tables hold, to the kind of each value. */
const stored = () =>
  tables.map((table) =>
    raw
      .statement(`SELECT * FROM ${table}`)
      .all()
      .map((row) =>
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array
            ? raw.statement('SELECT json(?) AS doc').get(value as unknown as string)?.doc
            : value,
          typeof value,
        ]),
      ),
  )

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constantFrom('', 'WIEN', '"quoted\\"', '2026-01-06T12:00:00.000Z', '\u0001t', 'x'.repeat(70), 'İ', '%_|'),
)
/** The driver gives numbers next to nothing to SQLite as 0. */
const fieldValue = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) && Math.abs(n) > 1e-9),
)
const person = fc.record({
  customFields: fc.dictionary(fc.constantFrom(...Array.from({ length: 23 }, (_, n) => `field${n}`)), fieldValue, {
    maxKeys: 5,
  }),
  tags: fc.array(fc.constantFrom('vip', 'a|b', 'é', 'x'.repeat(100)), { maxLength: 3 }),
  name: text,
  list: fc.constantFrom(0xc, 0xd, undefined),
  status: fc.constantFrom('active' as const, 'unverified' as const, 'paused' as const),
  lastOpenDate: fc.constantFrom('2026-01-06T12:00:00.000Z', undefined),
})

const upsertsOf = (people: readonly (typeof person extends fc.Arbitrary<infer T> ? T : never)[], from: number) =>
  people.map(({ list, status, lastOpenDate, ...given }, index): MembershipToAdd => {
    const n = from + index
    const contact = aContact({
      ...given,
      _id: numberedId(n),
      email: `Contact${n}@example.com`,
      ...(lastOpenDate && { lastOpenDate }),
    })
    if (list === undefined) return { contact }
    const membership = aSubscriber({
      _id: numberedId(0x9000 + n),
      contactId: numberedId(n),
      subscriberListId: numberedId(list),
      status,
    })
    return { contact, membership }
  })

/** A membership store that reports what its thread did. */
const membershipStoreBeside = () => {
  const columns = contactSegmentIndex(raw)
  const answered: boolean[] = []
  const write: WriterThread['write'] = async (steps) => {
    const isDone = await thread.write(steps)
    answered.push(isDone)
    return isDone
  }
  const membershipStore = sqliteMembershipStore({
    database: raw,
    writer: { write },
    index: columns,
    contacts: sqliteRepository(raw, 'contacts', records.contacts, columns.hooks.contacts),
    subscriberLists: sqliteRepository(raw, 'subscriberLists', records.subscriberLists),
    subscribers: sqliteRepository(raw, 'subscribers', records.subscribers, columns.hooks.subscribers),
    figures: sqliteFigures(raw).within,
  })
  return { membershipStore, answered }
}

/** A first contact with all fields, on both lists: what comes after it has its columns and short keys. */
const addFirst = async (
  { repositories }: Pick<SqliteStore, 'repositories'>,
  membershipStore: SqliteStore['membershipStore'],
) => {
  for (const n of [0xc, 0xd]) await repositories.subscriberLists.add(aSubscriberList({ _id: numberedId(n) }))
  await repositories.suppressions.add(aSuppression({ _id: numberedId(1), email: 'contact7@example.com' }))
  const customFields = Object.fromEntries(Array.from({ length: 23 }, (_, n) => [`field${n}`, n]))
  await membershipStore.upsertMembers([
    { contact: aContact({ _id: numberedId(1), email: 'first@example.com', customFields }) },
  ])
  for (const n of [0xc, 0xd])
    await membershipStore.upsertMembers([
      {
        membership: aSubscriber({
          _id: numberedId(0x8000 + n),
          contactId: numberedId(1),
          subscriberListId: numberedId(n),
        }),
      },
    ])
}

describe('many upserts', () => {
  it('are written by the thread like one by one', async () => {
    const upserts = upsertsOf(fc.sample(person, { seed: 4711, numRuns: 1_500 }), 2)
    const { membershipStore, answered } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    expect(await membershipStore.upsertMembers(upserts)).toEqual(upserts.map(() => undefined))
    expect(answered).toEqual([true])
    const byThread = stored()

    const other = await folder()
    const one = openSqliteStore({ file: other.file })
    await addFirst(one, one.membershipStore)
    for (let from = 0; from < upserts.length; from += 50)
      await one.membershipStore.upsertMembers(upserts.slice(from, from + 50))
    await raw.close()
    raw = openDatabase(other.file)
    expect(byThread).toEqual(stored())
    await one.close()
    await other.remove()
  })

  it('add existing contacts to another list', async () => {
    const { membershipStore, answered } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    const people = upsertsOf(fc.sample(person, { seed: 1, numRuns: 120 }), 2)
    await membershipStore.upsertMembers(people.flatMap(({ contact }) => (contact ? [{ contact }] : [])))
    const joining = people.map((_, n) => ({
      membership: aSubscriber({
        _id: numberedId(0x9100 + n),
        contactId: numberedId(n + 2),
        subscriberListId: numberedId(0xd),
      }),
    }))
    expect(await membershipStore.upsertMembers(joining)).toEqual(joining.map(() => undefined))
    expect(answered).toEqual([true, true])
    expect(raw.statement("SELECT count(*) AS n FROM segment_index WHERE lists LIKE '|%:a|'").get()?.n).toBe(121)
    expect(await membershipStore.tally(numberedId(0xd), now)).toMatchObject({ active: 121 })
  })

  it('are reported one by one if any has a problem', async () => {
    const { membershipStore, answered } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    const upserts = upsertsOf(fc.sample(person, { seed: 2, numRuns: 200 }), 2)
    const first = await store.repositories.contacts.get({ _id: numberedId(1) })
    const taken = { contact: aContact({ _id: numberedId(0x7000), email: 'FIRST@example.com' }) }
    const gone = {
      membership: aSubscriber({
        _id: numberedId(0x7001),
        contactId: numberedId(0x7777),
        subscriberListId: numberedId(0xc),
      }),
    }
    const noList = {
      contact: aContact({ _id: numberedId(0x7002), email: 'nolist@example.com' }),
      membership: aSubscriber({
        _id: numberedId(0x7003),
        contactId: numberedId(0x7002),
        subscriberListId: numberedId(0xc),
        projectId,
      }),
    }
    expect(await membershipStore.upsertMembers([taken, ...upserts])).toEqual(['taken', ...upserts.map(() => undefined)])
    const more = upsertsOf(fc.sample(person, { seed: 3, numRuns: 200 }), 0x1000)
    expect(await membershipStore.upsertMembers([...more, gone])).toEqual([...more.map(() => undefined), 'contact'])
    await store.membershipStore.removeList({ _id: numberedId(0xc), projectId })
    const most = upsertsOf(fc.sample(person, { seed: 4, numRuns: 200 }), 0x2000).map(({ contact }) => ({
      ...(contact && { contact }),
    }))
    expect(await membershipStore.upsertMembers([...most, noList])).toEqual([...most.map(() => undefined), 'list'])
    // The thread is asked again for what follows the hundred with the problem.
    expect(answered).toEqual([false, true, false, false, false, false])
    expect(await store.repositories.contacts.get({ _id: numberedId(1) })).toEqual(first)
    expect(raw.statement('SELECT count(*) AS n FROM contacts').get()?.n).toBe(602)
  })

  it('are written without a thread if none can start', async () => {
    thread = openWriterThread(place.file, () => {
      throw new Error('ERR_WORKER_INIT_FAILED')
    })
    const { membershipStore, answered } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    const upserts = upsertsOf(fc.sample(person, { seed: 5, numRuns: 150 }), 2)
    expect(await membershipStore.upsertMembers(upserts)).toEqual(upserts.map(() => undefined))
    thread = openWriterThread(`${place.path}/no/such/file`)
    const more = upsertsOf(fc.sample(person, { seed: 6, numRuns: 150 }), 0x1000)
    expect(await membershipStore.upsertMembers(more)).toEqual(more.map(() => undefined))
    expect(answered).toEqual([false, false])
    expect(raw.statement('SELECT count(*) AS n FROM contacts').get()?.n).toBe(301)
  })

  it('fail if the thread ends in the middle, because their outcome is unknown', async () => {
    const dying = "const { parentPort } = require('node:worker_threads')\nparentPort.postMessage({ isReady: true })\n"
    thread = openWriterThread(
      place.file,
      () => new Worker(`${dying}parentPort.on('message', () => process.exit(3))`, { eval: true }),
    )
    const { membershipStore } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    const upserts = upsertsOf(fc.sample(person, { seed: 7, numRuns: 150 }), 2)
    await expect(membershipStore.upsertMembers(upserts)).rejects.toThrow(
      'The thread that writes to the database ended: it left with 3',
    )
    await thread.close()
  })

  it('wait for another process’s commit, and pause between their own', async () => {
    const { membershipStore, answered } = membershipStoreBeside()
    await addFirst(store, membershipStore)
    const batches = [8, 9, 10, 11, 12, 13].map((seed) =>
      upsertsOf(fc.sample(person, { seed, numRuns: 300 }), seed * 0x400),
    )
    const begun = Promise.all(batches.map((upserts) => membershipStore.upsertMembers(upserts)))
    for (let n = 0; n < 10; n += 1)
      await store.repositories.suppressions.add(
        aSuppression({ _id: numberedId(0x300 + n), email: `other${n}@example.com` }),
      )
    await begun
    expect(answered).toEqual(batches.map(() => true))
  })
})
