import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { eventually } from '../fleet.js'
import { patience, throughAnOutage } from './through-an-outage.js'

const ready = async (base: string) => (await fetch(`${base}/readyz`)).status

onMongoDB('a campaign of two workers', () => {
  it(
    'survives a database that is frozen for ten seconds',
    async () => {
      await expect(
        throughAnOutage({
          disturb: async (server, { inFlight }, _workers, api) => {
            const most = await inFlight()
            const answers = pause(4_000).then(async () => [
              await ready(api.base),
              (await fetch(`${api.base}/healthz`)).status,
            ])
            const waiting = pause(500).then(() =>
              fetch(`${api.base}/v1/projectId/${'0'.repeat(24)}/campaigns`, {
                headers: { authorization: 'Bearer key' },
              }),
            )
            await server.freeze(10_000, Promise.allSettled([answers, waiting]))
            expect(await answers).toEqual([503, 200])
            const { status, headers } = await waiting
            expect([status, headers.get('retry-after')]).toEqual([503, '5'])
            await eventually(async () => (await ready(api.base)) === 200)
            return most
          },
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )
})
