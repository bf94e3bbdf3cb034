import type { WebhookPostOutcome } from '@posthorn/core/ports/runtime'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterAttempt,
  canMoveWebhookDelivery,
  maxWebhookAttempts,
  moveWebhookDelivery,
  type WebhookDelivery,
  type WebhookDeliveryMove,
  webhookBackOff,
  webhookDeliveryMoves,
  webhookDeliveryStates,
} from '../../src/webhooks/webhook-delivery.js'

const now = '2026-01-06T12:00:00.000Z'

const aWebhookDelivery = (given: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  _id: '1'.repeat(24),
  projectId: 'p',
  webhookId: 'w',
  eventId: 'e',
  type: 'sent',
  body: '{}',
  state: 'pending',
  attempts: 0,
  nextAt: now,
  log: [],
  createdAt: now,
  updatedAt: now,
  ...given,
})

const refused: WebhookPostOutcome = { kind: 'answered', status: 500 }

describe('a webhook delivery', () => {
  for (const state of webhookDeliveryStates)
    for (const move of Object.keys(webhookDeliveryMoves) as WebhookDeliveryMove[])
      it(`${state === 'pending' || move === 'replay' ? 'takes' : 'ignores'} the move ${move} while it is ${state}`, () => {
        const may = state === 'pending' || move === 'replay'
        const before = aWebhookDelivery({ state })
        const after = moveWebhookDelivery(before, move, '2026-01-07T00:00:00.000Z')
        expect(canMoveWebhookDelivery(state, move)).toBe(may)
        expect(after.state).toBe(may ? webhookDeliveryMoves[move].to : state)
        expect(after === before).toBe(!may)
      })

  it.each([200, 201, 204, 299])('is delivered if the receiver returns %i', (status) => {
    const { state, log } = afterAttempt(aWebhookDelivery({ attempts: 1 }), { kind: 'answered', status }, new Date(now))
    expect({ state, log }).toEqual({ state: 'delivered', log: [{ at: now, status }] })
  })

  it.each([100, 199, 301, 302, 400, 404, 410, 500])('is not delivered if the receiver returns %i', (status) => {
    const { state, log } = afterAttempt(aWebhookDelivery({ attempts: 1 }), { kind: 'answered', status }, new Date(now))
    expect({ state, log }).toEqual({ state: 'pending', log: [{ at: now, status }] })
  })

  it('is given up after nine attempts, with the reason of the last', () => {
    let delivery = aWebhookDelivery()
    const states: string[] = []
    for (let attempts = 1; attempts <= maxWebhookAttempts; attempts += 1) {
      delivery = afterAttempt({ ...delivery, attempts }, refused, new Date(delivery.nextAt))
      states.push(delivery.state)
    }
    expect(states).toEqual([...Array<string>(8).fill('pending'), 'given-up'])
    expect(delivery.log).toHaveLength(9)
    expect(delivery.reason).toBe('The receiver answered 500')
  })

  it('counts attempts that crashed processes did not record', () => {
    const died = aWebhookDelivery({ attempts: maxWebhookAttempts + 3 })
    expect(afterAttempt(died, { kind: 'unreachable', reason: 'it is gone' }, new Date(now))).toMatchObject({
      state: 'given-up',
      reason: 'The receiver could not be reached because it is gone',
    })
  })
})

describe('the waits between attempts', () => {
  const waits = (_id: string) =>
    Array.from({ length: maxWebhookAttempts - 1 }, (_, n) => webhookBackOff({ _id, attempts: n + 1 }) ?? 0)

  it('grow to about 24 hours in total, with a different spread for each event', () => {
    fc.assert(
      fc.property(fc.string(), (_id) => {
        const all = waits(_id)
        expect(all).toEqual(all.toSorted((a, b) => a - b))
        const hours = all.reduce((sum, wait) => sum + wait, 0) / 3_600_000
        expect(Math.abs(hours - 24)).toBeLessThanOrEqual(2.4)
      }),
    )
    expect(waits('one')).not.toEqual(waits('another'))
  })

  it('end after the last attempt', () => {
    expect(webhookBackOff({ _id: 'x', attempts: maxWebhookAttempts })).toBeUndefined()
  })
})
