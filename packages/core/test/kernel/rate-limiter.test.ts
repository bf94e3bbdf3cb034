import { describe, expect, it } from 'vitest'
import { type RateLimit, rateLimiter } from '../../src/kernel/rate-limiter.js'

const limiter = (rate: RateLimit) => {
  let time = 1_000_000
  const { take: allow, charge } = rateLimiter(rate, () => time)
  return { allow, charge, pass: (milliseconds: number) => (time += milliseconds) }
}

describe('a token bucket', () => {
  it('allows a burst, then its refill rate', () => {
    const { allow, pass } = limiter({ perSecond: 10, burst: 3 })
    expect([1, 2, 3, 4].map(() => allow('a').allowed)).toEqual([true, true, true, false])
    pass(99)
    expect(allow('a').allowed).toBe(false)
    pass(1)
    expect([allow('a').allowed, allow('a').allowed]).toEqual([true, false])
  })

  it('never holds more than the burst', () => {
    const { allow, pass } = limiter({ perSecond: 10, burst: 2 })
    allow('a')
    pass(3_600_000)
    expect([1, 2, 3].map(() => allow('a').allowed)).toEqual([true, true, false])
  })

  it('returns the remaining tokens, the reset time and the retry delay', () => {
    const { allow } = limiter({ perSecond: 0.1, burst: 2 })
    expect(allow('a')).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 1010, retrySeconds: 1 })
    allow('a')
    expect(allow('a')).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 1020, retrySeconds: 10 })
  })

  it('is separate for each caller', () => {
    const { allow } = limiter({ perSecond: 1, burst: 1 })
    expect(['a', 'b', 'a'].map((caller) => allow(caller).allowed)).toEqual([true, true, false])
  })

  it('may become negative by at most a burst, and accepts returned tokens', () => {
    const { allow, charge, pass } = limiter({ perSecond: 1, burst: 3 })
    allow('a')
    charge('a', 4)
    expect(allow('a')).toMatchObject({ allowed: false, remaining: 0, retrySeconds: 3 })
    pass(3_000)
    expect(allow('a').allowed).toBe(true)
    charge('a', 1_000)
    expect(allow('a').retrySeconds).toBe(4)
    charge('a', -1_000)
    expect(allow('a').remaining).toBe(2)
  })

  it('does not change when the clock is set back', () => {
    const { allow, pass } = limiter({ perSecond: 1, burst: 3 })
    allow('a')
    pass(-3_600_000)
    expect(allow('a').remaining).toBe(1)
  })

  it('is dropped after ten thousand other callers', () => {
    const { allow } = limiter({ perSecond: 1, burst: 1 })
    allow('seldom')
    allow('often')
    for (let n = 0; n < 9_999; n += 1) {
      allow(`other ${n}`)
      if (n % 100 === 0) allow('often')
    }
    expect([allow('often').allowed, allow('seldom').allowed]).toEqual([false, true])
  })
})
