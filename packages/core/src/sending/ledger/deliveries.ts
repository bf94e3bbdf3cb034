import type { Counted, Figure } from '../../figures/figure.js'
import type { Take } from '../../kernel/ports.js'
import type { Page } from '../../kernel/repository.js'
import type { Lane } from '../channels/channel.js'
import type { Delivery, DeliveryError, DeliveryMark, DeliveryStatus, ExclusionReason, Queue } from './delivery.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

export type Acceptance = {
  readonly dispatch: Dispatch
  /** The delivery of a dispatch to one address; empty otherwise. */
  readonly deliveries: readonly Delivery[]
  readonly takes: readonly Take[]
  /** Whether credit is held for the dispatch. The stored dispatch then replaces the held one and keeps its credit. */
  readonly isHeld?: boolean
}

/** The refused take, if nothing was stored for it, and the ids of the deliveries that were created leased and need no claim. */
export type Accepted = { readonly refused?: Take | undefined; readonly leased: readonly string[] }

/** Credit to hold: the amount is the dispatch's `creditsHeld`. */
export type Holding = {
  /** Has the stage `held`. */
  readonly dispatch: Dispatch
  readonly key: string
  readonly limit: number
}

/** A page of an audience as ledger rows. */
export type Expansion = {
  readonly dispatchId: string
  /** The cursor that the page was read after. If another one is stored, another worker was faster and nothing is written. */
  readonly after: string | undefined
  readonly cursor: string
  readonly stage: DispatchStage
  readonly deliveries: readonly Delivery[]
  /** The dispatch's new `creditsHeld`. */
  readonly creditsHeld: number
  /** Credit for recipients beyond the held amount, taken in the same step; if it is refused, nothing is written. */
  readonly takes?: Take | undefined
  /** Credits returned in the same step: what is still held at the end of the audience. */
  readonly refund?: { readonly key: string; readonly n: number } | undefined
  readonly now: string
}

/** The outcome of a claimed delivery. It is stored only while that worker holds the lease. */
export type Settlement = {
  readonly _id: string
  readonly worker: string
  readonly to: Exclude<DeliveryStatus, 'sending'>
  readonly now: string
  /** Whether this attempt counts. */
  readonly attempted: boolean
  readonly notBefore?: string | undefined
  readonly reason?: ExclusionReason | undefined
  readonly error?: DeliveryError | undefined
  readonly providerMessageId?: string | undefined
  /** The rendered subject if it differs from the content's. */
  readonly subject?: string | undefined
  /** The counter that gets one credit back if the settlement is stored. */
  readonly refund?: string | undefined
  /** The figures that grow by one if the settlement is stored. */
  readonly counted?: readonly Counted[] | undefined
  /** The contact whose `lastReceiveDate` becomes `now` if the settlement is stored. */
  readonly receivedBy?: string | undefined
}

/** Something that happened to a mail after it was sent. */
export type Marking = {
  readonly _id: string
  readonly mark: DeliveryMark
  /** Idempotency key: a mark repeated with the same name changes nothing. */
  readonly name?: string | undefined
  /** Why the mail came back: stored with the mark, and updates `updatedAt`. */
  readonly returned?: DeliveryError | undefined
  /** When it happened. */
  readonly now: string
  /** The new `updatedAt` if `returned` is given; default: `now`. */
  readonly reportedAt?: string | undefined
  /** For a click: the link's index in the email. */
  readonly link?: number | undefined
  /**
   * Returns the figures that grow by one, given how often the delivery has the mark including this time, and whether this is the link's
   * first click. Must be pure: it may be called more than once.
   */
  readonly counted: (times: number, isNewLink: boolean) => readonly Counted[]
}

/** A count for a mail without a mark, such as an open by a machine. */
export type NamedCount = {
  /** Idempotency key: a count repeated with the same name changes nothing. */
  readonly name: string
  readonly figures: readonly Figure[]
}

/** Maximum number of named counts per call: half of the names that a delivery remembers, so that repetitions are recognized. */
export const mostNamedCounts = 16

/** Conditions on an email's deliveries; all must hold. */
export type DeliveryWhere = {
  readonly emailId: string
  readonly projectId: string
  readonly email?: string
  readonly status?: readonly DeliveryStatus[]
  /** The reason for the exclusion. */
  readonly reason?: ExclusionReason
  readonly sentAt?: string
  /** Failed, or came back with a reason. */
  readonly undelivered?: true
  /** `updatedAt` is at this time or later. */
  readonly since?: string
  /** Has the mark, or does not. */
  readonly marked?: { readonly [M in DeliveryMark]?: boolean }
  /** Has the mark exactly this often. */
  readonly times?: { readonly [M in DeliveryMark]?: number }
}

/** Ordered by the field (absent first when ascending), then by `_id` in the same direction. */
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
  /** The credit counter and its limit. */
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
  /** The earliest `notBefore` of the queued deliveries, which may be in the future; absent if none is queued. */
  readonly oldest?: string
}

