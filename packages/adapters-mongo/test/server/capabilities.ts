import { type Db, MongoClient } from 'mongodb'

/** What the store cannot do without: where a server lacks one of these, all its suites are skipped by that name. */
export const required = [
  'atomic updates',
  'options of partial indexes',
  '$min, $max, $first and $push in $group',
  '$pull by a condition',
  'positional updates',
  'dots in names of fields',
] as const

/** What not every server can do that speaks the protocol, and what a suite may need. */
export const capabilities = [
  ...required,
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

/** Each of many changes at the same time is made, and none of another lost. */
const changesAtOnce = async (db: Db) => {
  const counts = db.collection<{ _id: string; n: number }>('counts')
  await counts.insertOne({ _id: 'one', n: 0 })
  const changes = Array.from({ length: 50 }, () => counts.updateOne({ _id: 'one' }, { $inc: { n: 1 } }))
  await Promise.all(changes)
  return (await counts.findOne({ _id: 'one' }))?.n === changes.length
}

const takesPartialIndexes = async (db: Db) => {
  const only = { partialFilterExpression: { c: { $exists: true } } }
  return (await db.collection('options').createIndex({ c: 1 }, { name: 'only', ...only })) === 'only'
}

const groupsBy = async (db: Db) => {
  const several = db.collection<{ _id: number }>('several')
  await several.insertMany([{ _id: 1 }, { _id: 2 }])
  const sums = { min: { $min: '$_id' }, max: { $max: '$_id' }, first: { $first: '$_id' }, all: { $push: '$_id' } }
  const [found] = await several.aggregate([{ $sort: { _id: 1 } }, { $group: { _id: null, ...sums } }]).toArray()
  return JSON.stringify(found) === JSON.stringify({ _id: null, min: 1, max: 2, first: 1, all: [1, 2] })
}

type Listed = { readonly _id: string; readonly list: string[] }

const pullsByCondition = async (db: Db) => {
  const lists = db.collection<Listed>('lists')
  await lists.insertOne({ _id: 'pulled', list: ['a', 'b', 'c'] })
  await lists.updateOne({ _id: 'pulled' }, { $pull: { list: { $in: ['a', 'c'] } } })
  return (await lists.findOne({ _id: 'pulled' }))?.list.join() === 'b'
}

const updatesInPlace = async (db: Db) => {
  const lists = db.collection<Listed>('lists')
  await lists.insertOne({ _id: 'placed', list: ['a', 'b', 'c'] })
  await lists.updateOne({ _id: 'placed', list: 'b' }, { $set: { 'list.$': 'd' } })
  return (await lists.findOne({ _id: 'placed' }))?.list.join() === 'a,d,c'
}

const takesDots = async (db: Db) => {
  const dotted = db.collection<{ _id: string; 'a.b'?: number }>('dotted')
  await dotted.insertOne({ _id: 'dot', 'a.b': 1 })
  return (await dotted.findOne({ _id: 'dot' }))?.['a.b'] === 1
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
      'atomic updates': await answers(() => changesAtOnce(db)),
      'options of partial indexes': await answers(() => takesPartialIndexes(db)),
      '$min, $max, $first and $push in $group': await answers(() => groupsBy(db)),
      '$pull by a condition': await answers(() => pullsByCondition(db)),
      'positional updates': await answers(() => updatesInPlace(db)),
      'dots in names of fields': await answers(() => takesDots(db)),
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
