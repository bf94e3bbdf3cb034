import { mongodBinary } from '../../../../../packages/adapters-mongo/test/server/mongod.js'
import { throughAnOutage } from './through-an-outage.js'

throughAnOutage({
  title: 'outlives a primary that steps down (a replica set of real servers alone)',
  members: 3,
  isOut: mongodBinary(process.env) === undefined,
  disturb: async (server, { inFlight }) => {
    const most = await inFlight()
    await server.stepDown?.()
    return most
  },
})
