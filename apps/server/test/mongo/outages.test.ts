import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { mongodBinary } from '../../../../packages/adapters-mongo/test/server/mongod.js'
import { campaignThrough } from './campaign-through.js'
import { eventually, type Fleet, startFleet } from './fleet.js'
import { databaseOn, type OwnServer, startOwnServer } from './own-server.js'
import { startProxy } from './relay.js'

const patience = 400_000
const hasMembers = mongodBinary(process.env) !== undefined

onMongoDB('a campaign of two workers', () => {
  let server: OwnServer
  let fleet: Fleet
  let closing: (() => Promise<void>)[] = []
  const startOn = async (url: string) => {
    fleet = await startFleet(databaseOn(url, 'posthorn'))
    closing.unshift(fleet.close)
    return fleet
  }
  beforeEach(async () => {
    server = await startOwnServer()
    closing = [server.stop]
  })
  afterEach(async () => {
    for (const close of closing) await close()
  })

  const ready = async (base: string) => (await fetch(`${base}/readyz`)).status

  it(
    'outlives a database that is frozen for ten seconds',
    async () => {
      await startOn(server.url)
      await expect(
        campaignThrough(fleet, async ({ inFlight }, _workers, api) => {
          const most = await inFlight()
          const answers = pause(4_000).then(async () => [
            await ready(api.base),
            (await fetch(`${api.base}/healthz`)).status,
          ])
          const waiting = pause(500).then(() =>
            fetch(`${api.base}/v1/projectId/${'0'.repeat(24)}/campaigns`, { headers: { authorization: 'Bearer key' } }),
          )
          await server.freeze(10_000)
          expect(await answers).toEqual([503, 200])
          const { status, headers } = await waiting
          expect([status, headers.get('retry-after')]).toEqual([503, '5'])
          await eventually(async () => (await ready(api.base)) === 200)
          return most
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )

  it(
    'outlives connections that are cut again and again',
    async () => {
      const { hostname, port } = new URL(server.url)
      const proxy = await startProxy(hostname, Number(port))
      closing.unshift(proxy.close)
      await startOn(`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`)
      await expect(
        campaignThrough(fleet, async ({ inFlight }) => {
          let most = 0
          for (let n = 0; n < 10; n += 1) {
            proxy.cut()
            most = Math.max(most, await inFlight())
            await pause(300)
          }
          return most
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )

  it.skipIf(hasMembers)(
    'outlives a database that is stopped and started again on its file (mongo-java-server alone)',
    async () => {
      await startOn(server.url)
      await expect(
        campaignThrough(fleet, async ({ inFlight }) => {
          const most = await inFlight()
          await server.restart?.(3_000)
          return most
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )

  it.skipIf(!hasMembers)(
    'outlives a primary that steps down (a replica set of real servers alone)',
    async () => {
      const set = await startOwnServer({ members: 3 })
      closing.unshift(set.stop)
      await startOn(set.url)
      await expect(
        campaignThrough(fleet, async ({ inFlight }) => {
          const most = await inFlight()
          await set.stepDown?.()
          return most
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )
})
