import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { startProxy } from '../relay.js'
import { patience, throughAnOutage } from './through-an-outage.js'

let cut: () => void

onMongoDB('a campaign of two workers', () => {
  it(
    'survives connections that are cut again and again',
    async () => {
      await expect(
        throughAnOutage({
          reachedBy: async ({ url }, closing) => {
            const { hostname, port } = new URL(url)
            const proxy = await startProxy(hostname, Number(port))
            closing(proxy.close)
            cut = proxy.cut
            return `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`
          },
          disturb: async (_server, { inFlight }) => {
            let most = 0
            for (let n = 0; n < 10; n += 1) {
              cut()
              most = Math.max(most, await inFlight())
              await pause(300)
            }
            return most
          },
        }),
      ).resolves.toBeUndefined()
    },
    patience,
  )
})
