import { setNewest } from './byte-bounded-cache.js'

/** A bucket of `burst` tokens (at least 1), refilled at `perSecond`. */
export type RateLimit = { readonly perSecond: number; readonly burst: number }

export type RateLimitResult = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the bucket will be full, in epoch seconds. */
  readonly resetSeconds: number
  /** At least 1: Retry-After counts whole seconds. */
  readonly retrySeconds: number
}

const mostCallers = 10_000

/** Token buckets of the 10,000 most recent callers. */
export const rateLimiter = ({ perSecond, burst }: RateLimit, now: () => number) => {
  const buckets = new Map<string, { tokens: number; at: number }>()

  const tokensOf = (caller: string, time: number) => {
    const { tokens, at } = buckets.get(caller) ?? { tokens: burst, at: time }
    return Math.min(burst, tokens + (Math.max(0, time - at) / 1000) * perSecond)
  }

  const keep = (caller: string, tokens: number, at: number) => setNewest(buckets, caller, { tokens, at }, mostCallers)

  return {
    take: (caller: string): RateLimitResult => {
      const time = now()
      const tokens = tokensOf(caller, time)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      keep(caller, left, time)
      return {
        allowed,
        limit: burst,
        remaining: Math.max(0, Math.floor(left)),
        resetSeconds: Math.ceil(time / 1000 + (burst - left) / perSecond),
        retrySeconds: Math.max(1, Math.ceil((1 - left) / perSecond)),
      }
    },

    /**
     * Charges `n` more tokens to an admitted request: the bucket may become negative, by at most a burst. A negative
     * `n` returns tokens.
     */
    charge: (caller: string, n: number): void => {
      const time = now()
      keep(caller, Math.min(burst, Math.max(-burst, tokensOf(caller, time) - n)), time)
    },
  }
}
export type RateLimiter = ReturnType<typeof rateLimiter>
