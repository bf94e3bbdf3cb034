import type { Log } from '@posthorn/core'
import type { RequestHandler, Response } from 'express'
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
export const storeWatch =
  (isReady: () => Promise<boolean>, log: Log, lookAfter = standardLook): RequestHandler =>
  (request, response, next) => {
    const look = async () => {
      if (response.headersSent) return
      const isThere = await isReady()
      if (response.headersSent || response.destroyed) return
      if (isThere) {
        timer = setTimeout(() => void look(), lookAfter).unref()
        return
      }
      log('warn', 'A request was answered without the store, which does not answer', { method: request.method })
      answered.add(response)
      const body = failure('unavailable', storeUnavailable)
      response.status(body.status).set('Retry-After', String(storeRetrySeconds)).json(body)
    }
    let timer = setTimeout(() => void look(), lookAfter).unref()
    response.on('close', () => clearTimeout(timer))
    next()
  }
