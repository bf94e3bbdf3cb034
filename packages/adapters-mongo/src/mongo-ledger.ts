import type { Contact, Delivery, Figure } from '@posthorn/core'
import type { MongoDatabase } from './mongo-database.js'
import type { StoredDocument } from './mongo-document.js'
import type { Index } from './mongo-indexes.js'
import type { Step } from './mongo-step.js'

/** The steps that have changed the document and are not over yet: see `mongo-steps.ts`. */
export type Marks = { readonly _steps?: string[] }

/** `_claim` names the claim that it was handed out by, no other has that name; it is there only while the delivery is `sending`. */
export type DeliveryDocument = Delivery & Marks & { readonly _claim?: string }
export type CounterDocument = Marks & { readonly _id: string; readonly value: number; readonly expires?: string }
export type FigureDocument = Figure & Marks & { readonly _id: string }

/** What steps write into, and are kept in. */
export const ledgerCollections = ({ collection }: Pick<MongoDatabase, 'collection'>) => ({
  steps: collection<Step>('steps'),
  deliveries: collection<DeliveryDocument>('deliveries'),
  counters: collection<CounterDocument>('counters'),
  figures: collection<FigureDocument>('figures'),
  dispatches: collection<StoredDocument>('dispatches'),
  contacts: collection<Pick<Contact, '_id' | 'lastReceiveDate'> & { readonly _revision?: string }>('contacts'),
})
export type LedgerCollections = ReturnType<typeof ledgerCollections>

/** A delivery as the port knows it: without what only this adapter keeps of it. */
export const deliveryFields = { projection: { _claim: 0, _steps: 0 } } as const

const there = (field: string) => ({ [field]: { $exists: true } })

/**
 * An index for every way the ledger is asked, beside `_id`. What concerns deliveries of one status is an index of these alone; the
 * status leads it all the same, so that no document need be fetched to see it.
 *
 * Single documents and batches are found by `_id`, by which, hashed, every collection may be sharded except for `steps`: that one
 * holds only what is under way, and a unique key.
 */
export const ledgerIndexes: readonly Index[] = [
  { collection: 'steps', fields: ['lock'], unique: true },
  { collection: 'steps', fields: ['due'] },
  { collection: 'steps', fields: ['about'], only: there('about') },
  {
    collection: 'deliveries',
    fields: ['status', 'lane', 'projectId', 'notBefore', '_id'],
    only: { status: 'queued' },
  },
  { collection: 'deliveries', fields: ['status', 'leaseUntil'], only: { status: 'sending' } },
  { collection: 'deliveries', fields: ['status', 'notBefore'], only: { status: 'uncertain' } },
  { collection: 'deliveries', fields: ['dispatchId', 'status', '_id'] },
  { collection: 'deliveries', fields: ['projectId', 'emailId', 'createdAt', '_id'], only: there('emailId') },
  {
    collection: 'deliveries',
    fields: ['projectId', 'emailId', 'status', 'updatedAt', '_id'],
    only: { status: 'failed' },
  },
  { collection: 'counters', fields: ['expires'], only: there('expires') },
  { collection: 'figures', fields: ['subject', 'metric', 'slot'] },
]
