import { z } from 'zod'
import { runRuleEvenIfInvalid } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import type { Repository, Where } from '../kernel/repository.js'
import type { WebhookRef } from './ports.js'
import { webhookEventTypes } from './webhook.js'
import { requeuedWebhookDelivery, type WebhookDelivery, webhookDeliveryStates } from './webhook-delivery.js'

/** Events that one call examines, and events per read. */
const mostLookedAt = 10_000
const pageSize = 500

const instant = (description: string) =>
  z.iso.datetime({ offset: true, error: 'expected an ISO date-time' }).optional().describe(description)

/** All given conditions must hold. */
export const ReplayEvents = z
  .strictObject({
    ids: z.array(z.string().min(1).max(100)).min(1).max(1000).optional().describe('Events by their `_id` in the log'),
    state: z.enum(webhookDeliveryStates).optional().describe('Events in this state: given up, delivered or pending'),
    type: z.enum(webhookEventTypes).optional().describe('Events of this type'),
    since: instant('Those told then or later'),
    until: instant('Those told before'),
    after: z.string().max(100).optional().describe('The `next` of the previous response, to continue from there'),
  })
  .refine(({ ids, state, type, since, until }) => [ids, state, type, since, until].some((one) => one !== undefined), {
    error: 'expected ids, state, type, since or until',
    ...runRuleEvenIfInvalid,
  })
  .meta({ id: 'ReplayEvents' })
export type ReplayEvents = z.input<typeof ReplayEvents>

export const ReplayedEvents = z
  .object({
    replayed: z.int().min(0).describe('Number of events queued again'),
    next: z.string().nullable().describe('What the next call has as `after`; null where all are'),
  })
  .meta({ id: 'ReplayedEvents' })
export type ReplayedEvents = z.output<typeof ReplayedEvents>

type Deps = { readonly webhookDeliveries: Repository<WebhookDelivery>; readonly clock: Clock }

/** In the order of ids. Skips events that a worker is posting. */
export const webhookEventReplay =
  ({ webhookDeliveries, clock }: Deps) =>
  async ({ projectId, webhookId }: WebhookRef, wish: z.output<typeof ReplayEvents>): Promise<ReplayedEvents> => {
    const { ids, state, type } = wish
    const now = clock().toISOString()
    const since = wish.since && new Date(wish.since).toISOString()
    const until = wish.until && new Date(wish.until).toISOString()
    const where: Where<WebhookDelivery> = {
      projectId,
      webhookId,
      ...(ids && { _id: ids }),
      ...(state && { state }),
      ...(type && { type }),
    }
    const again = new Set<string>()
    const decide = (current: WebhookDelivery): WebhookDelivery => {
      if ((since && current.createdAt < since) || (until && current.createdAt >= until)) return current
      const after = requeuedWebhookDelivery(current, now)
      if (after !== current) again.add(current._id)
      return after
    }
    let after: string | undefined = wish.after
    for (let looked = 0; looked < mostLookedAt; looked += pageSize) {
      after = await webhookDeliveries.changeNext(where, decide, { after, limit: pageSize })
      if (after === undefined) break
    }
    return { replayed: again.size, next: after ?? null }
  }
