import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { mongodBinary } from '../../../../../packages/adapters-mongo/test/server/mongod.js'
import { patience, throughAnOutage } from './through-an-outage.js'

onMongoDB('a campaign of two workers', () => {
  it.skipIf(mongodBinary(process.env) === undefined)(
    'survives a primary that steps down (only on a replica set of real servers)',
    async () => {
      await expect(
        throughAnOutage({
          members: 3,
          disturb: async (server, { inFlight }) => {
            const most = await inFlight()
            await server.stepDown?.()
            return most
          },
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )
})
