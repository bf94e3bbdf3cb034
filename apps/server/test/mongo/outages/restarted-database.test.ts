import { mongodBinary } from '../../../../../packages/adapters-mongo/test/server/mongod.js'
import { throughAnOutage } from './through-an-outage.js'

throughAnOutage({
  title: 'outlives a database that is stopped and started again on its file (mongo-java-server alone)',
  isOut: mongodBinary(process.env) !== undefined,
  disturb: async (server, { inFlight }) => {
    const most = await inFlight()
    await server.restart?.(3_000)
    return most
  },
})
