import type { EmailContent } from '../../emails/email-content.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'

/** A dispatch to one address, with its only delivery. */
export type DirectSend = { readonly dispatch: Dispatch; readonly delivery: Delivery }

/** A worker slot for a mail that is being accepted; its delivery is created leased. The caller must call `send` or `cancel`. */
export type Reservation = Required<Pick<Delivery, 'worker' | 'leaseUntil'>> & {
  /** The delivery is durable: the worker sends it. */
  readonly send: (mail: DirectSend) => void
  /** The mail was refused, or another process leased it. */
  readonly cancel: () => void
}

/** What acceptance needs from the sending worker of the same process. */
export type LocalWorker = {
  /** Undefined if the mail must wait in the queue. */
  readonly reserve: (dispatch: Dispatch) => Reservation | undefined
  /** Mails will be sent soon: starts the sending thread. */
  readonly warmUp: () => void
  /** A campaign with this content will be sent soon: prepares its plain text while the request is still being checked. */
  readonly warmUpContent: (content: EmailContent, projectId: string) => void
}

/**
 * Gives acceptance access to the worker of its process. Until `set` is called, as in a process that only serves requests, mails are queued.
 */
export const localWorkerSlot = () => {
  let worker: LocalWorker | undefined
  return {
    reserve: (dispatch: Dispatch): Reservation | undefined => worker?.reserve(dispatch),
    warmUp: (): void => worker?.warmUp(),
    warmUpContent: (content: EmailContent, projectId: string): void => worker?.warmUpContent(content, projectId),
    set: (started: LocalWorker): void => {
      worker = started
    },
  }
}
export type LocalWorkerSlot = ReturnType<typeof localWorkerSlot>
