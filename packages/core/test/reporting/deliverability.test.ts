import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { worstRate } from '../../src/reporting/deliverability.js'
import {
  restrictionReason,
  type SendingWindowFigures,
  sendingWindowDays,
  standardRestrictionLimits,
} from '../../src/sending/restriction/restriction.js'

const windows = (...counts: readonly (readonly [sent: number, bounces: number, complaints?: number])[]) =>
  counts.map(
    ([sent, bounces, complaints = 0], i): SendingWindowFigures => ({
      days: sendingWindowDays[i] ?? 90,
      sent,
      bounces,
      complaints,
    }),
  )

describe('the worst rate', () => {
  it('is taken from its window, each kind against its own threshold', () => {
    const seen = windows([100, 1, 1], [200, 10, 1], [400, 10, 1])
    expect(worstRate(seen, 'bounces', standardRestrictionLimits)).toEqual({
      rate: 5,
      pct: 200,
      windowLabel: 'last 30 days',
    })
    expect(worstRate(seen, 'complaints', standardRestrictionLimits)).toMatchObject({
      rate: 1,
      windowLabel: 'last 7 days',
    })
  })

  it('is taken from the shortest of equal windows', () => {
    const same = windows([0, 0], [100, 2], [200, 4])
    expect(worstRate(same, 'bounces', standardRestrictionLimits).windowLabel).toBe('last 30 days')
  })

  it('exceeds 100 percent of the threshold whenever a project is restricted', () => {
    const window = fc.tuple(fc.nat(2000), fc.nat(100), fc.nat(20))
    fc.assert(
      fc.property(window, window, window, (...counts) => {
        const seen = windows(...counts)
        const worst = Math.max(
          worstRate(seen, 'bounces', standardRestrictionLimits).pct,
          worstRate(seen, 'complaints', standardRestrictionLimits).pct,
        )
        expect(restrictionReason(seen, standardRestrictionLimits) === undefined || worst > 100).toBe(true)
      }),
    )
  })
})
