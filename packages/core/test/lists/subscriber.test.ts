import { type SubscriberStatus, subscriberStatusAt, subscriberStatuses } from '@posthorn/core/ports/storage'
import { aSubscriber } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canMoveSubscriber,
  moveSubscriber,
  parseSubscriptionPauseEnd,
  type SubscriberMove,
  subscriberMoves,
} from '../../src/lists/subscriber.js'

const now = '2026-01-06T13:00:00.000Z'
const moves = Object.keys(subscriberMoves) as SubscriberMove[]

/** Written out by hand, so that a change of the table is a change of this test. */
const allowed: Readonly<Record<SubscriberStatus, Readonly<Partial<Record<SubscriberMove, SubscriberStatus>>>>> = {
  unverified: { confirm: 'active', activate: 'active', pause: 'paused', unsubscribe: 'unsubscribed' },
  active: { activate: 'active', pause: 'paused', unsubscribe: 'unsubscribed', unconfirm: 'unverified' },
  paused: {
    activate: 'active',
    pause: 'paused',
    unsubscribe: 'unsubscribed',
    unconfirm: 'unverified',
    resume: 'active',
  },
  unsubscribed: {
    activate: 'active',
    pause: 'paused',
    unsubscribe: 'unsubscribed',
    resubscribe: 'active',
    reapply: 'unverified',
  },
}

describe('a subscriber', () => {
  const walked = subscriberStatuses.flatMap((status) =>
    moves.map((move) => ({ status, move, end: allowed[status][move] ?? 'refused' })),
  )

  it.each(walked)('in status $status is $end after the move $move', ({ status, move, end }) => {
    const moved = () => {
      try {
        return moveSubscriber(aSubscriber({ status }), move, now, '2026-02-01T00:00:00.000Z').status
      } catch {
        return 'refused'
      }
    }
    expect(moved()).toBe(end)
    expect(canMoveSubscriber(status, move)).toBe(end !== 'refused')
  })

  it('gets a new date by a move, and an explanation by a refusal', () => {
    expect(moveSubscriber(aSubscriber(), 'unsubscribe', now)).toMatchObject({ updatedAt: now })
    expect(() => moveSubscriber(aSubscriber(), 'confirm', now)).toThrow(
      'A subscriber with status active cannot become active this way.',
    )
  })

  it('stays as it was if it has the status already', () => {
    const left = aSubscriber({ status: 'unsubscribed' })
    expect(moveSubscriber(left, 'unsubscribe', now)).toBe(left)
    const paused = aSubscriber({ status: 'paused', pausedUntil: now })
    expect(moveSubscriber(paused, 'pause', now, now)).toBe(paused)
    expect(moveSubscriber(paused, 'pause', now, '2026-02-01T00:00:00.000Z')).not.toBe(paused)
  })

  it('has an end of its pause only while it is paused', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...moves)), (asked) => {
        const end = asked.reduce(
          (current, move) =>
            canMoveSubscriber(current.status, move) ? moveSubscriber(current, move, now, now) : current,
          aSubscriber(),
        )
        expect('pausedUntil' in end).toBe(end.status === 'paused')
      }),
    )
  })
})

describe('a pause', () => {
  const paused = aSubscriber({ status: 'paused', pausedUntil: now })

  it('counts until its end; afterwards the subscriber is active', () => {
    expect(subscriberStatusAt(paused, '2026-01-06T12:59:59.999Z')).toBe('paused')
    expect(subscriberStatusAt(paused, now)).toBe('active')
    expect(subscriberStatusAt({ ...paused, status: 'unsubscribed' }, now)).toBe('unsubscribed')
  })

  it('ends at a future instant, by default in UTC', () => {
    expect(parseSubscriptionPauseEnd('2026-01-06T13:00:00.001Z', now)).toBe('2026-01-06T13:00:00.001Z')
    expect(parseSubscriptionPauseEnd('2026-01-07', now)).toBe('2026-01-07T00:00:00.000Z')
    expect(parseSubscriptionPauseEnd('2026-01-06T14:30:00+01:00', now)).toBe('2026-01-06T13:30:00.000Z')
  })

  it.each([undefined, '', now, '2026-01-06T13:30:00+01:00', '2025-12-31', 'tomorrow', '2026-02-30'])(
    'cannot end at %s',
    (end) => {
      expect(() => parseSubscriptionPauseEnd(end, now)).toThrow('The pausedUntil date must be set in the future.')
    },
  )
})
