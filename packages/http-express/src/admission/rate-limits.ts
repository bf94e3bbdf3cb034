import {
  fairQueue,
  type RateLimit,
  type RateLimiter,
  type RateLimitResult,
  rateLimiter,
} from '@posthorn/core/ports/runtime'
import { fillPlaceholders, html } from '@posthorn/core/ports/transport'
import type { Request, RequestHandler, Response } from 'express'
import { failureEnvelope } from '../errors.js'
import { messagesFor, sendPage, strangerPageContext } from '../pages/page.js'
import { bearerOf, clientBlock } from './owner.js'

/** `api` by key or address, others by address. */
type RateClass = 'api' | 'pages' | 'images' | 'unsubscribe' | 'events' | 'tracking'
export type RateLimits = Readonly<Record<RateClass, RateLimit>>

/** Addresses are shared by offices, mail proxies, link scanners, and by mail providers that post unsubscriptions (RFC 8058) and events. */
export const standardRateLimits: RateLimits = {
  api: { perSecond: 100, burst: 200 },
  pages: { perSecond: 20, burst: 500 },
  images: { perSecond: 500, burst: 5_000 },
  unsubscribe: { perSecond: 100, burst: 2_000 },
  events: { perSecond: 2_000, burst: 20_000 },
  tracking: { perSecond: 500, burst: 5_000 },
}

/** The first match counts; default `pages`. */
const classes: readonly (readonly [RegExp, RateClass])[] = [
  [/^\/v1\/subscriber-lists\/[^/]*\/[^/]*\/unsubscribe\/?$/i, 'unsubscribe'],
  [/^\/v1\/(ses|mailgun|postmark|sendgrid|brevo)\/events\/?$/i, 'events'],
  [/^\/v1\/(verify|openapi\.json)\/?$/i, 'pages'],
  [/^\/(v1|mcp|console\/api)(\/|$)/i, 'api'],
  [/^\/gallery\//i, 'images'],
  [/^\/[oc]\//, 'tracking'],
]

export const rateClassOf = (path: string): RateClass => classes.find(([pattern]) => pattern.test(path))?.[1] ?? 'pages'

/** Milliseconds. */
const provenFor = 10 * 60_000
/** Only the operator creates keys, so strangers cannot fill it. */
const mostProven = 10_000

/** Further refusals are sent immediately. */
export const mostDelayedRefusals = 1_000

/** Keys that authorized a request lately. */
const provenKeys = (now: () => number) => {
  const until = new Map<string, number>()
  return {
    has: (key: string) => (until.get(key) ?? 0) > now(),
    add: (key: string) => {
      if (until.size > 1) until.delete(key)
      until.set(key, now() + provenFor)
      if (until.size <= mostProven) return
      const [oldest] = until.keys()
      if (oldest !== undefined) until.delete(oldest)
    },
  }
}

/** Any site may read the refusal: it reveals nothing. */
const readableElsewhere = ({ headers: { origin } }: Request) =>
  origin === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }

const methods = ['GET', 'POST', 'PATCH', 'DELETE']

/** Browsers hide a refused preflight from the page. */
const isPreflight = ({ method, headers }: Request) =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  methods.includes(headers['access-control-request-method'] ?? '')

const letAsk = (request: Request, response: Response): void => {
  response
    .status(204)
    .set(readableElsewhere(request))
    .set({
      'Access-Control-Allow-Methods': request.headers['access-control-request-method'] ?? '',
      'Access-Control-Allow-Headers': 'authorization, content-type',
      'Access-Control-Max-Age': '0',
    })
    .end()
}

const refuse = (request: Request, response: Response, as: RateClass, allowance: RateLimitResult): void => {
  if (as === 'api' && isPreflight(request)) letAsk(request, response)
  else tellToWait(request, response, as, allowance)
}

const tellToWait = (request: Request, response: Response, as: RateClass, { retrySeconds }: RateLimitResult): void => {
  const message = `Too many requests. Retry in ${retrySeconds} s.`
  response.status(429).set('Retry-After', String(retrySeconds))
  const isPage =
    as === 'pages' ||
    (as === 'tracking' && request.path.startsWith('/c/')) ||
    (as === 'unsubscribe' && request.accepts(['json', 'html']) === 'html')
  if (isPage) {
    const reader = strangerPageContext(request)
    const { waitTitle, wait } = messagesFor(reader)
    sendPage(
      response,
      { title: waitTitle, content: html`<p>${fillPlaceholders(wait, { seconds: retrySeconds })}</p>` },
      reader,
    )
  } else {
    response.set(readableElsewhere(request)).setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(failureEnvelope('busy', message)))
  }
}

