import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { onMongoDB } from '../../../../../packages/adapters-mongo/test/on-mongodb.js'
import { startBuiltServer, stopServer, temporaryDirectory, until } from '../../../../../tests/server-process.js'
import { databaseOn, startOwnServer } from '../own-server.js'
import { startStallingProxy } from '../relay.js'

const patience = 240_000

onMongoDB('a server whose database stalls while its worker starts', () => {
  it(
    'continues after 17 seconds, is not ready before, and logs the outage once',
    async () => {
      const database = await startOwnServer()
      const data = temporaryDirectory()
      const closing: (() => unknown)[] = [data.remove, database.stop]
      try {
        const { hostname, port } = new URL(database.url)
        // The name of the first job that a worker plans.
        const proxy = await startStallingProxy(hostname, Number(port), 'maintenance')
        closing.unshift(proxy.close)
        const url = databaseOn(`mongodb://127.0.0.1:${proxy.port}/?directConnection=true`, 'posthorn')
        const server = await startBuiltServer(data.path, { MONGODB_URL: url, POSTHORN_LOG_LEVEL: 'info' })
        const stopped = stopServer.bind(undefined, server)
        await until(() => proxy.hasStalled())
        const stall = pause(17_000)
        const ready = async () => {
          const response = await fetch(`${server.base}/readyz`)
          return [response.status, await response.json()]
        }
        expect(await ready()).toEqual([
          503,
          { status: 'not ready', reason: 'The worker has not started yet: it waits for the database.' },
        ])
        await stall
        proxy.goOn()
        await until(async () => (await ready())[0] === 200)
        expect(server.printed().match(/"msg":"The database does not answer/g)).toHaveLength(1)
        expect(await stopped()).toBe(0)
      } finally {
        for (const close of closing) await close()
      }
    },
    patience,
  )
})

onMongoDB('a server whose database stalls right after it was ready', () => {
  it(
    'continues after 17 seconds, and is not ready in between',
    async () => {
      const database = await startOwnServer()
      const data = temporaryDirectory()
      try {
        const server = await startBuiltServer(data.path, { MONGODB_URL: databaseOn(database.url, 'posthorn') })
        const status = async () => (await fetch(`${server.base}/readyz`)).status
        await until(async () => (await status()) === 200)
        const unready = until(async () => (await status()) === 503)
        await database.freeze(17_000, unready)
        await unready
        await until(async () => (await status()) === 200)
        expect(await stopServer(server)).toBe(0)
      } finally {
        data.remove()
        await database.stop()
      }
    },
    patience,
  )
})