/** The number of removed deliveries, and the dispatches that have none left. */
export type PrunedDeliveries = { readonly removed: number; readonly gone: readonly string[] }

/** A dispatch's deliveries by status, and its exclusions by reason. */
export type Tally = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
}

/** The ledger: every recipient's delivery with its outcome. Every promise resolves only after the write is durable. */
export interface Deliveries {
  /**
   * Takes the credit and stores the dispatch with its deliveries, all or nothing. Returns the refused take, if any. If the dispatch is
   * already stored, nothing is changed or taken; the same holds for `isHeld` if the dispatch holds nothing (any more). Deliveries may be
   * created leased, as in `expand`.
   */
  accept(acceptance: Acceptance): Promise<Accepted>
  /**
   * Stores the dispatch and takes the credit that it holds; if it already holds some, takes or returns the difference, in one step. A
   * dispatch in another stage is not changed. Returns the refused take, if any.
   */
  hold(holding: Holding): Promise<Take | undefined>
  /** Stops a held dispatch and returns its credit, in one step; false if it is not held (any more). */
  release(dispatchId: string, refund: string, now: string): Promise<boolean>
  /**
   * Adds the page's deliveries and updates the dispatch, in one step. Some may be created `sending`, leased to the worker that they name:
   * returns the ids of those that were added, which need no claim. Returns undefined, and writes nothing, if the cursor was not where the
   * page began or the credit was refused.
   */
  expand(expansion: Expansion): Promise<readonly string[] | undefined>
  /**
   * The open deliveries per lane, `transactional` first. Reads all of them, which takes about a second for some millions: call it seldom
   * and off the sending path.
   */
  backlog(): Promise<readonly Backlog[]>
  /** The queues that have deliveries due now. */
  due(now: string): Promise<readonly Queue[]>
  /** Leases up to `limit` due deliveries of the queue to the worker, longest due first. Never leases a delivery to two workers. */
  claim(claim: Claim): Promise<readonly Delivery[]>
  /** Extends the worker's leases on these deliveries; returns those that it still holds. */
  renew(ids: readonly string[], worker: string, leaseUntil: string): Promise<readonly string[]>
  /**
   * Stores outcomes. Skips late ones, whose lease expired and whose delivery another worker holds. Other processes may see the outcomes
   * some seconds later; none reclaims the deliveries.
   */
  settle(settlements: readonly Settlement[]): Promise<void>
  /** The dispatches that have deliveries with an expired lease. A store that can tell that a worker has ended expires its leases first. */
  lost(now: string): Promise<readonly string[]>
  /**
   * Deliveries with an expired lease become `uncertain` until `graceUntil`; uncertain ones whose grace has ended are queued again, counting
   * the attempt. For the dispatches `atOnce`, expired deliveries are queued again without a grace. Returns the number of expired leases.
   */
  reclaim(now: string, graceUntil: string, atOnce?: readonly string[]): Promise<number>
  /** Stores the provider's report on an uncertain delivery. Returns whether it was still uncertain; only then are the figures counted. */
  report(id: string, providerMessageId: string, now: string, counted: readonly Counted[]): Promise<boolean>
  /** Adds the mark and its figures in one step and returns the changed delivery; undefined if it does not exist. */
  mark(marking: Marking): Promise<Delivery | undefined>
  /**
   * Adds, in one step, the counts whose names the delivery does not have yet, at most `mostNamedCounts`; none if the delivery does not
   * exist.
   */
  countOnce(id: string, counts: readonly NamedCount[]): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  /** One page of an email's deliveries, with the total number of matches. */
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** Whether any delivery of the dispatch is still queued, sending or uncertain. */
  open(dispatchId: string): Promise<boolean>
  /** Whether any open delivery of the dispatch was never tried to the end: it has no counted attempt, or no error from one. */
  untried(dispatchId: string): Promise<boolean>
  tally(dispatchId: string): Promise<Tally>
  each(dispatchId: string, status: DeliveryStatus): AsyncIterable<Delivery>
  /**
   * Excludes the queued deliveries with reason `stopped` and returns one credit for each; returns their number. With `error` they fail with
   * it instead, and `retryFailed` may queue them again.
   */
  stop(dispatchId: string, refund: string, now: string, error?: DeliveryError): Promise<number>
  /** A mail that counted as sent has failed. Returns whether it was `sent` until now; only then are the figures changed. */
  reject(id: string, error: DeliveryError, now: string, figures: readonly Figure[]): Promise<boolean>
  /**
   * Takes a credit for each failed delivery, queues it again and applies the dispatch's `retry` move, in one step. Large dispatches take
   * several steps: each is consistent, and the next call continues. Returns the number and the refused take, if any; 0 if `mayRetry` does
   * not allow it.
   */
  retryFailed(retry: Retry): Promise<Retried>
  /**
   * Removes up to `limit` deliveries of these dispatches, in one commit. Keeps those that are not final yet or have changed since `before`.
   */
  prune(dispatchIds: readonly string[], limit: number, before?: string): Promise<PrunedDeliveries>
}
