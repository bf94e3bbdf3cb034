import { describe, expect, it } from 'vitest'
import {
  decideLimitIncrease,
  declinePendingIncrease,
  type LimitIncrease,
  type LimitIncreaseMove,
  type LimitIncreaseStatus,
  limitIncreaseMoves,
  limitIncreaseStatuses,
} from '../../src/production-access/access-request.js'

const anIncrease = (given: Partial<LimitIncrease> = {}): LimitIncrease => ({
  requestedLimit: 5000,
  reason: 'The list has grown',
  status: 'pending',
  createdAt: '2026-01-06T12:00:00.000Z',
  ...given,
})

const allowed: Readonly<Record<LimitIncreaseStatus, readonly LimitIncreaseMove[]>> = {
  pending: ['approve', 'decline'],
  approved: [],
  declined: [],
}

const outcomeOf = (attempt: () => string | undefined): string | undefined => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}

describe('a limit increase', () => {
  for (const status of limitIncreaseStatuses)
    for (const move of Object.keys(limitIncreaseMoves) as LimitIncreaseMove[])
      it(`in status ${status} ${allowed[status].includes(move) ? 'takes' : 'refuses'} the move ${move}`, () => {
        expect(outcomeOf(() => decideLimitIncrease([anIncrease({ status })], move)[0]?.status)).toBe(
          allowed[status].includes(move) ? limitIncreaseMoves[move].to : 'There is no limit increase to review.',
        )
      })

  it('is reviewed alone: earlier decisions stay', () => {
    const before = [anIncrease({ status: 'declined' }), anIncrease({ status: 'approved', approvedLimit: 4000 })]
    expect(decideLimitIncrease([...before, anIncrease()], 'approve', { approvedLimit: 4500 })).toEqual([
      ...before,
      anIncrease({ status: 'approved', approvedLimit: 4500 }),
    ])
  })

  it('can be approved as unlimited', () => {
    expect(decideLimitIncrease([anIncrease({ requestedLimit: 0 })], 'approve', { approvedLimit: 0 })).toEqual([
      anIncrease({ requestedLimit: 0, status: 'approved', approvedLimit: 0 }),
    ])
  })

  it('cannot be reviewed if there is none', () => {
    expect(() => decideLimitIncrease([], 'approve', { approvedLimit: 1 })).toThrow(
      'There is no limit increase to review.',
    )
  })

  it('is declined if it is pending when access ends', () => {
    expect(declinePendingIncrease([anIncrease()])).toEqual([anIncrease({ status: 'declined' })])
    const settled = [anIncrease({ status: 'approved', approvedLimit: 1 })]
    expect(declinePendingIncrease(settled)).toBe(settled)
    expect(declinePendingIncrease([])).toEqual([])
  })
})
