import type { Secrets } from '../kernel/ports.js'
import type { WebhookDelivery } from './webhook-delivery.js'

/** How many events one post has at most, and how many characters of them. */
export const mostInBatch = 100
const largestBatch = 1_000_000

/** After each attempt half as many: one event that a receiver cannot take does not hold up the others for ever. */
const mostAfter = (attempts: number) => Math.max(1, mostInBatch >> Math.max(0, attempts - 1))

/** What is posted together, in the order in which it is due. */
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

/** An event with its own id among its fields: as it stands in a batch. */
const withId = ({ _id, body }: Pick<WebhookDelivery, '_id' | 'body'>) => `{"id":${JSON.stringify(_id)},${body.slice(1)}`

/** The post of several: its id is the same whenever the same events are posted together. */
export const batchOf = (
  deliveries: readonly Pick<WebhookDelivery, '_id' | 'body'>[],
  { digest }: Pick<Secrets, 'digest'>,
): { readonly id: string; readonly body: string } => ({
  id: `batch_${digest(deliveries.map(({ _id }) => _id).join(' ')).slice(0, 24)}`,
  body: `{"events":[${deliveries.map(withId).join(',')}]}`,
})
