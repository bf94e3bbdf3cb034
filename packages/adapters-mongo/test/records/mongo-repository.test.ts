import { type Contact, defineRecordKind, records, type StoredRecord, type Where } from '@posthorn/core/ports/storage'
import { aContact, numberedId } from '@posthorn/testkit'
import { MongoNetworkError } from 'mongodb'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type MongoDatabase, openMongoDatabase } from '../../src/connection/mongo-database.js'
import { mongoRepository } from '../../src/records/mongo-repository.js'
import { dropDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

type Note = StoredRecord & { readonly data: unknown }

type Around = { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> }

const nothing = async () => {}
const lost = async () => {
  throw new MongoNetworkError('connection 1 closed')
}

onMongoDB('a repository on MongoDB', () => {
  let database: MongoDatabase
  let url = ''
  beforeAll(async () => {
    url = databaseUrl()
    database = await openMongoDatabase({ url, log: () => {} })
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })
  beforeEach(() => database.collection('contacts').deleteMany({}))

  const contacts = () => mongoRepository<Contact>(database, 'contacts', records.contacts)
  /** Contacts by way of a connection on which something happens around the first call of that method. */
  const through = (
    method: 'insertOne' | 'updateOne' | 'deleteOne' | 'bulkWrite',
    { before = nothing, after = nothing }: Around,
  ) => {
    const around = (target: object) => {
      const call = Reflect.get(target, method).bind(target)
      const first = async (...given: readonly unknown[]) => {
        Reflect.set(target, method, call)
        await before()
        const answer = await call(...given)
        await after()
        return answer
      }
      Reflect.set(target, method, first)
    }
    const collection: MongoDatabase['collection'] = (name) => {
      const documents = database.collection(name)
      around(documents)
      return documents as never
    }
    return mongoRepository<Contact>({ collection }, 'contacts', records.contacts)
  }
  const raw = () => database.collection<StoredRecord>('contacts')

  it.each([
    ['an operator', { $where: 'sleep(1000)', a: { $gt: '' } }],
    ['a type of BSON', { _bsontype: 'ObjectId', a: { _bsontype: 'Code', code: '1' } }],
    ['a database reference', { $ref: 'contacts', $id: '1', $db: 'admin' }],
    ['an escaped key', { '~$a': 1, '~': 2, '~~': 3, $: 4 }],
    ['a path', { 'a.b': { '.': [{ '$c.d': 1 }] }, '': 0 }],
    ['an extended type', { $date: '2026-01-01T00:00:00Z', $numberLong: '1', $oid: numberedId(1) }],
    ['awkward numbers', { a: -0, b: 2 ** 31, c: -(2 ** 53) + 1, d: 1e308, e: 0.1 + 0.2 }],
  ])('stores data that looks like %s unchanged', async (_, data) => {
    const notes = mongoRepository<Note>(database, 'notes', defineRecordKind('Note'))
    await notes.removeAll({})
    await notes.add({ _id: numberedId(1), data: null })
    await notes.change({ _id: numberedId(1) }, (note) => ({ ...note, data: [data] }))
    expect(await notes.get({ _id: numberedId(1) })).toStrictEqual({ _id: numberedId(1), data: [data] })
    await notes.add({ _id: numberedId(2), data })
    expect(await notes.get({ _id: numberedId(2) })).toStrictEqual({ _id: numberedId(2), data })
  })

  it('never treats a field as an operator', async () => {
    await contacts().add(aContact())
    expect(await contacts().get({ $where: 'true' } as Where<Contact>)).toBeUndefined()
    expect(await contacts().get({ 'customFields.$exists': 'x' })).toBeUndefined()
  })

  it('hides the adapter’s fields, and keeps them', async () => {
    await contacts().add(aContact())
    await raw().updateOne({ _id: numberedId(1) }, { $set: { _steps: ['a'] } })
    expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(aContact())
    await contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Bea' }))
    expect(await raw().findOne({ _id: numberedId(1) })).toMatchObject({ name: 'Bea', _steps: ['a'] })
  })

  it('changes many records once, even if others change them concurrently', async () => {
    await contacts().add(aContact({ name: 'Ada' }))
    await contacts().add(aContact({ _id: numberedId(2), email: 'bea@example.com', name: 'Bea' }))
    const renamed = (one: Contact) => ({ ...one, name: `${one.name}!` })
    const others = through('bulkWrite', {
      before: () => contacts().change({ _id: numberedId(2) }, (one) => ({ ...one, name: 'Cleo' })),
      after: () => contacts().changeNext({}, renamed, { limit: 100 }),
    })
    await others.changeNext({}, renamed, { limit: 100 })
    expect(await contacts().get({ _id: numberedId(1) })).toMatchObject({ name: 'Ada!!' })
    expect(await contacts().get({ _id: numberedId(2) })).toMatchObject({ name: 'Cleo!!' })
  })

  it('changes and removes records without a revision', async () => {
    await raw().insertMany([aContact(), aContact({ _id: numberedId(2), email: 'bea@example.com' })])
    await contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Bea' }))
    expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(aContact({ name: 'Bea' }))
    expect(await contacts().remove({ _id: numberedId(2) })).toBeDefined()
  })

  it('calls the function again after a concurrent change', async () => {
    await contacts().add(aContact())
    const faster = () => contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Bea' }))
    const seen: string[] = []
    await through('updateOne', { before: faster }).change({ _id: numberedId(1) }, (one) => {
      seen.push(one.name)
      return { ...one, tags: [one.name] }
    })
    expect(seen).toEqual(['Ada', 'Bea'])
    expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(aContact({ name: 'Bea', tags: ['Bea'] }))
  })

  it('does not remove a concurrently changed record, unless it still matches', async () => {
    await contacts().add(aContact())
    const faster = () => contacts().change({ _id: numberedId(1) }, (one) => ({ ...one, name: 'Bea' }))
    expect(await through('deleteOne', { before: faster }).remove({ name: 'Ada' })).toBeUndefined()
    expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(aContact({ name: 'Bea' }))
  })

  it('recognises its own writes if the responses were lost', async () => {
    await through('insertOne', { after: lost }).add(aContact())
    let decided = 0
    const changed = await through('updateOne', { after: lost }).change({ _id: numberedId(1) }, (one) => {
      decided += 1
      return { ...one, name: `${one.name}!` }
    })
    expect([changed?.name, decided]).toEqual(['Ada!', 1])
    expect(await contacts().get({ _id: numberedId(1) })).toStrictEqual(aContact({ name: 'Ada!' }))
  })
})
