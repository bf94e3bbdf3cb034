/** A bucket for each caller: so many requests a second, and as many at once as `burst`, which is at least 1. */
export type RateLimit = { readonly perSecond: number; readonly burst: number }

export type Allowance = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the bucket is full again, in epoch seconds. */
  readonly resetSeconds: number
  /** After how many seconds one more request is allowed: at least 1, as Retry-After counts in whole ones. */
  readonly retrySeconds: number
}

const mostCallers = 10_000

/** Token buckets in memory, for one process. Callers that have not been seen for longest are forgotten first. */
export const rateLimiter = ({ perSecond, burst }: RateLimit, now: () => number) => {
  const buckets = new Map<string, { tokens: number; at: number }>()

  return (caller: string): Allowance => {
    const time = now()
    const before = buckets.get(caller) ?? { tokens: burst, at: time }
    const tokens = Math.min(burst, before.tokens + ((time - before.at) / 1000) * perSecond)
    const allowed = tokens >= 1
    const left = allowed ? tokens - 1 : tokens
    buckets.delete(caller)
    buckets.set(caller, { tokens: left, at: time })
    const [oldest] = buckets.keys()
    if (buckets.size > mostCallers && oldest !== undefined) buckets.delete(oldest)
    return {
      allowed,
      limit: burst,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil(time / 1000 + (burst - left) / perSecond),
      retrySeconds: Math.max(1, Math.ceil((1 - left) / perSecond)),
    }
  }
}
