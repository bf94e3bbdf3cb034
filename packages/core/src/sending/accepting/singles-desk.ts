import type { Delivery } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'

/** A mail to one address, with all that was known of it when it was accepted. */
export type Single = { readonly dispatch: Dispatch; readonly delivery: Delivery }

/** A single mail is born the worker's. One of `begin` and `drop` has to follow. */
export type SingleLease = Required<Pick<Delivery, 'worker' | 'leaseUntil'>> & {
  /** It is durable, and sent from here. */
  readonly begin: (single: Single) => void
  /** It was not accepted, or somebody else has it. */
  readonly drop: () => void
}

/** The lease that a single mail of that dispatch is born with; undefined where it is to wait in the queue. */
export type LeaseSingle = (dispatch: Dispatch) => SingleLease | undefined

/**
 * Where single mails that are being accepted find the worker of their process. Where there is none, as where a process only answers
 * requests, or where it has enough to do, they wait in the queue.
 */
export const singlesDesk = () => {
  let taken: LeaseSingle | undefined
  return {
    lease: (dispatch: Dispatch): SingleLease | undefined => taken?.(dispatch),
    /** From now on that worker is asked. */
    takenBy: (worker: LeaseSingle): void => {
      taken = worker
    },
  }
}
export type SinglesDesk = ReturnType<typeof singlesDesk>
