import { compareByCodePoint, KeyTaken, type WebhookDelivery, type WebhookOutbox } from '@posthorn/core/ports/storage'
import type { InMemoryTable } from './table.js'

const byTurn = (a: WebhookDelivery, b: WebhookDelivery) =>
  compareByCodePoint(a.nextAt, b.nextAt) || compareByCodePoint(a._id, b._id)

const byAge = (a: WebhookDelivery, b: WebhookDelivery) =>
  compareByCodePoint(a.createdAt, b.createdAt) || compareByCodePoint(a._id, b._id)

/** The outbox in memory. Every method is synchronous, hence atomic. */
export const inMemoryWebhookOutbox = ({
  webhookDeliveries,
}: {
  readonly webhookDeliveries: InMemoryTable<WebhookDelivery>
}): WebhookOutbox => {
  const addNew = (delivery: WebhookDelivery) => {
    try {
      webhookDeliveries.add(delivery)
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
    }
  }
  const remove = (deliveries: readonly WebhookDelivery[]): number => {
    const over = deliveries.filter(({ state }) => state !== 'pending')
    return over.length > 0 ? webhookDeliveries.removeAll({ _id: over.map(({ _id }) => _id) }) : 0
  }

  return {
    add: async (deliveries) => deliveries.forEach(addNew),

    due: async (now) => {
      const waiting = [...webhookDeliveries.fits({ state: 'pending' })].filter(({ nextAt }) => nextAt <= now)
      const due = new Map(waiting.map(({ webhookId, projectId }) => [webhookId, { projectId, webhookId }]))
      return [...due.values()].sort((a, b) => compareByCodePoint(a.webhookId, b.webhookId))
    },

    claim: async ({ projectId, webhookId, worker, now, leaseUntil, limit }) =>
      [...webhookDeliveries.fits({ projectId, webhookId, state: 'pending' })]
        .filter(({ nextAt }) => nextAt <= now)
        .sort(byTurn)
        .slice(0, limit)
        .flatMap(
          ({ _id }) =>
            webhookDeliveries.change({ _id }, (current) => ({
              ...current,
              attempts: current.attempts + 1,
              worker,
              nextAt: leaseUntil,
              updatedAt: now,
            })) ?? [],
        ),

    settle: async (posts) => {
      for (const { claimed, became } of posts) {
        const { _id, worker, attempts } = claimed
        webhookDeliveries.change({ _id, state: 'pending', worker, attempts }, () => became)
      }
    },

    prune: async (before) => remove([...webhookDeliveries.fits({})].filter(({ createdAt }) => createdAt < before)),

    trim: async ({ projectId, webhookId }, most) => {
      const newestFirst = [...webhookDeliveries.fits({ projectId, webhookId })].sort((a, b) => byAge(b, a))
      return remove(newestFirst.slice(most))
    },
  }
}
