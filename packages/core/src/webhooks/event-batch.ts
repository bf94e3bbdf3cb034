import type { Secrets } from '../kernel/ports.js'
import type { WebhookDelivery } from './webhook-delivery.js'

/** The maximum number of events in a post, and of characters. */
export const mostInBatch = 100
const largestBatch = 1_000_000

/** The number halves after each attempt, so that one event that the receiver rejects does not block the others for long. */
const mostAfter = (attempts: number) => Math.max(1, mostInBatch >> Math.max(0, attempts - 1))

/** Groups deliveries into posts, in the order in which they are due. */
export const inBatches = (deliveries: readonly WebhookDelivery[]): readonly (readonly WebhookDelivery[])[] => {
  const batches: WebhookDelivery[][] = []
  const open = new Map<number, { readonly batch: WebhookDelivery[]; size: number }>()
  for (const delivery of deliveries) {
    const most = mostAfter(delivery.attempts)
    const last = open.get(most)
    if (last && last.batch.length < most && last.size + delivery.body.length <= largestBatch) {
      last.batch.push(delivery)
      last.size += delivery.body.length
    } else {
      const batch = [delivery]
      batches.push(batch)
      open.set(most, { batch, size: delivery.body.length })
    }
  }
  return batches
}

/** The event's JSON with its id as a field, as batches have it. */
const withId = ({ _id, body }: Pick<WebhookDelivery, '_id' | 'body'>) => `{"id":${JSON.stringify(_id)},${body.slice(1)}`

/** The post of several events: its id is the same whenever the same events are posted together. */
export const batchOf = (
  deliveries: readonly Pick<WebhookDelivery, '_id' | 'body'>[],
  { digest }: Pick<Secrets, 'digest'>,
): { readonly id: string; readonly body: string } => ({
  id: `batch_${digest(deliveries.map(({ _id }) => _id).join(' ')).slice(0, 24)}`,
  body: `{"events":[${deliveries.map(withId).join(',')}]}`,
})
