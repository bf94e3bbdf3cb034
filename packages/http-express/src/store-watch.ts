import type { Log } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import type { Request, Response } from 'express'
import { failureEnvelope, storeUnavailableMessage } from './errors.js'
import { whenResponseEnds } from './response.js'

/** In seconds: about one election. */
export const storeRetrySeconds = 5

/** Ms after which a waiting request triggers a store check. */
const standardLook = 2_500

const answered = new WeakSet<Response>()

/** 503 was sent: discard the result. */
export const isAnsweredUnavailable = (response: Response): boolean => answered.has(response)

type Waiting = {
  readonly response: Response
  readonly method: string
  /** `performance.now()`; infinite during a check. */
  since: number
}

/** Sends 503 and Retry-After if the store is unavailable. It may still carry out the request; an Idempotency-Key makes retries safe. */
export const storeOutageResponder = (
  isReady: () => Promise<boolean>,
  log: Log,
  lookAfter = standardLook,
): ((request: Request, response: Response) => void) => {
  /** A map would keep its old tables, with their entries, for long (V8). */
  const places: (Waiting | undefined)[] = []
  const free: number[] = []
  let clock: NodeJS.Timeout | undefined

  const look = async (one: Waiting): Promise<void> => {
    const { response, method } = one
    one.since = Number.POSITIVE_INFINITY
    const isThere = await isReady()
    if (response.headersSent || response.destroyed) return
    one.since = performance.now()
    if (isThere) return
    log('warn', 'A request was refused because the store does not respond', {
      method,
      error: new StoreUnavailable(undefined),
    })
    answered.add(response)
    const body = failureEnvelope('unavailable', storeUnavailableMessage)
    response.status(body.status).set('Retry-After', String(storeRetrySeconds)).json(body)
  }

  const lookAtAll = (): void => {
    const until = performance.now() - lookAfter
    for (const one of places) if (one && one.since <= until && !one.response.headersSent) void look(one)
    if (free.length < places.length) return
    clearInterval(clock)
    clock = undefined
  }

  return ({ method }, response) => {
    const place = free.pop() ?? places.length
    places[place] = { response, method, since: performance.now() }
    whenResponseEnds(response, () => {
      places[place] = undefined
      free.push(place)
    })
    // One interval instead of a timer per request.
    clock ??= setInterval(lookAtAll, lookAfter / 5).unref()
  }
}
