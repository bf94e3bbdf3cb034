import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  percentOf,
  restrictionReason,
  type SendingWindowFigures,
  standardRestrictionLimits,
} from '../../../src/sending/restriction/restriction.js'

const week = (changes: Partial<SendingWindowFigures>): SendingWindowFigures => ({
  days: 7,
  sent: 1000,
  bounces: 0,
  complaints: 0,
  ...changes,
})
const reasonOf = (...windows: SendingWindowFigures[]) => restrictionReason(windows, standardRestrictionLimits)

describe('a restriction', () => {
  it.each([
    [{ bounces: 26 }, 'bounce rate of 2.6 % over the last 7 days (26 of 1000 mails), above 2.5 %'],
    [{ complaints: 3 }, 'complaint rate of 0.3 % over the last 7 days (3 of 1000 mails), above 0.05 %'],
    [{ sent: 200, bounces: 10 }, 'bounce rate of 5 % over the last 7 days (10 of 200 mails), above 2.5 %'],
    [{ sent: 30_000, bounces: 1000 }, 'bounce rate of 3.33 % over the last 7 days (1000 of 30000 mails), above 2.5 %'],
  ])('follows from a rate above the threshold: %j', (changes, reason) => {
    expect(reasonOf(week(changes))).toBe(reason)
  })

  it.each([
    ['exactly the rate', { bounces: 25 }],
    ['exactly the complaint rate', { sent: 6000, complaints: 3 }],
    ['too few bounces', { sent: 200, bounces: 9 }],
    ['too few complaints', { sent: 200, complaints: 2 }],
    ['too few mails to say', { sent: 199, bounces: 199, complaints: 199 }],
    ['nothing sent', { sent: 0, bounces: 10 }],
  ])('does not follow from %s', (_, changes) => {
    expect(reasonOf(week(changes))).toBeUndefined()
  })

  it('names the shortest window that causes it', () => {
    const month = week({ days: 30, bounces: 100 })
    expect(reasonOf(week({ bounces: 5 }), month, week({ days: 90, bounces: 100 }))).toContain('last 30 days')
    expect(reasonOf(week({ bounces: 50 }), month)).toContain('last 7 days')
  })

  it('never follows from fewer bounces and complaints', () => {
    const n = fc.nat(2000)
    fc.assert(
      fc.property(n, n, n, n, n, (sent, bounces, complaints, lessBounces, lessComplaints) => {
        const worse = week({ sent, bounces, complaints })
        const better = week({
          sent,
          bounces: Math.min(bounces, lessBounces),
          complaints: Math.min(complaints, lessComplaints),
        })
        expect(reasonOf(worse) !== undefined || reasonOf(better) === undefined).toBe(true)
      }),
    )
  })
})

it('rates are percent of sent mails, and 0 if none was sent', () => {
  expect([percentOf(1, 8), percentOf(0, 8), percentOf(3, 0)]).toEqual([12.5, 0, 0])
})
