import { type Core, createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { type TestClient, testClient } from '../src/testing.js'
import { unlimited } from './world.js'

const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG'

/** The value with a secret in it, and in every object of those of its fields. */
const withSecret = <T extends object>(value: T, ...fields: readonly string[]): T =>
  ({
    ...Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        if (!fields.includes(key)) return [key, one]
        return [key, Array.isArray(one) ? one.map((item) => withSecret(item, ...fields)) : withSecret(one, ...fields)]
      }),
    ),
    secretAccessKey,
  }) as T

/** The use case, which answers a secret beside what it should, and in those fields. */
const leaky =
  <A extends readonly unknown[], T extends object>(
    useCase: (...given: A) => Promise<T>,
    ...fields: readonly string[]
  ) =>
  async (...given: A): Promise<T> =>
    withSecret(await useCase(...given), ...fields)

const clients: TestClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const start = async (change: (core: Core) => Partial<Core>) => {
  const { ports, lines } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, key } = await sampleProject(core)
  const { log, repositories, secrets } = ports
  const changed = { ...core, ...change(core) }
  const { publicUrl } = ports.settings
  const client = await testClient(httpApp({ core: changed, publicUrl, log, rateLimits: unlimited }))
  clients.push(client)
  const ask = async (
    path: string,
    init: { readonly body?: object; readonly headers?: Record<string, string> } = {},
  ) => {
    const answer = await fetch(`${client.base}/v1/projectId/${scope.projectId}/${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
      ...(init.body && { method: 'POST', body: JSON.stringify(init.body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, result: JSON.parse(text).result }
  }
  return { core, scope, repositories, secrets, lines, ask }
}

describe('a field that the view does not name', () => {
  it('is not sent, even if a use case returns it', async () => {
    const { core, scope, ask } = await start(({ segments }) => ({
      segments: { ...segments, get: leaky(segments.get) },
    }))
    const made = await core.segments.create(scope, { name: 'VIP' })
    const { status, text, result } = await ask(`segments/${made._id}`)
    expect({ status, result }).toEqual({ status: 200, result: made })
    expect(text).not.toContain(secretAccessKey)
  })

  it('is not sent from nested objects', async () => {
    const { core, scope, ask } = await start(({ domains }) => ({
      domains: { ...domains, get: leaky(domains.get, 'requiredDns', 'tenant', 'standing') },
    }))
    const made = await core.domains.create(scope, { domain: 'example.org', region: 'eu-west-1' })
    const { status, text, result } = await ask(`domains/${made._id}`)
    expect({ status, result }).toEqual({ status: 200, result: JSON.parse(JSON.stringify(made)) })
    expect(text).not.toContain(secretAccessKey)
  })

  it('is not sent with the items of a list, nor beside them', async () => {
    const { core, scope, ask } = await start(({ segments }) => ({
      segments: { ...segments, list: leaky(segments.list, 'items') },
    }))
    const made = await core.segments.create(scope, { name: 'VIP' })
    const { status, text, result } = await ask('segments')
    expect({ status, result }).toEqual({ status: 200, result: { items: [made], count: 1, next: null } })
    expect(text).not.toContain(secretAccessKey)
  })

  it('is not sent with a streamed list', async () => {
    const { core, scope, ask } = await start(({ suppressions }) => ({
      suppressions: {
        ...suppressions,
        all: async function* (...given: Parameters<typeof suppressions.all>) {
          for await (const one of suppressions.all(...given)) yield withSecret(one)
        },
      },
    }))
    const made = await core.suppressions.create(scope, { email: 'ada@example.com' })
    const { status, text, result } = await ask('suppression-list?limit=unlimited')
    expect({ status, result }).toEqual({ status: 200, result: { items: [made], count: 1, next: null } })
    expect(text).not.toContain(secretAccessKey)
  })

  it('is neither sent nor stored for the Idempotency-Key', async () => {
    const { ask, repositories, secrets } = await start(({ segments }) => ({
      segments: { ...segments, create: leaky(segments.create) },
    }))
    const request = { body: { name: 'VIP' }, headers: { 'Idempotency-Key': 'a-key-of-this-request' } }
    const first = await ask('segments', request)
    const second = await ask('segments', request)
    expect(first.status).toBe(201)
    expect(second.text).toBe(first.text)
    expect(first.text).not.toContain(secretAccessKey)
    for await (const { answer } of repositories.idempotentRequests.each({})) {
      const stored = secrets.open(answer ?? '')
      expect(stored).toContain('VIP')
      expect(stored).not.toContain(secretAccessKey)
    }
  })
})

it('a result that its view rejects is logged as an error, and nothing of it is sent', async () => {
  const { core, scope, lines, ask } = await start(({ segments }) => ({
    segments: {
      ...segments,
      get: async (...given) => ({ ...(await segments.get(...given)), name: { secretAccessKey } as unknown as string }),
    },
  }))
  const made = await core.segments.create(scope, { name: 'VIP' })
  const { status, text } = await ask(`segments/${made._id}`)
  expect(status).toBe(500)
  expect(text).not.toContain(secretAccessKey)
  expect(lines.find(({ message }) => message === 'A request failed')).toMatchObject({ level: 'error' })
})
