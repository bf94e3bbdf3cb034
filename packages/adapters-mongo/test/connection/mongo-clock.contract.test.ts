import { storeClockContract } from '@posthorn/testkit/contracts'
import { mongoClock } from '../../src/connection/mongo-database.js'
import { anOpenDatabase } from '../an-open-database.js'
import { onMongoDB } from '../on-mongodb.js'

onMongoDB('the clock of MongoDB', () => {
  storeClockContract('MongoDB', async () => {
    const { db, close } = await anOpenDatabase()
    return { storeClock: mongoClock({ db }), now: () => new Date(), close }
  })
})
