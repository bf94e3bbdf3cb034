import { createCore } from '@posthorn/core'
import type { Repository } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import type { Request, Response } from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mostDelayedRefusals, rateClassOf, requestRateLimits } from '../../src/admission/rate-limits.js'
import { type HttpAppOptions, httpApp, standardRateLimits } from '../../src/index.js'
import { type TestClient, testClient } from '../../src/testing.js'

let client: TestClient
afterEach(() => client.close())

const slow = (burst: number) => ({ perSecond: 0.001, burst })
/** When the next one is there, where the last was taken within these minutes. */
const aThousandSeconds = expect.stringMatching(/^(?:9\d\d|1000)$/)

/** A server whose look-ups of keys are counted. */
const start = async (options: Partial<HttpAppOptions>) => {
  const { ports } = inMemoryPorts()
  const { apiKeys } = ports.repositories
  let lookUps = 0
  const counted: typeof apiKeys = {
    ...apiKeys,
    get: async (...args: Parameters<Repository<never>['get']>) => {
      lookUps += 1
      return apiKeys.get(...(args as Parameters<typeof apiKeys.get>))
    },
  }
  const core = createCore({ ...ports, repositories: { ...ports.repositories, apiKeys: counted } })
  const { key, project } = await sampleProject(core)
  await core.projects.update({ projectId: project._id, caller: 'operator' }, { whiteList: ['shop.example.com'] })
  client = await testClient(httpApp({ core, publicUrl: 'https://mail.example.com', log: ports.log, ...options }))
  const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${client.base}${path}`, { ...init, headers })
  const path = `/v1/projectId/${project._id}`
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
  return { ask, path, key, bearer, lookUps: () => lookUps }
}

describe('a stranger with a new key for every request', () => {
  it('is counted by address, and stops causing lookups', async () => {
    const { ask, path, bearer, lookUps } = await start({ rateLimits: { api: slow(20) } })
    const statuses = []
    for (let n = 0; n < 60; n += 1) statuses.push((await ask(path, bearer(`wrong-${n}`))).status)
    expect(statuses.filter((status) => status !== 429)).toHaveLength(20)
    expect(lookUps()).toBe(20)
  })

  it('neither uses up nor evicts the bucket of a valid key', async () => {
    const { ask, path, key, bearer } = await start({
      rateLimits: { api: slow(5) },
      trustProxy: 1,
    })
    expect((await ask(path, bearer(key))).headers.get('x-ratelimit-remaining')).toBe('4')
    for (let n = 0; n < 10; n += 1) await ask(path, bearer(`wrong-${n}`))
    expect((await ask(path, bearer('wrong'))).status).toBe(429)
    const after = await ask(path, bearer(key))
    expect([after.status, after.headers.get('x-ratelimit-remaining')]).toEqual([200, '3'])
  })
})

describe('twelve thousand strangers, each with their own address and key', () => {
  it('leave the bucket of a valid key unchanged', () => {
    const { gate, proven } = requestRateLimits({ ...standardRateLimits, api: slow(5) })
    const request = (ip: string, key: string) =>
      ({ ip, path: '/v1/x', socket: {}, headers: { authorization: `Bearer ${key}` } }) as unknown as Request
    const remaining = (asked: Request) => {
      const set: Record<string, string> = {}
      const response = {
        setHeader: (name: string, value: string) => {
          set[name] = value
          return response
        },
      }
      gate(asked, response as unknown as Response, () => {})
      return set['x-ratelimit-remaining']
    }
    const real = request('192.0.2.1', 'real')
    remaining(real)
    proven(real)
    expect(remaining(request('192.0.2.1', 'real'))).toBe('3')
    for (let n = 0; n < 12_000; n += 1) remaining(request(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, `wrong-${n}`))
    expect(remaining(request('192.0.2.1', 'real'))).toBe('2')
  })
})

describe('a valid key', () => {
  it('has its own bucket from the first request on, and uses none of its address’s', async () => {
    const { ask, path, key, bearer } = await start({ rateLimits: { api: slow(10) } })
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(path, bearer(key))))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect((await ask(path, bearer(key))).status).toBe(429)
    expect((await ask(path)).headers.get('x-ratelimit-remaining')).toBe('9')
  })
})

describe('an expensive request', () => {
  it('counts as several: a CAPTCHA, or contacts of a segment', async () => {
    const { ask, path, key, bearer } = await start({ rateLimits: { api: slow(30) } })
    await ask('/v1/captcha')
    expect((await ask('/v1/captcha')).headers.get('x-ratelimit-remaining')).toBe('24')
    await ask(`${path}/contacts?filter[segment]=${encodeURIComponent('{"groups":[]}')}`, bearer(key))
    expect((await ask(path, bearer(key))).headers.get('x-ratelimit-remaining')).toBe('19')
  })

  it('is counted before it waits for its turn', async () => {
    const { ask } = await start({ rateLimits: { api: slow(30) } })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/v1/captcha')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6)
  })
})

describe('requests that arrive together', () => {
  /** Requests by address, and what was done for each in its order: let in, or refused. */
  const arrivals = (burst: number) => {
    const { gate, inTurn } = requestRateLimits({ ...standardRateLimits, api: slow(burst) })
    const done: string[] = []
    const arrive = (ip: string) => {
      const request = { ip, path: '/v1/x', socket: {}, headers: {} } as unknown as Request
      const response = {
        set: () => response,
        status: () => response,
        setHeader: () => response,
        end: () => done.push(`${ip} refused`),
      } as unknown as Response
      gate(request, response, () => inTurn(request, response, () => done.push(ip)))
    }
    return { arrive, done }
  }
  const [crowd, single] = ['192.0.2.1', '192.0.2.2']

  it('start at most sixteen per turn of the event loop', async () => {
    const { arrive, done } = arrivals(200)
    const begun: number[] = []
    for (let n = 0; n < 50; n += 1) arrive(crowd)
    for (let n = 0; n < 20; n += 1) {
      begun.push(done.length)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const together = begun.map((count, turn) => count - (begun[turn - 1] ?? 0))
    expect(Math.max(...together)).toBe(16)
    await vi.waitFor(() => expect(done).toHaveLength(50), 30_000)
  })

  it('let a single request from another address in between', async () => {
    const { arrive, done } = arrivals(200)
    for (let n = 0; n < 50; n += 1) arrive(crowd)
    arrive(single)
    await vi.waitFor(() => expect(done).toHaveLength(51), 30_000)
    expect(done.indexOf(single)).toBeLessThanOrEqual(2)
  })

  it('let it in between refusals, too', async () => {
    const { arrive, done } = arrivals(1)
    for (let n = 0; n < 50; n += 1) arrive(crowd)
    arrive(single)
    await vi.waitFor(() => expect(done).toHaveLength(51), 30_000)
    expect(done.indexOf(single)).toBeLessThanOrEqual(2)
    expect(done.filter((one) => one === `${crowd} refused`)).toHaveLength(49)
  })

  it('are refused without delay if too many refusals wait already', async () => {
    const { arrive, done } = arrivals(1)
    for (let n = 0; n < mostDelayedRefusals + 11; n += 1) arrive(crowd)
    expect(done).toEqual([crowd, ...Array.from({ length: 10 }, () => `${crowd} refused`)])
    await vi.waitFor(() => expect(done).toHaveLength(mostDelayedRefusals + 11), 30_000)
  })
})

describe('every path', () => {
  it.each([
    ['/v1/projectId/x/contacts', 'api'],
    ['/v1', 'api'],
    ['/V1/captcha', 'api'],
    ['/v1/verify', 'pages'],
    ['/v1/openapi.json', 'pages'],
    ['/preferences', 'pages'],
    ['/docs/reference.css', 'pages'],
    ['/outbox', 'pages'],
    ['/', 'pages'],
    ['/metrics', 'pages'],
    ['/nothing', 'pages'],
    ['/gallery/x.png', 'images'],
    ['/v1/subscriber-lists/l/a%40example.com/unsubscribe', 'unsubscribe'],
    ['/v1/ses/events', 'events'],
  ])('is counted: %s with the %s', (path, as) => {
    expect(rateClassOf(path)).toBe(as)
  })

  it.each(['/preferences?token=x', '/v1/verify?token=x', '/docs/', '/outbox', '/nothing'])(
    'has a limit, which a page explains: %s',
    async (path) => {
      const { ask } = await start({ rateLimits: { pages: slow(2) } })
      for (let n = 0; n < 2; n += 1) expect((await ask(path)).status).not.toBe(429)
      const refused = await ask(path)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, aThousandSeconds])
      expect(refused.headers.get('content-type')).toContain('text/html')
      expect(await refused.text()).toContain('Please try again')
      expect((await ask('/healthz')).status).toBe(200)
    },
  )

  it('has separate buckets for images and unsubscriptions, which mail providers request', async () => {
    const { ask } = await start({ rateLimits: { pages: slow(1), api: slow(1), images: slow(2), unsubscribe: slow(2) } })
    const unsubscribe = '/v1/subscriber-lists/l/a%40example.com/unsubscribe?token=x'
    for (const path of ['/preferences', '/v1/captcha']) for (const _ of [1, 2]) await ask(path)
    const statuses = async (path: string, init: RequestInit = {}) => {
      const all = []
      for (let n = 0; n < 3; n += 1) all.push((await ask(path, {}, init)).status)
      return all
    }
    expect(await statuses('/gallery/none.png')).toEqual([404, 404, 429])
    expect(await statuses(unsubscribe, { method: 'POST' })).toEqual([403, 403, 429])
  })

  it('answers a delayed unsubscription with the API’s envelope for programs and a page for people', async () => {
    const { ask } = await start({ rateLimits: { unsubscribe: slow(1) } })
    const unsubscribe = '/v1/subscriber-lists/l/a%40example.com/unsubscribe?token=x'
    await ask(unsubscribe)
    const program = await ask(unsubscribe, {}, { method: 'POST' })
    expect(await program.json()).toMatchObject({ status: 429, error: { name: 'TOO_MANY_REQUESTS' } })
    const person = await ask(unsubscribe, { accept: 'text/html,*/*;q=0.8' })
    expect(await person.text()).toContain('<h1>Please wait a moment</h1>')
  })
})

describe('a refusal to a page of another site', () => {
  it('can be read there, and names the time to retry', async () => {
    const { ask, path } = await start({ rateLimits: { api: slow(1) } })
    const origin = { origin: 'https://shop.example.com' }
    await ask(`${path}/contacts/a@example.com`, origin)
    const { status, headers } = await ask(`${path}/contacts/a@example.com`, origin)
    expect([status, headers.get('access-control-allow-origin'), headers.get('retry-after')]).toEqual([
      429,
      '*',
      aThousandSeconds,
    ])
    expect(headers.get('access-control-expose-headers')).toBe('Retry-After')
  })

  it('is readable after a preflight, because preflights are not limited', async () => {
    const { ask, path } = await start({ rateLimits: { api: slow(1) } })
    const url = `${path}/contacts`
    const origin = { origin: 'https://shop.example.com' }
    const preflight = () => ask(url, { ...origin, 'access-control-request-method': 'POST' }, { method: 'OPTIONS' })
    await preflight()
    const { status, headers } = await preflight()
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(headers.get('access-control-allow-methods')).toBe('POST')
    expect(headers.get('access-control-allow-headers')).toContain('content-type')
    const refused = await ask(url, { ...origin, 'content-type': 'application/json' }, { method: 'POST', body: '{}' })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, '*'])
    expect((await ask(url, origin, { method: 'OPTIONS' })).status).toBe(429)
  })
})

describe('visitors behind a proxy', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const remaining = async (ask: Awaited<ReturnType<typeof start>>['ask'], address: string) =>
    (await ask('/v1/nothing', from(address))).headers.get('x-ratelimit-remaining')

  it('have one bucket per address behind a trusted proxy, and one per /64 in IPv6', async () => {
    const { ask } = await start({ rateLimits: { api: slow(9) }, trustProxy: 1 })
    expect(await remaining(ask, '198.51.100.1')).toBe('8')
    expect(await remaining(ask, '198.51.100.2')).toBe('8')
    expect(await remaining(ask, '2001:db8::1')).toBe('8')
    expect(await remaining(ask, '2001:db8::2')).toBe('7')
    expect(await remaining(ask, '203.0.113.9, 198.51.100.1')).toBe('7')
  })

  it('are also recognised by the trusted proxy’s address', async () => {
    const { ask } = await start({ rateLimits: { api: slow(9) }, trustProxy: ['loopback', '10.0.0.0/8'] })
    expect(await remaining(ask, '198.51.100.1, 10.1.2.3')).toBe('8')
    expect(await remaining(ask, '198.51.100.2, 10.1.2.3')).toBe('8')
    expect(await remaining(ask, '203.0.113.9, 198.51.100.1')).toBe('7')
  })

  it('are counted by connection if no proxy is trusted', async () => {
    const { ask } = await start({ rateLimits: { api: slow(9) } })
    expect(await remaining(ask, '198.51.100.1')).toBe('8')
    expect(await remaining(ask, '198.51.100.2')).toBe('7')
  })
})

describe('the server’s own name', () => {
  it('is its public URL, whatever a proxy claims', async () => {
    const { ask, path, key, bearer } = await start({ trustProxy: 1 })
    for (let n = 0; n < 2; n += 1)
      await ask(
        `${path}/contacts`,
        { ...bearer(key), 'content-type': 'application/json' },
        {
          method: 'POST',
          body: JSON.stringify({ email: `a${n}@example.com` }),
        },
      )
    const answer = await ask(`${path}/contacts?limit=1`, {
      ...bearer(key),
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
    })
    const { result } = (await answer.json()) as { result: { next: string } }
    expect(result.next).toMatch(/^https:\/\/mail\.example\.com\/v1\//)
  })
})

describe('the readiness check', () => {
  it('queries the store once for simultaneous requests', async () => {
    let looks = 0
    const { ask } = await start({
      ready: async () => {
        looks += 1
        await new Promise((resolve) => setTimeout(resolve, 200))
        return true
      },
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/readyz')))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(looks).toBeLessThan(20)
    expect((await ask('/readyz')).status).toBe(200)
  })
})
