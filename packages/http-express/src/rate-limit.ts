/** A bucket for each caller: so many requests a second, and as many at once as `burst`. */
export type RateLimit = { readonly perSecond: number; readonly burst: number }

export type Allowance = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
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
    }
  }
}
