import type { Document } from 'mongodb'

/**
 * The collections that a cluster may shard, with their keys: they grow with contacts and mails. Frequent operations know the first field:
 * the list, the project, or the dispatch, which is part of a delivery's `_id`. A hashed dispatch spreads campaigns over the shards and
 * keeps each on one shard. The other collections are small, or have a unique key that cannot be a shard key, such as `steps` and `apiKeys`.
 */
export const shardKeys: Readonly<Record<string, Document>> = {
  contacts: { projectId: 1, emailKey: 1 },
  suppressions: { projectId: 1, emailKey: 1 },
  subscribers: { subscriberListId: 1, contactId: 1 },
  webhookDeliveries: { projectId: 1, eventId: 1 },
  addressPages: { dispatchId: 1, place: 1 },
  deliveries: { dispatchId: 'hashed', _id: 1 },
  counters: { _id: 'hashed' },
  figures: { _id: 'hashed' },
}
