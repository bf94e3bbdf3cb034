import type { Log } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports'
import type { Request, Response } from 'express'
import { failure, storeUnavailable } from './errors.js'
import { whenOver } from './when-over.js'

/** After how many seconds a client may try again: about as long as an election takes. */
export const storeRetrySeconds = 5

/** How long a request may take before it is looked whether the store answers, in milliseconds; and then again and again. */
const standardLook = 2_500

const answered = new WeakSet<Response>()

/** Whether the request was answered because the store does not: what becomes of it afterwards is nobody's any more. */
export const isAnsweredForStore = (response: Response): boolean => answered.has(response)

type Waiting = {
  readonly response: Response
  readonly method: string
  /** Since when nobody has looked. */
  since: number
}

/**
 * Answers 503 with Retry-After, within seconds, what waits for a store that does not answer. What was asked for may still be carried out
 * when the store is back, as where an answer is lost: an Idempotency-Key makes that safe.
 */
export const storeWatch = (
  isReady: () => Promise<boolean>,
  log: Log,
  lookAfter = standardLook,
): ((request: Request, response: Response) => void) => {
  /**
   * Those that are not answered, each in a place of its own. No map has them: what was in one is kept with its old tables until the old
   * generation is collected.
   */
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
    log('warn', 'A request was answered without the store', { method, error: new StoreUnavailable(undefined) })
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
    // One clock for all of them: a timer for each would be made and cleared with every request.
    clock ??= setInterval(lookAtAll, lookAfter / 5).unref()
  }
}
