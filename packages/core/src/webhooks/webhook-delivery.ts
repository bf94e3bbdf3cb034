import { z } from 'zod'
import { without } from '../kernel/merged.js'
import { jitterFromText } from '../kernel/retry.js'
import { Id, type InProject, Instant } from '../kernel/shapes.js'
import { type WebhookEventType, webhookEventTypes } from './webhook.js'
import { WebhookEvent } from './webhook-event.js'

export const webhookDeliveryStates = ['pending', 'delivered', 'given-up'] as const
type WebhookDeliveryState = (typeof webhookDeliveryStates)[number]

/** `reason` is shown to users after «because»; it contains no address and no internals. */
export type WebhookPostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly reason: string }

type WebhookAttempt = { readonly at: string; readonly status?: number; readonly reason?: string }

export type WebhookDelivery = InProject & {
  readonly webhookId: string
  /** An event published twice is posted once to each webhook. */
  readonly eventId: string
  readonly deliveryId?: string
  readonly type: WebhookEventType
  /** The same at every attempt. */
  readonly body: string
  readonly state: WebhookDeliveryState
  /** Also distinguishes successive claims. */
  readonly attempts: number
  /** When the next post is due, or the claim expires. */
  readonly nextAt: string
  /** Has claimed or last posted it; absent while it waits. */
  readonly worker?: string
  /** Oldest first. */
  readonly log: readonly WebhookAttempt[]
  readonly reason?: string
}

/** `release`: claimed and not posted. `replay`: a client requested it. */
export const webhookDeliveryMoves = {
  claim: { from: ['pending'], to: 'pending' },
  accept: { from: ['pending'], to: 'delivered' },
  putOff: { from: ['pending'], to: 'pending' },
  giveUp: { from: ['pending'], to: 'given-up' },
  release: { from: ['pending'], to: 'pending' },
  replay: { from: ['pending', 'delivered', 'given-up'], to: 'pending' },
} as const satisfies Record<
  string,
  { readonly from: readonly WebhookDeliveryState[]; readonly to: WebhookDeliveryState }
>
export type WebhookDeliveryMove = keyof typeof webhookDeliveryMoves

export const canMoveWebhookDelivery = (state: WebhookDeliveryState, move: WebhookDeliveryMove): boolean =>
  (webhookDeliveryMoves[move].from as readonly WebhookDeliveryState[]).includes(state)

type Changes = Partial<Pick<WebhookDelivery, 'attempts' | 'nextAt' | 'worker' | 'log' | 'reason'>>

/** The same object if the move is not allowed: nothing is written. */
export const moveWebhookDelivery = (
  delivery: WebhookDelivery,
  move: WebhookDeliveryMove,
  now: string,
  changes: Changes = {},
): WebhookDelivery =>
  canMoveWebhookDelivery(delivery.state, move)
    ? { ...delivery, ...changes, state: webhookDeliveryMoves[move].to, updatedAt: now }
    : delivery

const minute = 60_000

/** Minutes after each failed attempt, 24 hours in total (gaps.md, "Webhook"). */
const waits = [0.5, 2, 7.5, 20, 90, 240, 420, 660]

export const maxWebhookAttempts = waits.length + 1

/** In ms, varied by up to 10 % by id; undefined after the last attempt. */
export const webhookBackOff = ({ _id, attempts }: Pick<WebhookDelivery, '_id' | 'attempts'>): number | undefined => {
  const minutes = waits[attempts - 1]
  return minutes === undefined ? undefined : minutes * minute * (0.9 + jitterFromText(`${_id}:${attempts}`) / 5)
}

export const isPostAccepted = (outcome: WebhookPostOutcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299

/** For users: «answered 500». */
export const postOutcomeText = (outcome: WebhookPostOutcome): string =>
  outcome.kind === 'answered' ? `answered ${outcome.status}` : `could not be reached because ${outcome.reason}`

export const afterAttempt = (delivery: WebhookDelivery, outcome: WebhookPostOutcome, now: Date): WebhookDelivery => {
  const at = now.toISOString()
  const attempt = outcome.kind === 'answered' ? { at, status: outcome.status } : { at, reason: outcome.reason }
  const log = [...delivery.log, attempt].slice(-maxWebhookAttempts)
  if (isPostAccepted(outcome)) return moveWebhookDelivery(delivery, 'accept', at, { log })
  const wait = webhookBackOff(delivery)
  if (wait === undefined)
    return moveWebhookDelivery(delivery, 'giveUp', at, { log, reason: `The receiver ${postOutcomeText(outcome)}` })
  const nextAt = new Date(now.getTime() + wait).toISOString()
  return moveWebhookDelivery(waiting(delivery), 'putOff', at, { log, nextAt })
}

const waiting = (delivery: WebhookDelivery): WebhookDelivery => without(delivery, 'worker')

/** Due again; the attempt does not count. */
export const releasedWebhookDelivery = (delivery: WebhookDelivery, now: string): WebhookDelivery =>
  moveWebhookDelivery(waiting(delivery), 'release', now, { attempts: delivery.attempts - 1, nextAt: now })

/** Queues it with the same id; unchanged while a worker is posting it. */
export const requeuedWebhookDelivery = (delivery: WebhookDelivery, now: string): WebhookDelivery => {
  const isClaimed = delivery.state === 'pending' && delivery.worker !== undefined && delivery.nextAt > now
  if (isClaimed) return delivery
  const bare = without(delivery, 'worker', 'reason')
  return moveWebhookDelivery(bare, 'replay', now, { attempts: 0, nextAt: now })
}

export const WebhookLogView = z
  .object({
    _id: Id.describe('The `webhook-id` that it is posted under, and its `id` in a batch'),
    type: z.enum(webhookEventTypes).describe('What happened'),
    state: z.enum(webhookDeliveryStates).describe('Whether it is pending, delivered or given up'),
    createdAt: Instant.describe('When the event was queued'),
    updatedAt: Instant.describe('When its state last changed'),
    nextAt: Instant.optional().describe('While pending: earliest time of the next post'),
    reason: z.string().optional().describe('Why it was given up'),
    attempts: z
      .array(
        z.object({
          at: Instant.describe('When it was posted'),
          status: z.int().optional().describe('What the receiver answered'),
          reason: z.string().optional().describe('Why there was no answer'),
        }),
      )
      .describe('The last nine attempts, the newest last'),
  })
  .meta({ id: 'WebhookLogEntry', description: 'An event for the webhook, and its outcome' })
export type WebhookLogEntry = z.output<typeof WebhookLogView>

export const WebhookLoggedEventView = WebhookLogView.extend({ event: WebhookEvent }).meta({
  id: 'WebhookLoggedEvent',
  description: 'An event of the log with its posted body',
})
export type WebhookLoggedEvent = z.output<typeof WebhookLoggedEventView>

const shown = ({ nextAt, log: attempts, ...delivery }: WebhookDelivery) => ({
  ...delivery,
  ...(delivery.state === 'pending' && { nextAt }),
  attempts,
})

export const webhookLogEntry = (delivery: WebhookDelivery): WebhookLogEntry => WebhookLogView.parse(shown(delivery))

export const loggedEvent = (delivery: WebhookDelivery): WebhookLoggedEvent =>
  WebhookLoggedEventView.parse({ ...shown(delivery), event: JSON.parse(delivery.body) })
