import type { Counted, Figure } from '../../figures/figure.js'
import type { Take } from '../../kernel/ports.js'
import type { Page } from '../../kernel/repository.js'
import type { Lane } from '../channels/channel.js'
import type { Delivery, DeliveryError, DeliveryMark, DeliveryStatus, ExclusionReason, Queue } from './delivery.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

export type Acceptance = {
  readonly dispatch: Dispatch
  /** The delivery of a dispatch to one address; else empty. */
  readonly deliveries: readonly Delivery[]
  readonly takes: readonly Take[]
  /** The dispatch replaces the held one and keeps its credit. */
  readonly isHeld?: boolean
}

/** The refused take, if nothing was stored, and the ids that were created leased. */
export type Accepted = { readonly refused?: Take | undefined; readonly leased: readonly string[] }

export type Holding = {
  readonly dispatch: Dispatch
  readonly key: string
  readonly limit: number
}

export type Expansion = {
  readonly dispatchId: string
  /** If another cursor is stored, another worker was faster and nothing is written. */
  readonly after: string | undefined
  readonly cursor: string
  readonly stage: DispatchStage
  readonly deliveries: readonly Delivery[]
  readonly creditsHeld: number
  /** Credit beyond the held amount; if refused, nothing is written. */
  readonly takes?: Take | undefined
  /** What is still held at the end of the audience. */
  readonly refund?: { readonly key: string; readonly n: number } | undefined
  readonly now: string
}

/** Stored only while that worker holds the lease. */
export type Settlement = {
  readonly _id: string
  readonly worker: string
  readonly to: Exclude<DeliveryStatus, 'sending'>
  readonly now: string
  readonly attempted: boolean
  readonly notBefore?: string | undefined
  readonly reason?: ExclusionReason | undefined
  readonly error?: DeliveryError | undefined
  readonly providerMessageId?: string | undefined
  /** If it differs from the content’s. */
  readonly subject?: string | undefined
  /** The counter that gets one credit back. */
  readonly refund?: string | undefined
  /** The figures that grow by one. */
  readonly counted?: readonly Counted[] | undefined
  /** The contact whose `lastReceiveDate` becomes `now`. */
  readonly receivedBy?: string | undefined
}

/** Something that happened to a mail after it was sent. */
export type Marking = {
  readonly _id: string
  readonly mark: DeliveryMark
  /** Idempotency key. */
  readonly name?: string | undefined
  /** Why the mail came back. */
  readonly returned?: DeliveryError | undefined
  readonly now: string
  /** The new `updatedAt` if `returned` is given; default: `now`. */
  readonly reportedAt?: string | undefined
  /** A click’s link, by index in the email. */
  readonly link?: number | undefined
  /**
   * The figures that grow by one, given how often the delivery has the mark now. Pure: may be called more than once.
   */
  readonly counted: (times: number, isNewLink: boolean) => readonly Counted[]
}

/** A count without a mark, such as an open by a machine. */
export type NamedCount = {
  /** Idempotency key. */
  readonly name: string
  readonly figures: readonly Figure[]
}

/** Per call: half of the names that a delivery remembers, so that repetitions are recognized. */
export const mostNamedCounts = 16

/** Conditions on an email's deliveries; all must hold. */
export type DeliveryWhere = {
  readonly emailId: string
  readonly projectId: string
  readonly email?: string
  readonly status?: readonly DeliveryStatus[]
  readonly reason?: ExclusionReason
  readonly sentAt?: string
  readonly undelivered?: true
  readonly since?: string
  /** Has the mark, or does not. */
  readonly marked?: { readonly [M in DeliveryMark]?: boolean }
  readonly times?: { readonly [M in DeliveryMark]?: number }
}

/** Absent values first when ascending; ties by `_id` in the same direction. */
export type DeliveryQuery = {
  readonly where: DeliveryWhere
  readonly by: 'createdAt' | 'updatedAt' | 'sentAt' | 'email'
  readonly order: 'asc' | 'desc'
  readonly skip: number
  readonly limit: number
}

export type Claim = {
  readonly queue: Queue
  readonly worker: string
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
}

export type Retry = {
  readonly dispatchId: string
  readonly credit: Omit<Take, 'n'>
  readonly now: string
}
export type Retried = { readonly again: number; readonly refused?: Take }

