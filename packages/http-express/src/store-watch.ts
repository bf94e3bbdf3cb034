import type { Log } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import type { Request, Response } from 'express'
import { failure, storeUnavailable } from './errors.js'
import { whenOver } from './response.js'

/** Retry-After in seconds: about as long as an election takes. */
export const storeRetrySeconds = 5

/** After this many ms a waiting request triggers a check of the store, and so on. */
const standardLook = 2_500

const answered = new WeakSet<Response>()

/** Whether 503 was sent already; the result must then be discarded. */
export const isAnsweredForStore = (response: Response): boolean => answered.has(response)

type Waiting = {
  readonly response: Response
  readonly method: string
  /** In ms of `performance.now()`; infinite during a check. */
  since: number
}

/**
 * Responds with 503 and Retry-After to requests that wait for an unavailable store. The store may still carry them out; an Idempotency-Key
 * makes retries safe.
 */
export const storeWatch = (
  isReady: () => Promise<boolean>,
  log: Log,
  lookAfter = standardLook,
): ((request: Request, response: Response) => void) => {
  /** Slots instead of a map: V8 keeps old tables of a map, with their entries, for long. */
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
    const body = failure('unavailable', storeUnavailable)
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
    whenOver(response, () => {
      places[place] = undefined
      free.push(place)
    })
    // One interval for all, instead of a timer per request.
    clock ??= setInterval(lookAtAll, lookAfter / 5).unref()
  }
}
