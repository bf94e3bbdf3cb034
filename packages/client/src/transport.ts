import { ConnectionError, errorOf, PosthornError, TimeoutError } from './errors.js'
import { mayRetry, retryWait, sleep } from './retries.js'

export { type Query, searchOf } from './pages.js'

export type TransportOptions = {
  /** `https://mail.example.com`, or a prefix such as `/mail` in a browser. */
  readonly baseUrl: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly credentials?: RequestInit['credentials'] | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Limit of each attempt, in ms; default 30,000. 0: none. */
  readonly timeout?: number | undefined
  /** Further attempts if that cannot repeat an effect; default 2. */
  readonly retries?: number | undefined
  readonly sleep?: typeof sleep
  /** From 0 to 1. */
  readonly random?: () => number
}

export type RequestOptions = {
  /** Ends the call and its retries. */
  readonly signal?: AbortSignal | undefined
  /** Limit of each attempt, in ms. */
  readonly timeout?: number | undefined
  readonly retries?: number | undefined
  /**
   * Repeats with the same key and body within 24 hours return the first response and do nothing again. Only for POST; generated if absent and retries
   * are allowed.
   */
  readonly idempotencyKey?: string | undefined
}

export type Sent = RequestOptions & {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** A GET with an effect. */
  readonly hasEffect?: boolean
  /** Sent as JSON, or as it is if FormData. */
  readonly body?: unknown
}

export type Send = <T>(sent: Sent, read: (response: Response) => Promise<T>) => Promise<T>

const standardTimeout = 30_000
const standardRetries = 2

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws PosthornError if the response is none of the API */
export const readResult = async (response: Response): Promise<unknown> => {
  const body = jsonIn(await response.text())
  if (typeof body === 'object' && body !== null && 'result' in body) return body.result
  throw new PosthornError({
    message: `The response of ${response.url} is not one of the API. Check baseUrl.`,
    status: response.status,
  })
}

type Attempt = Sent & {
  readonly options: TransportOptions
  readonly headers: Readonly<Record<string, string>>
}

const attempt = async <T>(
  { options, method, path, body, headers, signal, timeout = options.timeout ?? standardTimeout }: Attempt,
  read: (response: Response) => Promise<T>,
): Promise<T> => {
  const over = new AbortController()
  const timer = timeout > 0 ? setTimeout(() => over.abort(), timeout) : undefined
  try {
    const response = await (options.fetch ?? fetch)(`${options.baseUrl}${path}`, {
      method,
      headers,
      signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
      ...(options.credentials && { credentials: options.credentials }),
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    if (response.ok) return await read(response)
    throw errorOf(response.status, jsonIn(await response.text()), response.headers)
  } catch (cause) {
    if (cause instanceof PosthornError) throw cause
    signal?.throwIfAborted()
    if (over.signal.aborted)
      throw new TimeoutError({ message: `No response to ${method} ${path} within ${timeout} ms.`, cause })
    throw new ConnectionError({ message: `No response to ${method} ${path}: ${String(cause)}`, cause })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Retries GET without effect and requests with an idempotency key after 429, 502, 503, 504, a timeout or a broken connection; others after 429 only.
 * Each attempt includes `read`.
 * @throws PosthornError, or the reason of an aborted signal
 */
export const transport = (options: TransportOptions): Send => {
  const { sleep: pause = sleep, random = Math.random } = options
  return async (sent, read) => {
    const { method, body, signal, retries = options.retries ?? standardRetries } = sent
    const generated = retries > 0 ? crypto.randomUUID() : undefined
    const idempotencyKey = method === 'POST' ? (sent.idempotencyKey ?? generated) : undefined
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...options.headers,
    }
    const repeatable = (method === 'GET' && !sent.hasEffect) || idempotencyKey !== undefined
    for (let count = 0; ; count += 1) {
      try {
        return await attempt({ ...sent, options, headers }, read)
      } catch (error) {
        if (count >= retries || !mayRetry(error, repeatable)) throw error
        await pause(retryWait(count, (error as PosthornError).retryAfter, random()), signal)
      }
    }
  }
}
