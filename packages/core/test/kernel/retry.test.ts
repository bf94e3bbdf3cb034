import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backOff, jitterFromText, maxAttempts } from '../../src/kernel/retry.js'

const minutes = (milliseconds: number) => milliseconds / 60_000

describe('the delay between attempts', () => {
  it('doubles from one minute up to fifteen', () => {
    expect([1, 2, 3, 4, 5, 6, maxAttempts].map((n) => minutes(backOff(n, 0)))).toEqual([1, 2, 4, 8, 15, 15, 15])
  })

  it('is up to a quarter longer, equally for the same delivery', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: maxAttempts }), (id, attempts) => {
        const wait = backOff(attempts, jitterFromText(id))
        expect(wait).toBe(backOff(attempts, jitterFromText(id)))
        expect(wait).toBeGreaterThanOrEqual(backOff(attempts, 0))
        expect(wait).toBeLessThanOrEqual(backOff(attempts, 0) * 1.25)
      }),
    )
  })
})
