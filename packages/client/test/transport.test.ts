import { describe, expect, it } from 'vitest'
import {
  AuthorizationError,
  BlockedError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PayloadTooLargeError,
  PosthornError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from '../src/index.js'
import { sleep } from '../src/retries.js'
import { readResult, type Sent, type TransportOptions, transport } from '../src/transport.js'

type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'broken'
  | 'silent'

const silent = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** Gives one answer after the other, and keeps the requests and waits. */
const aServerThat = (answers: readonly Answer[], options: Partial<TransportOptions> = {}) => {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const waits: number[] = []
  const send = transport({
    baseUrl: 'https://mail.example.com',
    fetch: async (url, init = {}) => {
      requests.push({ url: url instanceof Request ? url.url : url.toString(), init })
      const answer = answers[requests.length - 1] ?? 'broken'
      if (answer === 'broken') throw new TypeError('fetch failed')
      if (answer === 'silent') return silent(init.signal)
      const { status, headers = {}, body = { status, result: 'done' } } = answer
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    },
    sleep: async (milliseconds) => {
      waits.push(milliseconds)
    },
    random: () => 0,
    ...options,
  })
  return {
    requests,
    waits,
    call: (sent: Partial<Sent> = {}) => send({ method: 'GET', path: '/v1/captcha', ...sent }, readResult),
    keys: () => requests.map(({ init }) => new Headers(init.headers).get('idempotency-key')),
  }
}

const ok = { status: 200 } as const
const failing = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { status, error: { name: 'NAME', message: 'A sentence.' } },
})

describe('a request is repeated', () => {
  it.each([
    ['429 before the server began, whatever the method', 'PATCH', failing(429)],
    ['503, if it only reads', 'GET', failing(503)],
    ['503, if it has an idempotency key', 'POST', failing(503)],
    ['502 of a proxy', 'GET', failing(502)],
    ['504 of a proxy', 'POST', failing(504)],
    ['a broken connection', 'POST', 'broken'],
    ['a timeout', 'GET', 'silent'],
    ['409 while the first request with its key is running', 'POST', failing(409, { 'retry-after': '2' })],
  ] as const)('after %s', async (_, method, first) => {
    const server = aServerThat([first, ok], { timeout: 5 })
    expect(await server.call({ method })).toBe('done')
    expect(server.requests).toHaveLength(2)
  })

  it('with the same generated idempotency key', async () => {
    const server = aServerThat([failing(503), 'broken', ok])
    await server.call({ method: 'POST' })
    const [first, ...others] = server.keys()
    expect(first).toMatch(/^[\da-f-]{36}$/)
    expect(others).toEqual([first, first])
  })

  it('with the caller’s own key', async () => {
    const server = aServerThat([failing(503), ok])
    await server.call({ method: 'POST', idempotencyKey: 'order-7' })
    expect(server.keys()).toEqual(['order-7', 'order-7'])
  })

  it('twice, unless the client or the call says otherwise', async () => {
    const thrice = aServerThat(['broken', 'broken', 'broken', ok])
    await expect(thrice.call()).rejects.toThrow(ConnectionError)
    expect(thrice.requests).toHaveLength(3)
    const never = aServerThat(['broken', ok], { retries: 0 })
    await expect(never.call()).rejects.toThrow(ConnectionError)
    expect(await aServerThat(['broken', ok], { retries: 0 }).call({ retries: 1 })).toBe('done')
  })
})

describe('a request is not repeated', () => {
  it.each([
    ['a broken connection, as it may have had an effect', 'PATCH', 'broken'],
    ['a broken connection, as it may have had an effect', 'DELETE', 'broken'],
    ['503, as it may have had an effect', 'PATCH', failing(503)],
    ['500', 'GET', failing(500)],
    ['400', 'POST', failing(400)],
    ['409 for a record that exists', 'POST', failing(409)],
    ['429 that lasts longer than a minute', 'GET', failing(429, { 'retry-after': '61' })],
    ['a response that is none of the API', 'GET', { status: 200, body: '<h1>Welcome</h1>' }],
  ] as const)('after %s', async (_, method, first) => {
    const server = aServerThat([first, ok])
    await expect(server.call({ method })).rejects.toBeInstanceOf(PosthornError)
    expect(server.requests).toHaveLength(1)
  })

  it('if it is a GET that has an effect', async () => {
    for (const first of ['broken', failing(503)] as const) {
      const server = aServerThat([first, ok])
      await expect(server.call({ hasEffect: true })).rejects.toBeInstanceOf(PosthornError)
      expect(server.requests).toHaveLength(1)
    }
    expect(await aServerThat([failing(429), ok]).call({ hasEffect: true })).toBe('done')
  })

  it('once the caller has aborted', async () => {
    const controller = new AbortController()
    const server = aServerThat(['silent', ok])
    const call = server.call({ signal: controller.signal })
    controller.abort(new Error('No longer needed'))
    await expect(call).rejects.toThrow('No longer needed')
    expect(server.requests).toHaveLength(1)
  })

  it('if the caller aborts while it waits', async () => {
    const controller = new AbortController()
    const server = aServerThat([failing(503, { 'retry-after': '50' }), ok], {
      sleep,
      random: () => {
        queueMicrotask(() => controller.abort(new Error('No longer needed')))
        return 0
      },
    })
    await expect(server.call({ signal: controller.signal })).rejects.toThrow('No longer needed')
    expect(server.requests).toHaveLength(1)
  })
})

