import { setTimeout as pause } from 'node:timers/promises'
import { startProxy } from '../relay.js'
import { throughAnOutage } from './through-an-outage.js'

let cut: () => void

throughAnOutage({
  title: 'outlives connections that are cut again and again',
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
})
