import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { stopServer } from '../../../../tests/server-process.js'
import { campaignThrough } from './campaign-through.js'
import { type Fleet, startFleet } from './fleet.js'

const patience = 300_000

onMongoDB('two API processes and two workers on one MongoDB', () => {
  let url = ''
  let fleet: Fleet
  beforeEach(async () => {
    url = databaseUrl()
    fleet = await startFleet(url)
  })
  afterEach(async () => {
    await fleet.close()
    await dropDatabase(url)
  })

  it(
    'serve every recipient of a campaign while workers are killed, stopped and started',
    () =>
      campaignThrough(fleet, async ({ inFlight, start }, [killed, ended]) => {
        await stopServer(killed, 'SIGKILL')
        const twice = await inFlight(killed)
        expect(await stopServer(ended)).toBe(0)
        await start('worker')
        return twice
      }),
    patience,
  )
})
