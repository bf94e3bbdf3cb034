import type { Log } from '@posthorn/core'
import type { Request, Response } from 'express'
import { failure, storeUnavailable } from './errors.js'

/** After how many seconds a client may try again: about as long as an election takes. */
export const storeRetrySeconds = 5

/** How long a request may take before it is looked whether the store answers, in milliseconds; and then again and again. */
const standardLook = 2_500

const answered = new WeakSet<Response>()

/** Whether the request was answered because the store does not: what becomes of it afterwards is nobody's any more. */
export const isAnsweredForStore = (response: Response): boolean => answered.has(response)

/**
 * Answers 503 with Retry-After, within seconds, what waits for a store that does not answer. What was asked for may still be carried out
 * when the store is back, as where an answer is lost: an Idempotency-Key makes that safe.
 */
export const storeWatch = (
  isReady: () => Promise<boolean>,
  log: Log,
  lookAfter = standardLook,
): ((request: Request, response: Response) => void) => {
  /** Those that are not answered, the longest first: what they asked, and since when they have not been looked at. */
  const waiting = new Map<Response, { readonly method: string; readonly since: number }>()
  let clock: NodeJS.Timeout | undefined

  const wait = (response: Response, method: string): void => {
    waiting.set(response, { method, since: performance.now() })
    // One clock for all of them: a timer for each would be made and cleared with every request.
    clock ??= setInterval(lookAtAll, lookAfter / 5).unref()
  }

  const look = async (response: Response, method: string): Promise<void> => {
    const isThere = await isReady()
    if (response.headersSent || response.destroyed) return
    if (isThere) return wait(response, method)
    log('warn', 'A request was answered without the store, which does not answer', { method })
    answered.add(response)
    const body = failure('unavailable', storeUnavailable)
    response.status(body.status).set('Retry-After', String(storeRetrySeconds)).json(body)
  }

  const lookAtAll = (): void => {
    const until = performance.now() - lookAfter
    for (const [response, { method, since }] of waiting) {
      if (since > until) break
      waiting.delete(response)
      if (!response.headersSent) void look(response, method)
    }
    if (waiting.size > 0) return
    clearInterval(clock)
    clock = undefined
  }

  return ({ method }, response) => {
    wait(response, method)
    response.once('close', () => waiting.delete(response))
  }
}
