import { get as httpGet } from 'node:http'
import { createCore } from '@posthorn/core'
import { inMemoryPorts } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { httpApp, httpMetrics, metricsApp, type OperatorPageAccess } from '../src/index.js'
import { hostWithoutPort } from '../src/operator-access.js'
import { type TestClient, testClient } from '../src/testing.js'

let client: TestClient
afterEach(() => client.close())

const password = 'correct horse battery staple'

/** A server with an outbox; asks with whatever Host, which `fetch` does not let one choose. */
const start = async (access: Partial<OperatorPageAccess> = {}) => {
  const { ports } = inMemoryPorts()
  const operatorAccess = { loopback: true, hosts: [], isAdmin: (bearer: string) => bearer === 'admins', ...access }
  client = await testClient(
    httpApp({
      core: createCore(ports),
      publicUrl: 'http://localhost:3000',
      log: ports.log,
      operatorAccess,
      mount: [{ path: '/outbox', handler: (_request, response) => void response.send('all mail') }],
    }),
  )
  return (headers: Record<string, string> = {}, path = '/outbox') => asking(`${client.base}${path}`, headers)
}

const asking = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }>((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
    }).on('error', reject)
  })

const basic = (given: string, user = 'operator') => ({
  authorization: `Basic ${Buffer.from(`${user}:${given}`).toString('base64')}`,
})

describe('the outbox and the metrics of a server on loopback', () => {
  it.each(['/outbox', '/metrics'])('need no credentials under this machine’s own names: %s', async (path) => {
    const ask = await start()
    for (const host of ['localhost', 'localhost:3000', '127.0.0.1:8080', 'LOCALHOST.', '[::1]:3000'])
      expect((await ask({ host }, path)).status).toBe(200)
  })

  it.each(['/outbox', '/outbox/x', '/metrics'])('are refused under any other name: %s', async (path) => {
    const ask = await start({ password })
    for (const host of [
      'evil.example',
      'evil.example:3000',
      '127.0.0.1.evil.example',
      'localhost@evil.example',
      '192.0.2.1',
      'a b',
    ])
      for (const more of [{}, basic(password)]) {
        const { status, text } = await ask({ host, ...more }, path)
        expect(status).toBe(host === 'a b' ? status : 403)
        expect(text).not.toContain('all mail')
        expect(text).not.toContain('posthorn_')
      }
  })

  it('are available under the configured names', async () => {
    const ask = await start({ hosts: ['mail.example.com', 'Posthorn.internal:8080'] })
    for (const host of ['mail.example.com', 'mail.example.com:8443', 'posthorn.internal'])
      expect((await ask({ host })).status).toBe(200)
  })

  it.each(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])(
    'require credentials if a proxy forwarded the request: %s',
    async (name) => {
      const ask = await start({ password })
      expect((await ask({ [name]: '127.0.0.1' })).status).toBe(401)
      expect((await ask({ [name]: '127.0.0.1', ...basic(password) })).status).toBe(200)
    },
  )
})

describe('on any other listener', () => {
  it('they require the password with any user name, or an admin’s token', async () => {
    const ask = await start({ loopback: false, password })
    const asked = await ask()
    expect([asked.status, asked.headers['www-authenticate']]).toEqual([401, 'Basic realm="Posthorn", charset="UTF-8"'])
    expect(asked.text).not.toContain('all mail')
    for (const right of [basic(password), basic(password, ''), { authorization: 'Bearer admins' }])
      expect(await ask(right)).toMatchObject({ status: 200, text: 'all mail' })
    for (const wrong of [
      basic('wrong'),
      basic(''),
      basic(`${password} `),
      { authorization: 'Bearer somebody' },
      { authorization: `Bearer ${password}` },
      { authorization: 'Basic !' },
      { authorization: `Basic ${Buffer.from(password).toString('base64')}` },
    ])
      expect((await ask(wrong)).status).toBe(401)
  })

  it('they return 404 without a password, except for an admin', async () => {
    const ask = await start({ loopback: false })
    for (const path of ['/outbox', '/metrics'])
      for (const headers of [{}, basic(''), basic('undefined'), { authorization: 'Bearer x' }])
        expect((await ask(headers, path)).status).toBe(404)
    expect((await ask({ authorization: 'Bearer admins' }, '/metrics')).text).toContain('process_cpu')
  })

  it('they return 429 after ten wrong credentials, and name the time to retry', async () => {
    const ask = await start({ loopback: false, password })
    for (let n = 0; n < 30; n += 1) expect((await ask(basic(password))).status).toBe(200)
    for (let n = 0; n < 10; n += 1) expect((await ask(basic(`wrong ${n}`))).status).toBe(401)
    const { status, headers } = await ask(basic(password))
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask()).status).toBe(401)
  })
})

describe('a server without operator access', () => {
  it('serves neither page', async () => {
    const { ports } = inMemoryPorts()
    client = await testClient(httpApp({ core: createCore(ports), publicUrl: 'http://localhost:3000', log: ports.log }))
    expect((await asking(`${client.base}/metrics`, {})).status).toBe(404)
  })
})

describe('metrics on their own listener', () => {
  it('are served with the health checks only, under the same rules', async () => {
    const { ports } = inMemoryPorts()
    const operatorAccess = { loopback: true, hosts: [], isAdmin: () => false }
    let isReady = true
    let reason: string | undefined
    const ready = async () => isReady
    client = await testClient(
      metricsApp({ metrics: httpMetrics(), ready, notReady: () => reason, operatorAccess, log: ports.log }),
    )
    const ask = (path: string, headers = {}) => asking(`${client.base}${path}`, headers)
    expect((await ask('/metrics')).text).toContain('process_cpu')
    expect((await ask('/metrics', { host: 'evil.example' })).status).toBe(403)
    expect(JSON.parse((await ask('/v1/captcha')).text)).toMatchObject({ status: 404 })
    const health = async () =>
      (await Promise.all(['/healthz', '/readyz'].map((path) => ask(path)))).map(({ status }) => status)
    expect(await health()).toEqual([200, 200])
    isReady = false
    expect(await health()).toEqual([200, 503])
    isReady = true
    reason = 'The clock of this process is 9 s ahead of the database’s.'
    expect(await health()).toEqual([200, 503])
    expect(JSON.parse((await ask('/readyz')).text)).toEqual({ status: 'not ready', reason })
  })
})

describe('the host name in a Host header', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.:80', 'example.com'],
    ['[2001:DB8::1]:80', '2001:db8::1'],
    ['127.0.0.1', '127.0.0.1'],
    [undefined, undefined],
    ['', undefined],
    ['a@b', undefined],
    ['a/b', undefined],
    ['[::1', undefined],
    ['a:b', undefined],
  ])('of %s is %s', (host, name) => {
    expect(hostWithoutPort(host)).toBe(name)
  })
})
