import type { CounterTake } from '../../kernel/ports.js'
import type { Page } from '../../kernel/repository.js'
import type { Figure, FigureKey } from '../../reporting/figures/figure.js'
import type { Lane } from '../channels/channel.js'
import type {
  Delivery,
  DeliveryError,
  DeliveryMark,
  DeliveryStatus,
  ExclusionReason,
  MailHappening,
  QueueKey,
  RetryChoice,
} from './delivery.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

export type DispatchToAccept = {
  readonly dispatch: Dispatch
  readonly deliveries: readonly Delivery[]
  readonly takes: readonly CounterTake[]
  /** Replaces the held dispatch and keeps its credit. */
  readonly isHeld?: boolean
}

/** The takes per counter; the lowest limit applies. */
export const summedTakes = (acceptances: readonly Pick<DispatchToAccept, 'takes'>[]): readonly CounterTake[] => {
  const sums = new Map<string, CounterTake>()
  for (const { takes } of acceptances)
    for (const { key, n, limit } of takes) {
      const sum = sums.get(key)
      const limits = [sum?.limit, limit].flatMap((one) => one ?? [])
      sums.set(key, { key, n: n + (sum?.n ?? 0), limit: limits.length > 0 ? Math.min(...limits) : undefined })
    }
  return [...sums.values()]
}

/** `refused`: nothing was stored. Also the ids that were created leased. */
export type AcceptanceResult = { readonly refused?: CounterTake | undefined; readonly leased: readonly string[] }

export type LedgerCreditHold = {
  readonly dispatch: Dispatch
  readonly key: string
  readonly limit: number
}

export type AudienceExpansion = {
  readonly dispatchId: string
  /** If another cursor is stored, another worker was faster: nothing is written. */
  readonly after: string | undefined
  readonly cursor: string
  readonly stage: DispatchStage
  readonly deliveries: readonly Delivery[]
  readonly creditsHeld: number
  /** Beyond the held credit; if refused, nothing is written. */
  readonly takes?: CounterTake | undefined
  /** Credit left at the end of the audience. */
  readonly refund?: { readonly key: string; readonly n: number } | undefined
  readonly now: string
}

/** Stored only while the worker holds the lease. */
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
  readonly subject?: string | undefined
  /** Counter that gets one credit back. */
  readonly refund?: string | undefined
  /** Figures that grow by one. */
  readonly counted?: readonly FigureKey[] | undefined
  /** Contact whose `lastReceiveDate` becomes `now`. */
  readonly receivedBy?: string | undefined
}

/** What happened to a mail after it was sent. */
export type NewDeliveryMark = {
  readonly _id: string
  readonly mark: DeliveryMark
  readonly name?: string | undefined
  readonly returned?: DeliveryError | undefined
  readonly now: string
  /** New `updatedAt` if `returned` is given. */
  readonly reportedAt?: string | undefined
  readonly link?: number | undefined
  /** Figures that grow by one, given the current count of the mark. Pure: may be called repeatedly. */
  readonly counted: (times: number, isNewLink: boolean) => readonly FigureKey[]
}

/** A count without a mark, such as a machine's open. */
export type IdempotentFigureCount = {
  readonly name: string
  readonly happening?: MailHappening | undefined
  readonly figures: readonly Figure[]
}

/** Half of the names that a delivery remembers, so that repetitions are recognized. */
export const mostIdempotentFigureCounts = 16

/** All must hold. Give `emailId` or `address`: stores have an index for each. */
export type DeliveryWhere = {
  readonly _id?: string
  readonly emailId?: string
  /** As `addressKey` has it: finds every spelling. */
  readonly address?: string
  readonly projectId: string
  readonly dispatchId?: string
  readonly status?: readonly DeliveryStatus[]
  readonly reason?: ExclusionReason
  readonly createdAt?: string
  readonly sentAt?: string
  readonly tag?: string
  readonly undelivered?: true
  readonly since?: string
  /** Whether it has the mark. */
  readonly marked?: { readonly [M in DeliveryMark]?: boolean }
  readonly times?: { readonly [M in DeliveryMark]?: number }
}

/** Absent values first when ascending; ties by `_id`. */
export type DeliveryQuery = {
  readonly where: DeliveryWhere
  readonly by: 'createdAt' | 'updatedAt' | 'sentAt' | 'email'
  readonly order: 'asc' | 'desc'
  readonly skip: number
  readonly limit: number
}

/** One page, the newest first. `before`: where the last page ended; an empty `_id` begins at that time. */
export type NewestDeliveriesQuery = {
  readonly projectId: string
  /** Only failed deliveries. */
  readonly failed?: true | undefined
  /** Created then or later. */
  readonly from?: string | undefined
  readonly before: { readonly createdAt: string; readonly _id: string }
  readonly limit: number
}

export type QueueClaim = {
  readonly queue: QueueKey
  readonly worker: string
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
}

export type DispatchRetry = RetryChoice & {
  readonly dispatchId: string
  readonly credit: Omit<CounterTake, 'n'>
  readonly now: string
}
export type RetryResult = { readonly again: number; readonly refused?: CounterTake }

/** Of all projects. */
export type Backlog = {
  readonly lane: Lane
  readonly queued: number
  readonly sending: number
  readonly uncertain: number
  /** Earliest `notBefore`, perhaps in the future. */
  readonly oldest?: string
}

