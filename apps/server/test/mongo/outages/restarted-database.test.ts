import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { mongodBinary } from '../../../../../packages/adapters-mongo/test/server/mongod.js'
import { patience, throughAnOutage } from './through-an-outage.js'

onMongoDB('a campaign of two workers', () => {
  it.skipIf(mongodBinary(process.env) !== undefined)(
    'survives a database that is restarted on its file (only on mongo-java-server)',
    async () => {
      await expect(
        throughAnOutage({
          disturb: async (server, { inFlight }) => {
            const most = await inFlight()
            await server.restart?.(3_000)
            return most
          },
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )
})
