import { type Contact, records } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSuppression, aTime, numberedId } from '@posthorn/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mongoAudience } from '../../src/audience/mongo-audience.js'
import { lowerCaseContactProperties } from '../../src/audience/segment-filter.js'
import { type MongoDatabase, openMongoDatabase } from '../../src/connection/mongo-database.js'
import { documentOfRecord, newRevision, type StoredDocument } from '../../src/records/documents.js'
import { mongoRepository } from '../../src/records/mongo-repository.js'
import { prepareMongoSchema } from '../../src/schema/mongo-schema.js'
import { dropDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

const members = 2_500
const all = Array.from({ length: members }, (_, n) => n + 1)
const question = { projectId: numberedId(0xb), subscriberListId: numberedId(0xc), now: aTime }
const name = { category: 'contact-property', property: 'name' } as const
const odd = [{ conditions: [{ ...name, operator: 'equals', value: 'ODD' } as const] }]

const contact = (n: number) =>
  aContact({ _id: numberedId(n), email: `contact${n}@example.com`, name: n % 2 === 0 ? 'even' : 'Odd' })

/** Every fifth is paused until now, which is over; every seventh has left. */
const subscriber = (n: number) =>
  aSubscriber({
    _id: numberedId(n),
    contactId: numberedId(n),
    ...(n % 5 === 0 && { status: 'paused', pausedUntil: aTime }),
    ...(n % 7 === 0 && { status: 'unsubscribed' }),
  })
const isActive = (n: number) => n % 7 !== 0

onMongoDB('an audience of several slices on MongoDB', () => {
  let database: MongoDatabase
  let url = ''
  beforeAll(async () => {
    url = databaseUrl()
    database = await openMongoDatabase({ url, log: () => {} })
    await prepareMongoSchema(database, {})
    const own = (one: Contact) => ({ _revision: newRevision(), _lower: lowerCaseContactProperties(one) })
    await database
      .collection<StoredDocument>('contacts')
      .insertMany(all.map(contact).map((one) => documentOfRecord(one, own(one))))
    await database
      .collection<StoredDocument>('subscribers')
      .insertMany(all.map(subscriber).map((one) => documentOfRecord(one, {})))
    const suppressions = mongoRepository(database, 'suppressions', records.suppressions)
    for (const n of [1, 2, 7, members])
      await suppressions.add(aSuppression({ _id: numberedId(n), email: contact(n).email }))
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })

  it('is counted without unsubscribed, paused, suppressed and unengaged contacts', async () => {
    const active = all.filter(isActive)
    const audience = mongoAudience(database)
    expect(await audience.count(question)).toEqual({ total: active.length, reachable: active.length - 3 })
    expect(await audience.count({ ...question, segment: odd, unengaged: odd })).toEqual({
      total: active.filter((n) => n % 2 === 1).length,
      reachable: 0,
    })
  })

  it.each([1000, 700, 5000])('is read in pages of %i, each contact once and in order', async (limit) => {
    const seen: string[] = []
    for (let after: string | undefined; ; after = seen.at(-1)) {
      const page = await mongoAudience(database).page({ ...question, segment: odd }, after, limit)
      seen.push(...page.map(({ _id }) => _id))
      if (page.length < limit) break
    }
    expect(seen).toEqual(all.filter((n) => isActive(n) && n % 2 === 1).map(numberedId))
  })
})