/** `gone`: dispatches without deliveries. */
type PrunedDeliveries = { readonly removed: number; readonly gone: readonly string[] }

export type DispatchTally = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
}

/** Numbers of deliveries: whose lease was over, and that were queued again. */
export type Reclaimed = { readonly lost: number; readonly queued: number }

/** The ledger. Promises resolve after the write is durable. */
export interface Deliveries {
  /**
   * Takes the credit and stores dispatch and deliveries, all or nothing. Changes nothing if the dispatch exists, or if `isHeld` and it holds nothing.
   */
  accept(acceptance: DispatchToAccept): Promise<AcceptanceResult>
  /**
   * Several new dispatches that take from the same counters, in order and in one step: after the first refused one, all new ones are refused.
   * @param id the same for every repetition: repetitions run one after the other
   */
  acceptAll(id: string, acceptances: readonly Omit<DispatchToAccept, 'isHeld'>[]): Promise<readonly AcceptanceResult[]>
  /** Stores the dispatch and takes or returns the difference in credit, in one step. Other stages stay unchanged. */
  hold(holding: LedgerCreditHold): Promise<CounterTake | undefined>
  /** Stops a held dispatch and returns its credit; false if not held. */
  release(dispatchId: string, refund: string, now: string): Promise<boolean>
  /**
   * Adds a page and updates the dispatch in one step. Returns the ids created leased; undefined, with nothing written, if the cursor had moved or the
   * credit was refused.
   */
  expand(expansion: AudienceExpansion): Promise<readonly string[] | undefined>
  /** Open deliveries per lane. Reads all: about a second per some millions. */
  backlog(): Promise<readonly Backlog[]>
  due(now: string): Promise<readonly QueueKey[]>
  /** Longest due first; never one delivery to two workers. */
  claim(claim: QueueClaim): Promise<readonly Delivery[]>
  /** Returns the leases that the worker still holds. */
  renew(ids: readonly string[], worker: string, leaseUntil: string): Promise<readonly string[]>
  /** Except deliveries that another worker holds. Other processes may see outcomes seconds later; none reclaims them. */
  settle(settlements: readonly Settlement[]): Promise<void>
  /**
   * Dispatches of deliveries whose lease is over, for `reclaim`. A store that knows which workers are dead ends their leases
   * before.
   */
  dispatchesOfDeadLeases(now: string): Promise<readonly string[]>
  /**
   * Counts the attempt of every delivery whose lease is over and makes it `uncertain` until `graceUntil`, or until `now` for
   * dispatches in `withoutReports`. Then queues all uncertain ones whose time is over, including those of earlier calls.
   */
  reclaim(now: string, graceUntil: string, withoutReports?: readonly string[]): Promise<Reclaimed>
  /** Stores the provider's report. Returns whether the delivery was still uncertain; only then do figures change. */
  report(id: string, providerMessageId: string, now: string, counted: readonly FigureKey[]): Promise<boolean>
  /** Adds mark and figures in one step; undefined if the delivery does not exist. */
  mark(marking: NewDeliveryMark): Promise<Delivery | undefined>
  /** Adds the counts with new names in one step. */
  countOnce(id: string, counts: readonly IdempotentFigureCount[]): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** Of a project: by `createdAt`, then `_id`, both descending. Reads no more than `limit` deliveries, and counts none. */
  newest(walk: NewestDeliveriesQuery): Promise<readonly Delivery[]>
  /** Whether any is queued, sending or uncertain. */
  open(dispatchId: string): Promise<boolean>
  /** Whether any open delivery has no counted attempt, or no error from one. */
  untried(dispatchId: string): Promise<boolean>
  tally(dispatchId: string): Promise<DispatchTally>
  each(dispatchId: string, status: DeliveryStatus): AsyncIterable<Delivery>
  /** Excludes queued deliveries and returns their credit, or fails them with `error`, so that they can be retried. Returns their number. */
  stop(dispatchId: string, refund: string, now: string, error?: DeliveryError): Promise<number>
  /** A sent mail has failed. Returns whether it was `sent`; only then do figures change. */
  reject(id: string, error: DeliveryError, now: string, figures: readonly Figure[]): Promise<boolean>
  /** Takes credit, queues failed deliveries and makes the `retry` move; in several steps if there are many, until somebody stops the dispatch. 0 if `mayRetryDispatch` forbids it. */
  retryFailed(retry: DispatchRetry): Promise<RetryResult>
  /** Removes up to `limit` final deliveries in one commit; keeps those changed since `before`. */
  prune(dispatchIds: readonly string[], limit: number, before?: string): Promise<PrunedDeliveries>
}

/** Never due. */
export const neverDue = '9999-12-31T23:59:59.999Z'

/** Mails to single addresses in a store that was restored from a backup. */
export type HeldMails = {
  /**
   * Holds back mails that were due by `until` or were being sent; returns their number. Mails of a campaign that were being sent are queued,
   * so that stopping its dispatch includes them. No process may send from the store.
   */
  readonly hold: (until: string, now: string) => Promise<number>
  /** What `hold` held back becomes due. Servers may be running. Returns the number. */
  readonly release: (now: string) => Promise<number>
  readonly count: () => Promise<number>
}
