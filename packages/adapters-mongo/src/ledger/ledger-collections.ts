import { type Contact, type Delivery, type DeliveryStatus, dispatchOf, type Figure } from '@posthorn/core/ports'
import type { MongoDatabase } from '../connection/mongo-database.js'
import type { StoredDocument } from '../repository/document.js'
import type { Indexes } from '../schema/indexes.js'
import type { StoredStep } from './stored-step.js'

/** The steps that have changed the document and are not over yet: see `mongo-steps.ts`. */
export type Marks = { readonly _steps?: string[] }

/** `_claim` names the claim that it was handed out by, no other has that name; it is there only while the delivery is `sending`. */
export type DeliveryDocument = Delivery & Marks & { readonly _claim?: string }
export type CounterDocument = Marks & { readonly _id: string; readonly value: number; readonly expires?: string }
export type FigureDocument = Figure & Marks & { readonly _id: string }

/** What steps write into, and are kept in. */
export const ledgerCollections = ({ collection }: Pick<MongoDatabase, 'collection'>) => ({
  steps: collection<StoredStep>('steps'),
  deliveries: collection<DeliveryDocument>('deliveries'),
  counters: collection<CounterDocument>('counters'),
  figures: collection<FigureDocument>('figures'),
  dispatches: collection<StoredDocument>('dispatches'),
  subscribers: collection<StoredDocument>('subscribers'),
  contacts: collection<Pick<Contact, '_id' | 'projectId' | 'lastReceiveDate'> & { readonly _revision?: string }>(
    'contacts',
  ),
})
export type LedgerCollections = ReturnType<typeof ledgerCollections>

/**
 * Deliveries by their ids, together with the dispatches that the ids name: a cluster that is sharded by the dispatch then asks those shards
 * alone. Sorted, so that two batches never wait for each other.
 */
export const deliveriesBy = (ids: readonly string[]) => ({
  _id: { $in: ids.toSorted() },
  dispatchId: { $in: [...new Set(ids.map(dispatchOf))].sort() },
})

/** Of what still has to become something else. */
export const openStatuses: readonly DeliveryStatus[] = ['queued', 'sending', 'uncertain']

/** A delivery as the port knows it: without what only this adapter keeps of it. */
export const deliveryFields = { projection: { _claim: 0, _steps: 0 } } as const

const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } })
const being = (status: DeliveryStatus) => ({ partialFilterExpression: { status } })

/**
 * An index for every way the ledger is asked, beside `_id`. What concerns deliveries of one status is an index of these alone; the
 * status leads it all the same, so that no document need be fetched to see it.
 *
 * How a cluster may shard them is in `shard-keys.ts`. `steps` holds only what is under way, and has a unique key of its own.
 */
export const ledgerIndexes = {
  steps: [
    { name: 'lock', key: { lock: 1 }, unique: true },
    { name: 'due', key: { due: 1 } },
    { name: 'sweepAt', key: { sweepAt: 1 } },
    { name: 'about', key: { about: 1 }, ...having('about') },
  ],
  deliveries: [
    { name: 'queue', key: { status: 1, lane: 1, projectId: 1, notBefore: 1, _id: 1 }, ...being('queued') },
    { name: 'lease', key: { status: 1, leaseUntil: 1 }, ...being('sending') },
    { name: 'grace', key: { status: 1, notBefore: 1 }, ...being('uncertain') },
    { name: 'dispatch', key: { dispatchId: 1, status: 1, _id: 1 } },
    { name: 'untried', key: { dispatchId: 1, status: 1 }, partialFilterExpression: { attempts: 0 } },
    { name: 'email', key: { projectId: 1, emailId: 1, createdAt: 1, _id: 1 }, ...having('emailId') },
    { name: 'error', key: { projectId: 1, emailId: 1, status: 1, updatedAt: 1, _id: 1 }, ...being('failed') },
    { name: 'returned', key: { projectId: 1, emailId: 1, updatedAt: 1, _id: 1 }, ...having('returned') },
  ],
  counters: [{ name: 'expiry', key: { expires: 1 }, ...having('expires') }],
  figures: [{ name: 'figure', key: { subject: 1, metric: 1, slot: 1 } }],
} as const satisfies Indexes
