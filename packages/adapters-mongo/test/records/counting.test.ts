import { type Contact, records } from '@posthorn/core/ports/storage'
import { aContact, numberedId } from '@posthorn/testkit'
import { MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { mongoContactSearch } from '../../src/audience/mongo-contact-search.js'
import { type MongoDatabase, openMongoDatabase, type SentMongoCommand } from '../../src/connection/mongo-database.js'
import { ledgerCollections } from '../../src/ledger/ledger-collections.js'
import { mongoDeliveries } from '../../src/ledger/mongo-deliveries.js'
import { mongoRepository } from '../../src/records/mongo-repository.js'
import { mongoSteps } from '../../src/steps/mongo-steps.js'
import { dropDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

const page = { sort: { by: 'createdAt', order: 'asc' }, skip: 0, limit: 1 } as const
const projectId = numberedId(0xb)
const search = { ...page, projectId, where: {}, segments: [], now: '2026-01-06T12:00:00.000Z' }
const mails = {
  where: { emailId: numberedId(1), projectId },
  by: 'createdAt',
  order: 'asc',
  skip: 0,
  limit: 1,
} as const

const askedOf = (database: Pick<MongoDatabase, 'collection'>, range: { skip: number; limit: number } = page) => {
  const collections = ledgerCollections(database)
  const steps = mongoSteps({ collections, log: () => {} })
  return {
    'records of a project': () =>
      mongoRepository<Contact>(database, 'contacts', records.contacts).list({
        ...page,
        ...range,
        where: { projectId },
      }),
    'contacts that are searched': () => mongoContactSearch(database).page({ ...search, ...range }),
    'mails of an email': () => mongoDeliveries({ collections, steps }).list({ ...mails, ...range }),
  }
}
type Asked = keyof ReturnType<typeof askedOf>
const all: readonly Asked[] = ['records of a project', 'contacts that are searched', 'mails of an email']

/** A database that finds a page and gives the count of it up, as its time is over. */
const givingUp = () => {
  let counts = 0
  const count = async () => {
    counts += 1
    throw new MongoServerError({ code: 50, message: 'operation exceeded time limit' })
  }
  const contacts = [aContact({ _id: numberedId(1) })]
  const found = {
    toArray: async () => contacts,
    [Symbol.asyncIterator]: async function* () {
      yield* contacts
    },
  }
  const cursor = {
    ...found,
    sort: () => cursor,
    skip: () => cursor,
    limit: () => cursor,
    batchSize: () => cursor,
    allowDiskUse: () => cursor,
  }
  const collection = (() => ({ find: () => cursor, countDocuments: count })) as unknown as MongoDatabase['collection']
  return { database: { collection }, counts: () => counts }
}

describe('a count that takes too long', () => {
  it.each(all)('of %s is refused with advice, and not repeated', async (what) => {
    const { database, counts } = givingUp()
    const message = expect.stringMatching(/takes too long\. Ask for fewer/) as unknown
    await expect(askedOf(database)[what]()).rejects.toMatchObject({ kind: 'busy', message })
    expect(counts()).toBe(1)
  })
})

const int32 = 2 ** 31 - 1
const largest = { skip: 999_999_999_999_999, limit: Number.MAX_SAFE_INTEGER } as const

onMongoDB('a list with the largest limit and skip', () => {
  it.each(all)('of %s sends no option beyond 32 bits, which DocumentDB rejects', async (what) => {
    const url = databaseUrl()
    const sent: SentMongoCommand[] = []
    const database = await openMongoDatabase({ url, log: () => {}, onCommand: (command) => sent.push(command) })
    await askedOf(database, largest)[what]()
    const [find] = sent.filter(({ name }) => name === 'find')
    expect(find?.command).toMatchObject({ skip: int32, limit: int32, batchSize: 1_000 })
    await database.close()
    await dropDatabase(url)
  })
})

onMongoDB('a count on MongoDB', () => {
  it.each(all)('of %s has a time limit', async (what) => {
    const url = databaseUrl()
    const sent: SentMongoCommand[] = []
    const database = await openMongoDatabase({ url, log: () => {}, onCommand: (command) => sent.push(command) })
    await database.collection('contacts').insertOne(aContact({ _id: numberedId(1), projectId }) as never)
    const some = [1, 2].map((n) => ({
      _id: `${numberedId(2)}:${n}`,
      dispatchId: numberedId(2),
      ...mails.where,
      createdAt: '1',
    }))
    await database.collection('deliveries').insertMany(some as never)
    await askedOf(database)[what]()
    const counts = sent.filter(({ name }) => name === 'aggregate' || name === 'count')
    expect(counts).toHaveLength(1)
    for (const { command } of sent.filter(({ name }) => name === 'find' || counts.some((one) => one.name === name))) {
      expect(command.maxTimeMS).toBeGreaterThan(5_000)
      expect(command.maxTimeMS).toBeLessThanOrEqual(12_000)
    }
    await database.close()
    await dropDatabase(url)
  })
})
