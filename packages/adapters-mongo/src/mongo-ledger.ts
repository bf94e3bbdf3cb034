import type { Contact, Delivery, Dispatch, Figure } from '@posthorn/core'
import type { IndexDescription } from 'mongodb'
import type { MongoDatabase } from './mongo-database.js'
import type { Step } from './mongo-step.js'

/** The steps that have changed the document and are not over yet: see `mongo-steps.ts`. */
export type Marks = { readonly steps?: string[] }

/** `claim` names the claim that it was handed out by, no other has that name; it is there only while the delivery is `sending`. */
export type DeliveryDocument = Delivery & Marks & { readonly claim?: string }
export type CounterDocument = Marks & { readonly _id: string; readonly value: number; readonly expires?: string }
export type FigureDocument = Figure & Marks & { readonly _id: string }
/** A record as its repository keeps it: each change counts its revision, so that no other change is lost. */
export type Revised<T> = T & Marks & { readonly revision?: number }

/** What the ledger, the counters and the figures are kept in. */
export const ledgerCollections = ({ collection }: Pick<MongoDatabase, 'collection'>) => ({
  steps: collection<Step>('steps'),
  deliveries: collection<DeliveryDocument>('deliveries'),
  counters: collection<CounterDocument>('counters'),
  figures: collection<FigureDocument>('figures'),
  dispatches: collection<Revised<Dispatch>>('dispatches'),
  contacts: collection<Revised<Contact>>('contacts'),
})
export type LedgerCollections = ReturnType<typeof ledgerCollections>

/** What only concerns deliveries of one status is an index of these alone; the status leads, so that nothing need be fetched to see it. */
const only = (status: Delivery['status']) => ({ partialFilterExpression: { status } })

/**
 * An index for every way the ledger is asked, beside `_id`, by collection. Every collection may be sharded by its hashed `_id`,
 * which is what all single documents and all batches are found by.
 */
export const ledgerIndexes = {
  deliveries: [
    { name: 'queue', key: { status: 1, lane: 1, projectId: 1, notBefore: 1, _id: 1 }, ...only('queued') },
    { name: 'leases', key: { status: 1, leaseUntil: 1 }, ...only('sending') },
    { name: 'grace', key: { status: 1, notBefore: 1 }, ...only('uncertain') },
    { name: 'dispatch', key: { dispatchId: 1, status: 1, _id: 1 } },
    {
      name: 'email',
      key: { projectId: 1, emailId: 1, createdAt: 1, _id: 1 },
      partialFilterExpression: { emailId: { $exists: true } },
    },
    { name: 'errors', key: { projectId: 1, emailId: 1, status: 1, updatedAt: 1, _id: 1 }, ...only('failed') },
  ],
  counters: [{ name: 'expiry', key: { expires: 1 }, sparse: true }],
  figures: [{ name: 'figure', key: { subject: 1, metric: 1, slot: 1 } }],
  steps: [
    { name: 'lock', key: { lock: 1 }, unique: true, sparse: true },
    { name: 'due', key: { due: 1 } },
    { name: 'about', key: { about: 1 }, sparse: true },
  ],
} as const satisfies Record<string, readonly IndexDescription[]>
