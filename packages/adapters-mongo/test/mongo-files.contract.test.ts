import { filesContract } from '@posthorn/testkit/contracts'
import { mongoFiles } from '../src/mongo-files.js'
import { anOpenDatabase } from './an-open-database.js'
import { onMongoDB } from './on-mongodb.js'

onMongoDB('GridFS', () => {
  filesContract('GridFS', async () => {
    const { db, close } = await anOpenDatabase()
    return { files: mongoFiles(db), close }
  })
})
