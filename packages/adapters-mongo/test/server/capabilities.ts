import { type Db, MongoClient } from 'mongodb'

/** What not every server can do that speaks the protocol, and what a suite may need. */
export const capabilities = [
  'explain',
  'sessions',
  'transactions',
  'partial indexes',
  'replica set',
  'several members',
  'order of code points',
  'speed',
] as const
export type Capability = (typeof capabilities)[number]

const answers = async (question: () => Promise<unknown>): Promise<boolean> => {
  try {
    return Boolean(await question())
  } catch {
    return false
  }
}

const explains = async (db: Db) => {
  await db.collection('probe').createIndex({ a: 1 })
  return JSON.stringify(await db.collection('probe').find({ a: 1 }).explain('queryPlanner')).includes('"IXSCAN"')
}

const keepsPartialIndexes = async (db: Db) => {
  const only = { partialFilterExpression: { b: { $exists: true } } }
  await db.collection('partial').createIndex({ b: 1 }, { unique: true, ...only })
  return (await db.collection<{ a: number }>('partial').insertMany([{ a: 1 }, { a: 2 }])).insertedCount === 2
}

const ordersByCodePoint = async (db: Db) => {
  const texts = db.collection<{ _id: string }>('texts')
  await texts.insertMany([{ _id: '\u{1f600}' }, { _id: '\uffee' }])
  return (await texts.find().sort({ _id: 1 }).toArray()).at(-1)?._id === '\u{1f600}'
}

const runsTransactions = (client: MongoClient, db: Db) =>
  client.withSession((session) =>
    session.withTransaction(async () => (await db.collection('probe').insertOne({}, { session })).acknowledged),
  )

/** Asks the server what it can do, in a database that is dropped afterwards. */
export const capabilitiesOf = async (url: string): Promise<readonly Capability[]> => {
  const client = new MongoClient(url)
  const db = client.db(`posthorn_probe_${process.pid}`)
  try {
    const hello = await db.command({ isMaster: 1 })
    // A server that uses an index for more than uniqueness says so when asked to explain itself.
    const explain = await answers(() => explains(db))
    const has: Record<Capability, boolean> = {
      explain,
      sessions: typeof hello.logicalSessionTimeoutMinutes === 'number',
      transactions: await answers(() => runsTransactions(client, db)),
      'partial indexes': await answers(() => keepsPartialIndexes(db)),
      'replica set': typeof hello.setName === 'string',
      'several members': Array.isArray(hello.hosts) && hello.hosts.length >= 3,
      'order of code points': await answers(() => ordersByCodePoint(db)),
      speed: explain,
    }
    return capabilities.filter((capability) => has[capability])
  } finally {
    await db.dropDatabase().catch(() => false)
    await client.close()
  }
}
