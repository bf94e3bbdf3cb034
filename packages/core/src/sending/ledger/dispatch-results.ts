import type { Delivery, DeliveryMark, DeliveryStatus, ExclusionReason } from './delivery.js'

/** Mails that failed for one reason. `message`: what one of them was told, the first in the order of texts. */
export type FailureCount = { readonly name: string; readonly message: string; readonly mails: number }

/** Mails that have a mark, and how often all of them together have it. */
export type MarkCount = { readonly mails: number; readonly times: number }

/** What the mails of some dispatches came to. */
export type ResultCounts = {
  readonly byStatus: Readonly<Record<DeliveryStatus, number>>
  readonly excluded: Readonly<Partial<Record<ExclusionReason, number>>>
  /** The `mostFailures` most frequent, the most frequent first, then by name: what failed beyond them is in `byStatus`. */
  readonly failures: readonly FailureCount[]
  readonly marks: Readonly<Record<DeliveryMark, MarkCount>>
}

/** How many reasons for failing are told apart: they are the relays' words. */
export const mostFailures = 50

/** Which rows of the ledger a walk is through: one dispatch's, of these statuses; of all where none is named. */
export type ResultWalk = {
  readonly dispatchId: string
  readonly status?: readonly DeliveryStatus[] | undefined
}

/** Asks the ledger how dispatches went: counted by the store, as they are now. */
export interface DispatchResults {
  count(dispatchIds: readonly string[]): Promise<ResultCounts>
  /** The next rows after that `_id`, in `_id` order: fewer than `limit` where none follows. */
  page(walk: ResultWalk, after: string | undefined, limit: number): Promise<readonly Delivery[]>
}
