import { expect, it } from 'vitest'
import { openMongoDatabase } from '../src/mongo-database.js'
import { databaseUrl, onMongoDB } from './on-mongodb.js'

const log = () => {}

onMongoDB('a database on MongoDB', () => {
  it('is the one that the address names, and answers', async () => {
    const database = await openMongoDatabase({ url: databaseUrl('posthorn_test_named'), log })
    expect(database.db.databaseName).toBe('posthorn_test_named')
    expect(await database.ready()).toBe(true)
    await database.close()
    expect(await database.ready()).toBe(false)
  })

  it('that cannot be reached is refused with a message that keeps the password', async () => {
    const opened = openMongoDatabase({ url: 'mongodb://ada:secret@127.0.0.1:1/posthorn', log })
    await expect(opened).rejects.toThrow(/^The database mongodb:\/\/…@127\.0\.0\.1:1\/posthorn cannot be opened: /)
    await expect(opened).rejects.not.toThrow(/secret/)
  })

  it('with an address that is none is refused', async () => {
    await expect(openMongoDatabase({ url: 'postgres://localhost', log })).rejects.toThrow('cannot be opened')
  })
})
