import {
  type Contact,
  type Delivery,
  type DeliveryStatus,
  dispatchIdOf,
  type Figure,
} from '@posthorn/core/ports/storage'
import type { MongoDatabase } from '../connection/mongo-database.js'
import type { StoredDocument } from '../records/documents.js'
import type { Indexes } from '../schema/indexes.js'
import type { StoredStep } from './stored-step.js'

/** Ids of the unfinished steps that have changed the document: see `mongo-steps.ts`. */
export type StepMarks = { readonly _steps?: string[] }

/** `_claim`: the lease's claim, while `sending`. `_address`: the `addressKey` of its email. */
export type DeliveryDocument = Delivery & StepMarks & { readonly _claim?: string; readonly _address?: string }
export type CounterDocument = StepMarks & { readonly _id: string; readonly value: number; readonly expires?: string }
export type FigureDocument = Figure & StepMarks & { readonly _id: string }

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

/** With dispatches, a cluster queries few shards. Sorting avoids deadlocks. */
export const deliveryIdsFilter = (ids: readonly string[]) => ({
  _id: { $in: ids.toSorted() },
  dispatchId: { $in: [...new Set(ids.map(dispatchIdOf))].sort() },
})

export const openStatuses: readonly DeliveryStatus[] = ['queued', 'sending', 'uncertain']

export const deliveryProjection = { projection: { _claim: 0, _steps: 0, _address: 0 } } as const

const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } })
const being = (status: DeliveryStatus) => ({ partialFilterExpression: { status } })

/** With the status first, the server need not fetch documents to check it. */
export const ledgerIndexes = {
  steps: [
    { name: 'lock', key: { lock: 1 }, unique: true },
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
    { name: 'address', key: { projectId: 1, _address: 1, createdAt: 1, _id: 1 } },
    { name: 'project', key: { projectId: 1, createdAt: 1, _id: 1 } },
    { name: 'failed', key: { status: 1, projectId: 1, createdAt: 1, _id: 1 }, ...being('failed') },
    { name: 'error', key: { projectId: 1, emailId: 1, status: 1, updatedAt: 1, _id: 1 }, ...being('failed') },
    { name: 'returned', key: { projectId: 1, emailId: 1, updatedAt: 1, _id: 1 }, ...having('returned') },
  ],
  counters: [{ name: 'expiry', key: { expires: 1 }, ...having('expires') }],
  figures: [{ name: 'figure', key: { subject: 1, metric: 1, slot: 1 } }],
} as const satisfies Indexes
