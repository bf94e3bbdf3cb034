import type { Counted, Figure } from '../../figures/figure.js'
import type { Take } from '../../kernel/ports.js'
import type { Page } from '../../kernel/repository.js'
import type { Lane } from '../channels/channel.js'
import type { Delivery, DeliveryError, DeliveryMark, DeliveryStatus, ExclusionReason, Queue } from './delivery.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

export type Acceptance = {
  readonly dispatch: Dispatch
  /** For a dispatch to one address: its delivery. */
  readonly deliveries: readonly Delivery[]
  readonly takes: readonly Take[]
  /** Whether credit is held for it: what is kept then replaces the held dispatch and has its credit. */
  readonly isHeld?: boolean
}

/** What became of an acceptance: the take for which nothing was kept, and the ids of those deliveries that nobody has to claim. */
export type Accepted = { readonly refused?: Take | undefined; readonly leased: readonly string[] }

/** Credit to be held, for so many mails as the dispatch's `creditsHeld` says. */
export type Holding = {
  /** In stage `held`. */
  readonly dispatch: Dispatch
  readonly key: string
  readonly limit: number
}

/** A page of an audience, made into ledger rows. */
export type Expansion = {
  readonly dispatchId: string
  /** The cursor the page was read after; another one stored means that another worker was faster, and nothing is written. */
  readonly after: string | undefined
  readonly cursor: string
  readonly stage: DispatchStage
  readonly deliveries: readonly Delivery[]
  /** What stays of the dispatch's `creditsHeld`. */
  readonly creditsHeld: number
  /** Credit for whom the dispatch holds none, taken in the same step; where it is refused, nothing is written. */
  readonly takes?: Take | undefined
  /** Credits given back in the same step: what is still held when the audience has ended. */
  readonly refund?: { readonly key: string; readonly n: number } | undefined
  readonly now: string
}

/** What to record of a claimed delivery. It is recorded only while that worker still has it. */
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
  /** As rendered for the recipient, where that is another than the content's. */
  readonly subject?: string | undefined
  /** The counter that gets one credit back, if the settlement is recorded. */
  readonly refund?: string | undefined
  /** The figures that grow by one, if the settlement is recorded. */
  readonly counted?: readonly Counted[] | undefined
  /** The contact whose `lastReceiveDate` becomes `now`, if the settlement is recorded. */
  readonly receivedBy?: string | undefined
}

/** Something that happened to a mail after it left. */
export type Marking = {
  readonly _id: string
  readonly mark: DeliveryMark
  /** Told again under the same name, by whoever cannot know whether it was recorded, it changes nothing. */
  readonly name?: string | undefined
  /** Why the mail came back: kept with the mark, and the delivery has moved then. */
  readonly returned?: DeliveryError | undefined
  /** When it happened. */
  readonly now: string
  /** When the delivery has moved by what is `returned`; else `now`. */
  readonly toldAt?: string | undefined
  /** Of a click: the link's place among the email's. */
  readonly link?: number | undefined
  /**
   * The figures that grow by one, given how often the delivery has the mark with this time, and whether the link was never followed
   * before: pure, and may be asked more than once.
   */
  readonly counted: (times: number, isNewLink: boolean) => readonly Counted[]
}

/** What is counted of a mail without a mark, such as what machines do. */
export type NamedCount = {
  /** Told again under the same name, it changes nothing. */
  readonly name: string
  readonly figures: readonly Figure[]
}

/** So many are counted of a mail at once: half of the names that it knows, so that what is told again is known. */
export const mostNamedCounts = 16

/** Deliveries of an email: all that is given has to hold. */
export type DeliveryWhere = {
  readonly emailId: string
  readonly projectId: string
  readonly email?: string
  readonly status?: readonly DeliveryStatus[]
  /** Left out for that. */
  readonly reason?: ExclusionReason
  readonly sentAt?: string
  /** Failed, or came back and says why. */
  readonly undelivered?: true
  /** Last moved then or later. */
  readonly since?: string
  /** Having the mark, or not. */
  readonly marked?: { readonly [M in DeliveryMark]?: boolean }
  /** Having the mark exactly that often. */
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
  /** Where the credits are taken from, and the most that it may have used. */
  readonly credit: Omit<Take, 'n'>
  readonly now: string
}
export type Retried = { readonly again: number; readonly refused?: Take }

/** What a lane has to do, whoever's mails they are. */
export type Backlog = {
  readonly lane: Lane
  readonly queued: number
  readonly sending: number
  readonly uncertain: number
  /** The earliest `notBefore` of what is queued: since then it waits, or until then. Absent where nothing is. */
  readonly oldest?: string
}

/** What was removed: how many deliveries, and which of the dispatches have none (any more). */
export type PrunedDeliveries = { readonly removed: number; readonly gone: readonly string[] }

/** Deliveries by status, and exclusions by reason, of one dispatch. */
export type Tally = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
}