/** A lane's open deliveries, of all projects. */
export type Backlog = {
  readonly lane: Lane
  readonly queued: number
  readonly sending: number
  readonly uncertain: number
  /** Earliest `notBefore` of the queue, perhaps in the future. */
  readonly oldest?: string
}

/** `gone`: dispatches without deliveries. */
export type PrunedDeliveries = { readonly removed: number; readonly gone: readonly string[] }

export type Tally = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
}

/** The ledger. Promises resolve only after the write is durable. */
export interface Deliveries {
  /**
   * Takes the credit and stores the dispatch with its deliveries, all or nothing. Changes nothing if the dispatch is
   * already stored, or if `isHeld` and it holds nothing. Deliveries may be created leased.
   */
  accept(acceptance: Acceptance): Promise<Accepted>
  /**
   * Stores the dispatch and takes, or returns the difference to, the credit that it holds, in one step. Other stages
   * are not changed.
   */
  hold(holding: Holding): Promise<Take | undefined>
  /** Stops a held dispatch and returns its credit; false if it is not held. */
  release(dispatchId: string, refund: string, now: string): Promise<boolean>
  /**
   * Adds a page and updates the dispatch, in one step. Returns the ids that were created leased; undefined, with
   * nothing written, if the cursor had moved or the credit was refused.
   */
  expand(expansion: Expansion): Promise<readonly string[] | undefined>
  /** Open deliveries per lane. Reads all of them, about a second per some millions. */
  backlog(): Promise<readonly Backlog[]>
  due(now: string): Promise<readonly Queue[]>
  /** Leases due deliveries, longest due first; never one delivery to two workers. */
  claim(claim: Claim): Promise<readonly Delivery[]>
  /** Extends leases; returns those that the worker still holds. */
  renew(ids: readonly string[], worker: string, leaseUntil: string): Promise<readonly string[]>
  /**
   * Stores outcomes, except those of deliveries that another worker holds. Other processes may see them some seconds
   * later; none reclaims the deliveries.
   */
  settle(settlements: readonly Settlement[]): Promise<void>
  /** Dispatches with expired leases. A store that knows that a worker ended expires its leases first. */
  lost(now: string): Promise<readonly string[]>
  /**
   * Expired deliveries become `uncertain` until `graceUntil`, or queued for dispatches `atOnce`; uncertain ones past
   * their grace are queued, counting the attempt. Returns the number of expired leases.
   */
  reclaim(now: string, graceUntil: string, atOnce?: readonly string[]): Promise<number>
  /**
   * Stores the provider’s report. Returns whether the delivery was still uncertain; only then are the figures counted.
   */
  report(id: string, providerMessageId: string, now: string, counted: readonly Counted[]): Promise<boolean>
  /** Adds the mark and its figures in one step; undefined if the delivery does not exist. */
  mark(marking: Marking): Promise<Delivery | undefined>
  /** Adds the counts whose names the delivery does not have yet, in one step. */
  countOnce(id: string, counts: readonly NamedCount[]): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** Whether any delivery is queued, sending or uncertain. */
  open(dispatchId: string): Promise<boolean>
  /** Whether any open delivery has no counted attempt, or no error from one. */
  untried(dispatchId: string): Promise<boolean>
  tally(dispatchId: string): Promise<Tally>
  each(dispatchId: string, status: DeliveryStatus): AsyncIterable<Delivery>
  /**
   * Excludes the queued deliveries and returns their credit, or fails them with `error` so that `retryFailed` may queue
   * them; returns their number.
   */
  stop(dispatchId: string, refund: string, now: string, error?: DeliveryError): Promise<number>
  /** A mail that counted as sent has failed. Returns whether it was `sent`; only then do the figures change. */
  reject(id: string, error: DeliveryError, now: string, figures: readonly Figure[]): Promise<boolean>
  /**
   * Takes credit for failed deliveries, queues them again and makes the `retry` move; large dispatches take several
   * steps. 0 if `mayRetry` forbids it.
   */
  retryFailed(retry: Retry): Promise<Retried>
  /** Removes final deliveries, up to `limit` in one commit; keeps those changed since `before`. */
  prune(dispatchIds: readonly string[], limit: number, before?: string): Promise<PrunedDeliveries>
}
