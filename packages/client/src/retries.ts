import { ConflictError, ConnectionError, PosthornError, TimeoutError } from './errors.js'

/** In ms: doubled with each attempt, up to the longest. */
const firstWait = 500
const longestWait = 8_000
/** In seconds; if the server sets a longer wait, the request fails. */
const longestRetryAfter = 60

/** Statuses of a proxy or server that may have passed the request on. */
const unavailable: readonly number[] = [502, 503, 504]

/**
 * Whether a retry cannot repeat an effect. `repeatable`: the request only reads, or has an idempotency key. The server sends 429 before it begins.
 */
export const mayRetry = (error: unknown, repeatable: boolean): boolean => {
  if (!(error instanceof PosthornError) || (error.retryAfter ?? 0) > longestRetryAfter) return false
  if (error.status === 429) return true
  if (!repeatable) return false
  // The first attempt with this idempotency key is still running.
  if (error instanceof ConflictError) return error.retryAfter !== undefined
  return error instanceof ConnectionError || error instanceof TimeoutError || unavailable.includes(error.status)
}

/**
 * In ms: exponential, half of it random so that clients spread out, and at least `retryAfter` seconds. `attempt` counts from 0; `random` is from 0 to
 * 1.
 */
export const retryWait = (attempt: number, retryAfter: number | undefined, random: number): number => {
  const most = Math.min(longestWait, firstWait * 2 ** attempt)
  const wait = most / 2 + (most / 2) * random
  return retryAfter === undefined ? wait : Math.max(wait, retryAfter * 1000)
}

/** @throws the signal's reason, at once, if it is aborted */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