describe('the wait before a repetition', () => {
  it('doubles up to eight seconds, with a random half', async () => {
    const six = Array.from({ length: 6 }, () => failing(503))
    const short = aServerThat([...six, ok], { retries: 6 })
    await short.call()
    expect(short.waits).toEqual([250, 500, 1000, 2000, 4000, 4000])
    const long = aServerThat([...six, ok], { retries: 6, random: () => 1 })
    await long.call()
    expect(long.waits).toEqual([500, 1000, 2000, 4000, 8000, 8000])
  })

  it('is at least what the server asks for, in seconds or until a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString()
    const server = aServerThat([failing(429, { 'retry-after': '7' }), failing(503, { 'retry-after': date }), ok])
    await server.call()
    expect(server.waits[0]).toBe(7000)
    expect(server.waits[1]).toBeGreaterThan(20_000)
  })
})

describe('a request', () => {
  it('has a key only if it is a POST', async () => {
    const server = aServerThat([ok, ok, ok])
    for (const method of ['GET', 'PATCH', 'DELETE']) await server.call({ method, idempotencyKey: 'unused' })
    expect(server.keys()).toEqual([null, null, null])
  })

  it('has a content type only with JSON, so that a browser reads without a preflight', async () => {
    const server = aServerThat([ok, ok, ok])
    await server.call()
    await server.call({ method: 'POST', body: { a: 1 } })
    await server.call({ method: 'POST', body: new FormData() })
    expect(server.requests.map(({ init }) => new Headers(init.headers).get('content-type'))).toEqual([
      null,
      'application/json',
      null,
    ])
  })
})

describe('an error', () => {
  it.each([
    [400, ValidationError],
    [401, AuthorizationError],
    [403, AuthorizationError],
    [404, NotFoundError],
    [405, BlockedError],
    [408, TimeoutError],
    [409, ConflictError],
    [413, PayloadTooLargeError],
    [418, PosthornError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
  ] as const)('of status %i has its class, and the server’s sentence', async (status, Kind) => {
    const error = await aServerThat([failing(status)], { retries: 0 })
      .call()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Kind)
    expect(error).toMatchObject({ name: Kind.name, status, code: 'NAME', message: 'A sentence.', violations: [] })
  })

  it('has the violations, the id in the log and the seconds to wait', async () => {
    const violations = [{ field: 'groups[0].name', message: 'expected a text' }]
    const error = { name: 'VALIDATION_ERROR', message: 'groups[0].name: expected a text', violations }
    const headers = { 'x-request-id': 'f00', 'retry-after': '3' }
    await expect(aServerThat([{ status: 400, headers, body: { status: 400, error } }]).call()).rejects.toMatchObject({
      violations,
      requestId: 'f00',
      retryAfter: 3,
    })
  })

  it('says the status if the response is a proxy’s page', async () => {
    const server = aServerThat([{ status: 502, body: '<h1>Bad gateway</h1>' }], { retries: 0 })
    await expect(server.call()).rejects.toThrow('The server responded with status 502 and no message.')
  })

  it('tells a timeout from a broken connection', async () => {
    await expect(aServerThat(['silent'], { retries: 0, timeout: 5 }).call()).rejects.toMatchObject({
      name: 'TimeoutError',
      status: 0,
      message: 'No response to GET /v1/captcha within 5 ms.',
    })
    await expect(aServerThat(['broken'], { retries: 0 }).call()).rejects.toMatchObject({
      name: 'ConnectionError',
      status: 0,
      cause: new TypeError('fetch failed'),
    })
  })
})
