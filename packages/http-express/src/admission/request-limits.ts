import { type Allowance, filled, html, type RateLimit, type RateLimiter, rateLimiter } from '@posthorn/core/ports'
import type { Request, RequestHandler, Response } from 'express'
import { failure } from '../errors.js'
import { sendPage } from '../pages/page.js'
import { saidTo, strangerOf } from '../pages/reader.js'
import { bearerOf, clientBlock } from './owner.js'

/** What a request is counted as. `api` is counted by key or address, everything else by address. */
export type RateClass = 'api' | 'pages' | 'images' | 'unsubscribe' | 'events' | 'tracking'
export type RateLimits = Readonly<Record<RateClass, RateLimit>>

/**
 * Offices, mail proxies and link scanners open many pages from one address; mail proxies fetch the images of a whole campaign; and
 * a mail provider's servers post the unsubscriptions of all of its customers (RFC 8058), of which none may be lost. What a sending
 * provider posts comes several times for each mail, from few addresses. Images and links of mails are asked for by the same proxies.
 */
export const standardRateLimits: RateLimits = {
  api: { perSecond: 100, burst: 200 },
  pages: { perSecond: 20, burst: 500 },
  images: { perSecond: 500, burst: 5_000 },
  unsubscribe: { perSecond: 100, burst: 2_000 },
  events: { perSecond: 2_000, burst: 20_000 },
  tracking: { perSecond: 500, burst: 5_000 },
}

/** Later ones are never reached where an earlier one fits; what no pattern fits is a page. */
const classes: readonly (readonly [RegExp, RateClass])[] = [
  [/^\/v1\/subscriber-lists\/[^/]*\/[^/]*\/unsubscribe\/?$/i, 'unsubscribe'],
  [/^\/v1\/(ses|mailgun|postmark|sendgrid|brevo)\/events\/?$/i, 'events'],
  [/^\/v1\/(verify|openapi\.json)\/?$/i, 'pages'],
  [/^\/v1(\/|$)/i, 'api'],
  [/^\/gallery\//i, 'images'],
  [/^\/[oc]\//, 'tracking'],
]

export const rateClassOf = (path: string): RateClass => classes.find(([pattern]) => pattern.test(path))?.[1] ?? 'pages'

/** How long a key that opened something counts as real without being looked up, in milliseconds. */
const provenFor = 10 * 60_000
/** Real keys are the operator's to make: strangers add none. */
const mostProven = 10_000

/** Requests that wait for their refusal are held in memory: beyond so many they are refused at once. */
export const mostRefusalsWaiting = 1_000

/** The keys that have opened something lately. */
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

/** A page of any site may read the refusal: it says nothing but "later", and nothing was looked up for it. */
const readableElsewhere = ({ headers: { origin } }: Request) =>
  origin === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }

const methods = ['GET', 'POST', 'PATCH', 'DELETE']

/** Whether a browser asks if its page may send a request: a refusal of that is shown to no page, as if there were no server. */
const isPreflight = ({ method, headers }: Request) =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  methods.includes(headers['access-control-request-method'] ?? '')

/** Lets the page send its request, of which it may then read that it has to wait. Whoever may do nothing with it is refused then. */
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

/** A page for people, the API's envelope for programs; a preflight is let through. */
const refuse = (request: Request, response: Response, as: RateClass, allowance: Allowance): void => {
  if (as === 'api' && isPreflight(request)) letAsk(request, response)
  else tellToWait(request, response, as, allowance)
}

const tellToWait = (request: Request, response: Response, as: RateClass, { retrySeconds }: Allowance): void => {
  const message = `Too many requests. Please try again in ${retrySeconds} s.`
  response.status(429).set('Retry-After', String(retrySeconds))
  const isPage =
    as === 'pages' ||
    (as === 'tracking' && request.path.startsWith('/c/')) ||
    (as === 'unsubscribe' && request.accepts(['json', 'html']) === 'html')
  if (isPage) {
    const reader = strangerOf(request)
    const { waitTitle, wait } = saidTo(reader)
    sendPage(response, { title: waitTitle, content: html`<p>${filled(wait, { seconds: retrySeconds })}</p>` }, reader)
  } else {
    response.set(readableElsewhere(request)).setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(failure('busy', message)))
  }
}

/** So many requests are begun before others have their turn: what they write goes into one commit. */
const begunAtOnce = 16

const nothingToWaitFor = Promise.resolve()

/**
 * Begins one thing after the other, in rotation of the keys where several wait, at once where none does. After so many the event loop
 * reads what else has come.
 */
const turns = () => {
  const waiting = new Map<string, (() => void)[]>()
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
    for (const [key, queue] of waiting) {
      const next = queue.shift()
      waiting.delete(key)
      if (queue.length > 0) waiting.set(key, queue)
      if (next) begin(next)
      return
    }
    isTaken = false
  }

  return (one: () => void, key: string): void => {
    const queue = waiting.get(key)
    if (!isTaken) begin(one)
    else if (queue) queue.push(one)
    else waiting.set(key, [one])
  }
}

type Charged = {
  readonly limiter: RateLimiter
  readonly caller: string
  readonly tokens: number
  readonly key?: string | undefined
}

/** What a request was counted as goes along with it. */
type Counted = Request & { charged?: Charged }

/**
 * Counts every request before anything is looked up for it. By address, until its key has opened something: from then on by the
 * key, in buckets that only real keys have, so that no stranger can use one up or push one out.
 */
export const requestLimits = (rates: RateLimits, now: () => number = Date.now) => {
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
    if (refusalsWaiting >= mostRefusalsWaiting) return refuse(request, response, as, allowance)
    refusalsWaiting += 1
    inTurn(request, response, () => {
      refusalsWaiting -= 1
      refuse(request, response, as, allowance)
    })
  }

  return {
    gate,

    /**
     * Begins what was let in one at a time, in rotation of keys and addresses: others do not wait for all that one of them sends at
     * once. It comes after what weighs requests, so that nobody is let in for what has yet to be counted.
     */
    inTurn,

    /** The request's key has opened something: it was the key's request, not its address's. */
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

    /** Counts the request as that many more. */
    weigh: (request: Counted, more: number): void => {
      const bucket = request.charged
      if (!bucket) return
      bucket.limiter.charge(bucket.caller, more)
      request.charged = { ...bucket, tokens: bucket.tokens + more }
    },
  }
}
export type RequestLimits = ReturnType<typeof requestLimits>
