import { existsSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort, temporaryDirectory } from '../../../tests/server-process.js'
import { openCommandContext } from '../src/cli/open-command-context.js'
import { type Config, readConfig } from '../src/config.js'
import { tokens } from '../src/container.js'
import { assertPortIsFree, listenerBaseUrl, UnusablePort } from '../src/listening.js'
import { type StartedServer, startServer } from '../src/server.js'

const data = temporaryDirectory()
const config = (environment: Record<string, string> = {}): Config =>
  readConfig({
    PORT: '0',
    POSTHORN_STORE: 'memory',
    POSTHORN_DATA_DIR: join(data.path, 'data'),
    POSTHORN_ROLES: 'api',
    POSTHORN_LOG_LEVEL: 'silent',
    ...environment,
  })

let server: StartedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
  data.remove()
})
const started = async (...args: Parameters<typeof startServer>) => {
  server = await startServer(...args)
  return server
}

describe('a start', () => {
  it('creates nothing if the port is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(startServer(config({ PORT: String(port) }))).rejects.toThrow(UnusablePort)
    expect(existsSync(join(data.path, 'data'))).toBe(false)
    other.close()
  })

  it('frees the port if a later step fails', async () => {
    const port = await freePort()
    const start = startServer(config({ PORT: String(port), POSTHORN_STORE: 'sqlite' }), () =>
      Promise.reject(new Error('not prepared')),
    )
    await expect(start).rejects.toThrow('not prepared')
    await assertPortIsFree({ port, host: '127.0.0.1' })
  })

  it('answers early requests after its preparation', async () => {
    const port = await freePort()
    const order: string[] = []
    let early: Promise<unknown> | undefined
    await started(config({ PORT: String(port) }), async () => {
      early = fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => order.push(`answered ${status}`))
      await new Promise((resolve) => setTimeout(resolve, 100))
      order.push('prepared')
    })
    await early
    expect(order).toEqual(['prepared', 'answered 200'])
  })

  it('builds links with the actual port, unless a public URL is given', async () => {
    const { base = '', container } = await started(config())
    const { port } = new URL(base)
    expect(container.get(tokens.ports).settings.publicUrl).toBe(`http://localhost:${port}`)
    expect(container.get(tokens.dataDirectory).notedPublicUrl()).toBe(`http://localhost:${port}`)
    const context = await openCommandContext({ POSTHORN_DATA_DIR: join(data.path, 'data') }, { create: true })
    expect(context.ports.settings.publicUrl).toBe(`http://localhost:${port}`)
    await context.close()
    expect(Number(port)).toBeGreaterThan(0)
    await server?.stop()
    const other = await started(config({ POSTHORN_PUBLIC_URL: 'https://mail.example.com' }))
    expect(other.container.get(tokens.ports).settings.publicUrl).toBe('https://mail.example.com')
  })
})

describe('the local URL of the server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
  ])('for %s is %s', (host, base) => {
    expect(listenerBaseUrl({ host }, { port: 3000 })).toBe(base)
  })
})

describe('stopping the server', () => {
  it('closes idle connections, and happens once if requested twice', async () => {
    const { base = '', stop } = await started(config())
    expect((await fetch(`${base}/healthz`)).status).toBe(200)
    await Promise.all([stop(), stop()])
    await expect(fetch(base)).rejects.toThrow('fetch failed')
  })

  it('waits some seconds for a request that never ends', async () => {
    const { base = '', stop } = await started(config())
    const socket = connect(Number(new URL(base).port), '127.0.0.1')
    await new Promise((resolve) => socket.write('POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n', resolve))
    const cut = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {}).resume()
    await Promise.all([stop(), cut])
    expect(socket.destroyed).toBe(true)
  })
})
