import { get, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { httpApp } from '../../src/index.js'
import { version } from '../../src/version.js'
import { aWorld, unlimited } from '../world.js'

type Options = Partial<Parameters<typeof httpApp>[0]>

let close: () => Promise<void> = async () => {}
afterEach(() => close())

const onThisMachine = { loopback: true, hosts: ['localhost'], isAdmin: () => false }
const mount = [{ path: '/outbox', handler: (_request: unknown, response: { end: () => void }) => response.end() }]

const start = async (options: Options = {}) => {
  const { core, ports, client } = await aWorld()
  await client.close()
  const settings = { core, publicUrl: ports.settings.publicUrl, log: ports.log, rateLimits: unlimited, mount }
  const server = httpApp({ ...settings, ...options }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  close = () => new Promise((resolve) => server.close(() => resolve()))
  /** By node’s own client, which names the server as it is told to. */
  return (headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/', headers }, (response) => {
        const { statusCode: status, headers } = response
        text(response).then((read) => resolve({ status, headers, text: read }), reject)
      }).once('error', reject)
    })
}

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('the front page', () => {
  it('says what this server is, that it is ready, and links to its pages', async () => {
    const ask = await start({ operatorAccess: onThisMachine })
    const { status, headers, text } = await ask(asBrowser)
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'text/html; charset=utf-8', 'Accept'])
    for (const part of [
      'Posthorn',
      `Version ${version}`,
      'Ready',
      'href="/console"',
      'href="/docs"',
      'href="/outbox"',
      'href="/metrics"',
    ])
      expect(text).toContain(part)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  it.each(['application/json', '*/*', ''])('is JSON for clients that accept %j', async (accept) => {
    const ask = await start({ operatorAccess: onThisMachine })
    const { headers, text } = await ask(accept ? { accept } : {})
    expect(headers['content-type']).toContain('application/json')
    expect(JSON.parse(text)).toEqual({
      status: 200,
      result: {
        name: 'Posthorn',
        version,
        ready: true,
        links: {
          console: '/console',
          reference: '/docs',
          description: '/v1/openapi.json',
          outbox: '/outbox',
          metrics: '/metrics',
        },
      },
    })
  })

  it('says when the server is not ready', async () => {
    const ask = await start({ ready: async () => false })
    expect((await ask(asBrowser)).text).toContain('Not ready')
    expect(JSON.parse((await ask()).text)).toMatchObject({ result: { ready: false } })
  })

  const strange = { ...onThisMachine, loopback: false }
  it.each<[string, Options, Record<string, string>]>([
    ['nobody is the operator', {}, {}],
    ['strangers might come and there is no password', { operatorAccess: strange }, {}],
    ['the request came through a proxy', { operatorAccess: onThisMachine }, { 'x-forwarded-for': '192.0.2.1' }],
    [
      'the server is called by another name',
      { operatorAccess: { ...strange, password: 'x' } },
      { host: 'evil.example' },
    ],
  ])('does not mention the operator’s pages where %s', async (_, options, headers) => {
    const ask = await start(options)
    for (const accept of [asBrowser.accept, 'application/json']) {
      const { text } = await ask({ ...headers, accept })
      expect(text).not.toMatch(/outbox|metrics/i)
    }
  })

  it('links to them if they ask for a password', async () => {
    const ask = await start({ operatorAccess: { ...strange, hosts: ['127.0.0.1'], password: 'secret word' } })
    const { text } = await ask(asBrowser)
    expect(text).toContain('href="/outbox"')
    expect(text).not.toContain('secret word')
  })
})
