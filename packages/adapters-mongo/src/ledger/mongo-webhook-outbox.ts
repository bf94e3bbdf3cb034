import {
  compareByCodePoint,
  type SettledPost,
  type WebhookDelivery,
  type WebhookOutbox,
} from '@posthorn/core/ports/storage'
import type { AnyBulkWriteOperation } from 'mongodb'
import { insertNew } from '../connection/duplicate-keys.js'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { retried } from '../connection/retries.js'
import { documentOfRecord, newRevision, recordOfDocument, type StoredDocument } from '../records/documents.js'

/** Fields that settling a post sets. It removes each field that is absent afterwards. */
const settled = ['state', 'attempts', 'nextAt', 'worker', 'log', 'reason', 'updatedAt'] as const

const over = { $in: ['delivered', 'given-up'] }

/** Idempotent: a settled post no longer matches. */
const settling = ({ claimed, became }: SettledPost, _revision: string): AnyBulkWriteOperation<StoredDocument> => {
  const { _id, projectId, eventId, worker, attempts } = claimed
  const gone = settled.filter((field) => became[field] === undefined)
  const kept = settled.flatMap((field) => (became[field] === undefined ? [] : [[field, became[field]] as const]))
  return {
    updateOne: {
      filter: { _id, projectId, eventId, state: 'pending', worker, attempts },
      update: {
        $set: { ...Object.fromEntries(kept), _revision },
        $unset: { ...Object.fromEntries(gone.map((field) => [field, true])), _claim: true },
      },
    },
  }
}

export const mongoWebhookOutbox = ({ collection }: Pick<MongoDatabase, 'collection'>): WebhookOutbox => {
  const documents = collection<StoredDocument>('webhookDeliveries')

  return {
    add: async (deliveries) => {
      await retried(() =>
        insertNew(
          documents,
          deliveries.map((delivery) => documentOfRecord(delivery, { _revision: newRevision() })),
        ),
      )
    },

    /** One index key per webhook, however many events wait. */
    due: async (now) => {
      const found = await retried(() =>
        documents
          .aggregate<{ _id: string; projectId: string; nextAt: string }>([
            { $match: { state: 'pending' } },
            { $sort: { state: 1, webhookId: 1, nextAt: 1 } },
            { $group: { _id: '$webhookId', projectId: { $first: '$projectId' }, nextAt: { $first: '$nextAt' } } },
          ])
          .toArray(),
      )
      return found
        .flatMap(({ _id: webhookId, projectId, nextAt }) => (nextAt <= now ? [{ projectId, webhookId }] : []))
        .sort((a, b) => compareByCodePoint(a.webhookId, b.webhookId))
    },

    /** If two claims read the same post, one gets it. */
    claim: async ({ projectId, webhookId, worker, now, leaseUntil, limit }) => {
      const due = { state: 'pending', projectId, webhookId, nextAt: { $lte: now } }
      const options = { sort: { nextAt: 1, _id: 1 }, limit, batchSize: limit } as const
      const found = await retried(() => documents.find(due, options).toArray())
      if (found.length === 0) return []
      const _claim = newRevision()
      const taken = { worker, nextAt: leaseUntil, updatedAt: now }
      const ids = found.map(({ _id }) => _id).sort()
      const mine = await retried(async () => {
        const update = { $set: { ...taken, _claim, _revision: _claim }, $inc: { attempts: 1 } }
        const { modifiedCount } = await documents.updateMany({ ...due, _id: { $in: ids } }, update)
        if (modifiedCount === found.length) return undefined
        const got = await documents
          .find({ projectId, _id: { $in: ids }, _claim }, { projection: { _id: 1 }, batchSize: limit })
          .toArray()
        return new Set(got.map(({ _id }) => _id))
      })
      return found
        .filter(({ _id }) => mine?.has(_id) ?? true)
        .map((document) => {
          const delivery = recordOfDocument<WebhookDelivery>(document)
          return { ...delivery, ...taken, attempts: delivery.attempts + 1 }
        })
    },

    settle: async (posts) => {
      if (posts.length === 0) return
      const _revision = newRevision()
      await retried(() =>
        documents.bulkWrite(
          posts.map((post) => settling(post, _revision)),
          { ordered: false },
        ),
      )
    },

    prune: async (before) =>
      (await retried(() => documents.deleteMany({ state: over, createdAt: { $lt: before } }))).deletedCount,

    trim: async ({ projectId, webhookId }, most) => {
      const place = { sort: { createdAt: -1, _id: -1 }, skip: most, projection: { createdAt: 1 } } as const
      const cut = await retried(() => documents.findOne({ projectId, webhookId }, place))
      if (!cut) return 0
      const { _id, createdAt } = cut
      const beyond = { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lte: _id } }] }
      return (await retried(() => documents.deleteMany({ projectId, webhookId, state: over, ...beyond }))).deletedCount
    },
  }
}
