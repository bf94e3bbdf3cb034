import { join } from 'node:path'
import { createCore } from '@posthorn/core'
import { inMemoryPorts } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { readConfig } from '../src/config.js'
import { operatorPagesAccess } from '../src/operator-access.js'
import { type StartedServer, startServer } from '../src/server.js'
import { commandsIn } from './terminal.js'

const data = temporaryDirectory()
const secret = 'a secret that only these tests have'
const password = 'correct horse battery staple'

let server: StartedServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
  data.remove()
})
const started = async (environment: Record<string, string> = {}) => {
  server = await startServer(
    readConfig({
      PORT: '0',
      POSTHORN_STORE: 'memory',
      POSTHORN_DATA_DIR: join(data.path, 'data'),
      POSTHORN_ROLES: 'api',
      POSTHORN_LOG_LEVEL: 'silent',
      POSTHORN_SECRET: secret,
      ...environment,
    }),
  )
  return server
}
const statusOf = async (url: string, headers: Record<string, string> = {}) => (await fetch(url, { headers })).status
/** As the operator makes it. */
const token = async (role: string) => {
  const options =
    role === 'admin' ? [] : ['--account', (await server?.core.accounts.create({ name: 'One' }))?._id ?? '']
  const run = commandsIn(join(data.path, 'data'), { POSTHORN_SECRET: secret })
  const { stdout } = await run('token', '--role', role, ...options)
  return stdout.trim()
}
const basic = { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` }

describe('a listener', () => {
  const { access } = createCore(inMemoryPorts().ports)
  let lines: string[] = []
  beforeEach(() => {
    lines = []
  })
  const loopback = (environment: Record<string, string>) =>
    operatorPagesAccess(readConfig(environment), { access }, (_level, message) => void lines.push(message)).loopback

  it.each([
    {},
    { HOST: 'localhost' },
    { HOST: '::1' },
    { HOST: '127.0.0.2' },
    { POSTHORN_PUBLIC_URL: 'http://127.0.0.1:8080' },
    { POSTHORN_PUBLIC_URL: 'http://[::1]:8080' },
  ])('is loopback only with %j', (environment) => {
    expect(loopback(environment as Record<string, string>)).toBe(true)
    expect(lines).toEqual([])
  })

  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.0.2.1' },
    { HOST: 'posthorn.internal' },
    { POSTHORN_PUBLIC_URL: 'https://mail.example.com' },
    { POSTHORN_TRUST_PROXY: '1' },
  ])('is open to others with %j', (environment) => {
    const given = environment as unknown as Record<string, string>
    expect(loopback(given)).toBe(false)
    expect(lines).toEqual([expect.stringContaining('POSTHORN_OPERATOR_PASSWORD opens them')])
    expect(loopback({ ...given, POSTHORN_OPERATOR_PASSWORD: password })).toBe(false)
    expect(lines).toHaveLength(1)
  })
})

describe('the outbox and the metrics', () => {
  it('need no configuration on this machine', async () => {
    const { base = '' } = await started()
    for (const path of ['/outbox', '/metrics']) expect(await statusOf(`${base}${path}`)).toBe(200)
    expect(await statusOf(`${base.replace('127.0.0.1', 'localhost')}/outbox`)).toBe(200)
  })

  it('are closed behind a public URL, except with an admin’s token', async () => {
    const { base = '' } = await started({
      POSTHORN_PUBLIC_URL: 'https://mail.example.com',
      POSTHORN_STORE: 'sqlite',
    })
    const [admin, owner] = [await token('admin'), await token('account-owner')]
    for (const path of ['/outbox', '/metrics']) {
      expect(await statusOf(`${base}${path}`)).toBe(404)
      expect(await statusOf(`${base}${path}`, { authorization: `Bearer ${owner}` })).toBe(404)
      expect(await statusOf(`${base}${path}`, { authorization: `Bearer ${admin}` })).toBe(200)
    }
  })

  it('are opened there by the password', async () => {
    const { base = '' } = await started({ POSTHORN_TRUST_PROXY: '1', POSTHORN_OPERATOR_PASSWORD: password })
    for (const path of ['/outbox', '/metrics']) {
      expect(await statusOf(`${base}${path}`)).toBe(401)
      expect(await statusOf(`${base}${path}`, basic)).toBe(200)
    }
  })
})

describe('metrics on their own port', () => {
  it('are served there, and no longer beside the API', async () => {
    const { base = '', metricsBase = '' } = await started({ POSTHORN_METRICS_PORT: '0' })
    await fetch(`${base}/v1/captcha`)
    expect(await (await fetch(`${metricsBase}/metrics`)).text()).toContain('route="getCaptcha"')
    expect(await statusOf(`${metricsBase}/v1/captcha`)).toBe(404)
    expect(await statusOf(`${base}/metrics`)).toBe(404)
  })

  it('are served for a worker, with its health checks, whatever the public URL is', async () => {
    const { base, metricsBase = '' } = await started({
      POSTHORN_ROLES: 'worker',
      POSTHORN_METRICS_PORT: '0',
      POSTHORN_PUBLIC_URL: 'https://mail.example.com',
    })
    expect(base).toBeUndefined()
    for (const path of ['/metrics', '/healthz', '/readyz']) expect(await statusOf(`${metricsBase}${path}`)).toBe(200)
  })
})