/** Requests per turn of the event loop; their writes share a commit. */
const begunAtOnce = 16

const nothingToWaitFor = Promise.resolve()

/** In rotation of keys; yields to new input after `begunAtOnce`. */
const turns = () => {
  const waiting = fairQueue<() => void>()
  let isTaken = false
  let begun = 0

  const begin = (one: () => void): void => {
    isTaken = true
    begun += 1
    if (begun % begunAtOnce === 0) setImmediate(pass)
    else void nothingToWaitFor.then(pass)
    one()
  }

  const pass = (): void => {
    const next = waiting.take()
    if (next) begin(next)
    else isTaken = false
  }

  return (one: () => void, key: string): void => {
    if (isTaken) waiting.add(key, one)
    else begin(one)
  }
}

type Charged = {
  readonly limiter: RateLimiter
  readonly caller: string
  readonly tokens: number
  readonly key?: string | undefined
}

type Counted = Request & { charged?: Charged }

/** Counts before any lookup: by address until the key has authorized a request, so strangers cannot use up or evict buckets of keys. */
export const requestRateLimits = (rates: RateLimits, now: () => number = Date.now) => {
  const byAddress = {
    api: rateLimiter(rates.api, now),
    pages: rateLimiter(rates.pages, now),
    images: rateLimiter(rates.images, now),
    unsubscribe: rateLimiter(rates.unsubscribe, now),
    events: rateLimiter(rates.events, now),
    tracking: rateLimiter(rates.tracking, now),
  }
  const byKey = rateLimiter(rates.api, now)
  const proven = provenKeys(now)
  const turn = turns()
  let refusalsWaiting = 0

  const bucketOf = (request: Request, as: RateClass): Charged => {
    const key = as === 'api' ? bearerOf(request) : undefined
    if (key !== undefined && proven.has(key)) return { limiter: byKey, caller: key, tokens: 1, key }
    return { limiter: byAddress[as], caller: clientBlock(request), tokens: 1, key }
  }

  const inTurn: RequestHandler = (request: Counted, _response, next) => turn(next, request.charged?.caller ?? '')

  const gate: RequestHandler = (request: Counted, response, next) => {
    const as = rateClassOf(request.path)
    const bucket = bucketOf(request, as)
    request.charged = bucket
    const allowance = bucket.limiter.take(bucket.caller)
    if (as === 'api')
      response
        .setHeader('x-ratelimit-limit', String(allowance.limit))
        .setHeader('x-ratelimit-remaining', String(allowance.remaining))
        .setHeader('x-ratelimit-reset', String(allowance.resetSeconds))
    if (allowance.allowed) return next()
    if (refusalsWaiting >= mostDelayedRefusals) return refuse(request, response, as, allowance)
    refusalsWaiting += 1
    inTurn(request, response, () => {
      refusalsWaiting -= 1
      refuse(request, response, as, allowance)
    })
  }

  return {
    gate,

    /** A burst of one caller delays no other. Must follow `weigh`. */
    inTurn,

    /** Moves the charge from the address to the key. */
    proven: (request: Counted): void => {
      const bucket = request.charged
      if (bucket?.key === undefined) return
      const { limiter, caller, tokens, key } = bucket
      proven.add(key)
      if (limiter === byKey) return
      limiter.charge(caller, -tokens)
      byKey.charge(key, tokens)
      request.charged = { limiter: byKey, caller: key, tokens, key }
    },

    /** Counts as `more` further requests. */
    weigh: (request: Counted, more: number): void => {
      const bucket = request.charged
      if (!bucket) return
      bucket.limiter.charge(bucket.caller, more)
      request.charged = { ...bucket, tokens: bucket.tokens + more }
    },
  }
}
