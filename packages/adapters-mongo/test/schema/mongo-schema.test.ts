import { records } from '@posthorn/core/ports/storage'
import { aContact, numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type MongoDatabase, openMongoDatabase } from '../../src/connection/mongo-database.js'
import { ledgerIndexes } from '../../src/ledger/ledger-collections.js'
import { mongoRepository } from '../../src/records/mongo-repository.js'
import { prepareMongoSchema, schemaVersion } from '../../src/schema/mongo-schema.js'
import { dropDatabase, withDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

type Schema = { readonly _id: string; readonly version: number }

onMongoDB('a database of MongoDB', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  const migrated = <T>(work: (database: MongoDatabase) => Promise<T>) =>
    withDatabase(url, async (database) => {
      await prepareMongoSchema(database, {})
      return work(database)
    })
  const versionIn = async ({ collection }: MongoDatabase) => (await collection<Schema>('schema').findOne({}))?.version

  it('has the manifest’s keys and indexes, and a version', async () => {
    await migrated(async (database) => {
      expect(await versionIn(database)).toBe(schemaVersion)
      const indexes = await database.collection('contacts').listIndexes().toArray()
      expect(indexes).toContainEqual(expect.objectContaining({ key: { projectId: 1, emailKey: 1 }, unique: true }))
      expect(indexes).toContainEqual(expect.objectContaining({ key: { projectId: 1, _id: 1 } }))
      expect(indexes).toContainEqual(expect.objectContaining({ key: { projectId: 1, createdAt: 1, _id: 1 } }))
    })
  })

  it('may be created by several processes concurrently, and reopened', async () => {
    await Promise.all([1, 2, 3].map(() => migrated(async () => undefined)))
    await migrated(async (database) => expect(await versionIn(database)).toBe(schemaVersion))
  })

  it('gets a missing index back', async () => {
    await migrated(async (database) => {
      await database.collection('contacts').dropIndex('projectId_emailKey')
      await prepareMongoSchema(database, {})
      const contacts = mongoRepository(database, 'contacts', records.contacts)
      await contacts.add(aContact())
      await expect(contacts.add(aContact({ _id: numberedId(2) }))).rejects.toMatchObject({
        fields: ['projectId', 'emailKey'],
      })
    })
  })

  const named = async (database: MongoDatabase, collection: string, name: string) =>
    (await database.collection(collection).listIndexes().toArray()).find((index) => index.name === name)

  it('keeps an equal index with another name', async () => {
    await withDatabase(url, async (database) => {
      await database.collection('contacts').createIndex({ projectId: 1, _id: 1 }, { name: 'theirs' })
      await prepareMongoSchema(database, {})
      expect(await named(database, 'contacts', 'theirs')).toBeDefined()
      expect(await named(database, 'contacts', 'projectId__id')).toBeUndefined()
    })
  })

  it('with all indexes gets no command that creates or drops one', async () => {
    await migrated(async () => undefined)
    const sent: string[] = []
    const onCommand = ({ name }: { readonly name: string }) => void sent.push(name)
    const database = await openMongoDatabase({ url, log: () => {}, onCommand })
    await prepareMongoSchema(database, ledgerIndexes)
    sent.splice(0)
    await prepareMongoSchema(database, ledgerIndexes)
    expect(sent.filter((name) => /Indexes$/.test(name) && name !== 'listIndexes')).toEqual([])
    await database.close()
  })

  it.each([0, schemaVersion + 1])('of another version is refused and unchanged: version %i', async (version) => {
    await withDatabase(url, async (database) => {
      await database.collection<Schema>('schema').insertOne({ _id: 'posthorn', version })
      await expect(prepareMongoSchema(database, {})).rejects.toThrow(
        `its schema has version ${version}, and this version of Posthorn needs ${schemaVersion}.`,
      )
      expect((await database.db.listCollections().toArray()).map(({ name }) => name)).toEqual(['schema'])
    })
  })

  it('with records that violate a unique key is refused, naming them', async () => {
    await withDatabase(url, async (database) => {
      const both = [aContact({ _id: numberedId(1) }), aContact({ _id: numberedId(2) })]
      await database.collection<(typeof both)[0]>('contacts').insertMany(both)
      await expect(prepareMongoSchema(database, {})).rejects.toThrow(
        `contacts that must differ in projectId + emailKey do not: ${numberedId(1)} and ${numberedId(2)} with {"projectId":"${numberedId(0xb)}","emailKey":"ada@example.com"}`,
      )
      expect(await versionIn(database)).toBeUndefined()
    })
  })
})
