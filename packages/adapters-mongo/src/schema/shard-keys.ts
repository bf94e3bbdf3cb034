import type { Document } from 'mongodb'

/**
 * What a cluster may shard, and by which key: what grows with contacts and mails. The first field is one that what happens often names, the
 * list, the project, or the dispatch, which the `_id` of a delivery tells. A hashed dispatch spreads campaigns over the shards, and keeps
 * each whole on one. All other collections are small, or have a unique key that is not their shard key, as `steps` and `apiKeys` have.
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