/** The ledger: who is to get what, who got it, who did not and why. Every promise that resolves was durable first. */
export interface Deliveries {
  /**
   * Takes the credit, keeps the dispatch and its deliveries: all of it or nothing. Answers the take that was refused. A dispatch
   * that is kept already is left alone and nothing is taken again; with `isHeld`, so is one that holds nothing (any more). Deliveries may
   * be born `sending`, as in `expand`.
   */
  accept(acceptance: Acceptance): Promise<Accepted>
  /**
   * Keeps the dispatch and takes what it holds; where it holds already, takes or gives back the difference: in one step. One in
   * another stage is left alone. Answers the take that was refused.
   */
  hold(holding: Holding): Promise<Take | undefined>
  /** Stops a held dispatch and gives back what it holds, in one step; false where it is not held (any more). */
  release(dispatchId: string, refund: string, now: string): Promise<boolean>
  /**
   * Adds the page's deliveries and moves the dispatch on, in one step. Some may be born `sending`, leased to the worker that they name:
   * answers the ids of those that were added, which nobody has to claim. Undefined when the cursor was not where the page began, or the
   * credit was refused: then nothing is written.
   */
  expand(expansion: Expansion): Promise<readonly string[] | undefined>
  /**
   * What each lane has to do now, `transactional` first. It looks at all of it, a second for some millions: to be asked seldom, and beside
   * the work rather than in its way.
   */
  backlog(): Promise<readonly Backlog[]>
  /** The queues that have deliveries due now. */
  due(now: string): Promise<readonly Queue[]>
  /** Up to `limit` due deliveries of the queue, the longest due first, now `sending` and leased to the worker. None is handed to two workers. */
  claim(claim: Claim): Promise<readonly Delivery[]>
  /** Lengthens the worker's leases on these deliveries; answers those it still has. */
  renew(ids: readonly string[], worker: string, leaseUntil: string): Promise<readonly string[]>
  /**
   * Records outcomes. One that comes too late (the lease was lost and the delivery given to another) is passed over. Other processes may
   * see them some seconds later; none takes them for lost.
   */
  settle(settlements: readonly Settlement[]): Promise<void>
  /** The dispatches that have deliveries whose lease has passed; a store that can tell that a worker has ended ends its leases first. */
  lost(now: string): Promise<readonly string[]>
  /**
   * Deliveries whose lease has passed become `uncertain` until `graceUntil`, and those uncertain whose time is up are queued
   * again, counting the attempt. Of the dispatches `atOnce`, what was lost is queued again without a grace. Answers how many leases were
   * lost.
   */
  reclaim(now: string, graceUntil: string, atOnce?: readonly string[]): Promise<number>
  /** Records the provider's own word on an uncertain delivery. Answers whether it was still uncertain; only then is it counted. */
  report(id: string, providerMessageId: string, now: string, counted: readonly Counted[]): Promise<boolean>
  /** Counts the mark, in one step with its figures, and answers the delivery as it is then; undefined where there is none. */
  mark(marking: Marking): Promise<Delivery | undefined>
  /** Counts those whose names the delivery does not know yet, at most `mostNamedCounts`, in one step; none where there is no delivery. */
  countOnce(id: string, counts: readonly NamedCount[]): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  /** One page of an email's deliveries and the number of all that fit. */
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** Whether any delivery of the dispatch is still queued, sending or uncertain. */
  open(dispatchId: string): Promise<boolean>
  /** Whether any of these was never tried to an end: none of its attempts counts, or none told what was in the way. */
  untried(dispatchId: string): Promise<boolean>
  tally(dispatchId: string): Promise<Tally>
  /** All deliveries of a dispatch with that status, in `_id` order, in pages. */
  each(dispatchId: string, status: DeliveryStatus): AsyncIterable<Delivery>
  /**
   * Excludes what is still queued, with reason `stopped`, one credit back for each; answers how many. With an error it fails instead,
   * for that: `retryFailed` may then queue it again.
   */
  stop(dispatchId: string, refund: string, now: string, error?: DeliveryError): Promise<number>
  /** Of a mail that was sent, for all that was known: it has failed. Answers whether it was sent until now; only then do figures change. */
  reject(id: string, error: DeliveryError, now: string, figures: readonly Figure[]): Promise<boolean>
  /**
   * Takes a credit for each delivery that failed, queues it again and makes the dispatch's `retry`, in one step; in several where
   * there is much: each is right by itself, and the next call goes on. Answers how many, and the take that was refused; none of a
   * dispatch that `mayRetry` does not allow it.
   */
  retryFailed(retry: Retry): Promise<Retried>
  /**
   * Removes up to `limit` deliveries of these dispatches, in one commit: none that is still to have its final state, or that has
   * changed since `before`.
   */
  prune(dispatchIds: readonly string[], limit: number, before?: string): Promise<PrunedDeliveries>
}
