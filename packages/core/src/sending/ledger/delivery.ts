import type { Lane } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'

/** Why a recipient of the audience gets no mail. */
export const exclusionReasons = [
  'suppressed',
  'unengaged',
  'unsubscribed',
  'paused',
  'unverified',
  'not-subscribed',
  'invalid-address',
  'no-credit',
  'stopped',
] as const
export type ExclusionReason = (typeof exclusionReasons)[number]

export const deliveryStatuses = ['queued', 'sending', 'uncertain', 'sent', 'failed', 'excluded'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/**
 * The delivery's state machine, which every store enforces. `uncertain`: its worker died or lost its connection, so the outcome is unknown;
 * if the provider reports its sends, the delivery waits for that `report` until `notBefore`, then it is queued again. `putOff`: the
 * provider refused temporarily; `halt`: its account sends nothing more; `reject`: the provider accepted the mail and then did not send it;
 * `retry`: a user asked for it.
 */
export const deliveryMoves = {
  claim: { from: ['queued'], to: 'sending' },
  deliver: { from: ['sending'], to: 'sent' },
  refuse: { from: ['sending'], to: 'failed' },
  putOff: { from: ['sending'], to: 'queued' },
  exclude: { from: ['sending'], to: 'excluded' },
  doubt: { from: ['sending'], to: 'uncertain' },
  lose: { from: ['sending'], to: 'uncertain' },
  report: { from: ['uncertain'], to: 'sent' },
  requeue: { from: ['uncertain'], to: 'queued' },
  stop: { from: ['queued'], to: 'excluded' },
  halt: { from: ['queued'], to: 'failed' },
  reject: { from: ['sent'], to: 'failed' },
  retry: { from: ['failed'], to: 'queued' },
} as const satisfies Record<string, { from: readonly DeliveryStatus[]; to: DeliveryStatus }>
export type DeliveryMove = keyof typeof deliveryMoves

export const canMoveDelivery = (status: DeliveryStatus, move: DeliveryMove): boolean =>
  (deliveryMoves[move].from as readonly DeliveryStatus[]).includes(status)

/** Deliveries that wait and are claimed together. */
export type Queue = { readonly lane: Lane; readonly projectId: string }

/** What recipients or their servers did with the mail or through its links. */
export const deliveryMarks = [
  'opens',
  'clicks',
  'bounced',
  'complained',
  'subscribed',
  'resubscribed',
  'unsubscribed',
  'paused',
] as const
export type DeliveryMark = (typeof deliveryMarks)[number]

/** Counts; absent means never. */
export type DeliveryMarks = { readonly [M in DeliveryMark]?: number }

/**
 * One dispatch to one recipient: a row of the ledger. `_id` is `<dispatchId>:<contact id>` for lists and `<dispatchId>:<address key>` for
 * addresses, so no recipient occurs twice.
 */
export type Delivery = DeliveryMarks & {
  readonly _id: string
  readonly dispatchId: string
  readonly projectId: string
  /** The email whose statistics it counts in; absent for a test. */
  readonly emailId?: string | undefined
  readonly lane: Lane
  readonly email: string
  readonly contactId?: string | undefined
  readonly status: DeliveryStatus
  /** How often it was transmitted, or claimed by a worker that died. */
  readonly attempts: number
  /** For queued or uncertain deliveries: not processed before this time. */
  readonly notBefore: string
  /** While sending: the worker that holds the lease, and the lease's end. */
  readonly worker?: string | undefined
  readonly leaseUntil?: string | undefined
  /** If excluded. */
  readonly reason?: ExclusionReason | undefined
  /** If failed: the reason; otherwise the error of the last attempt. */
  readonly error?: DeliveryError
  /** Why the mail came back after it had been accepted. */
  readonly returned?: DeliveryError
  readonly providerMessageId?: string
  /** The rendered subject of the last attempt; absent if it equals the content's. */
  readonly subject?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly sentAt?: string
  /** Names of the latest named marks, oldest first. Repeating one of them changes nothing. */
  readonly markNames?: readonly string[]
  /** Indexes of the clicked links in the email. */
  readonly clickedLinks?: readonly number[]
}

export type DeliveryError = MailError

/** A delivery remembers this number of mark names. */
export const mostMarkNames = 32

/** Whether the link has no click on this delivery yet. */
export const isNewLink = ({ clickedLinks = [] }: Delivery, link: number | undefined): boolean =>
  link !== undefined && !clickedLinks.includes(link)

type Marked = {
  readonly mark: DeliveryMark
  readonly name?: string | undefined
  readonly now: string
  readonly reportedAt?: string | undefined
  readonly link?: number | undefined
  readonly returned?: DeliveryError | undefined
}

/** Returns the delivery with one more mark and, for a click, its link. Returns the same object if the mark's name is already known. */
export const withMark = (
  delivery: Delivery,
  { mark, name, now, reportedAt = now, link, returned }: Marked,
): Delivery => {
  const { markNames = [], clickedLinks = [] } = delivery
  if (name !== undefined && markNames.includes(name)) return delivery
  const named = name === undefined ? {} : { markNames: [...markNames, name].slice(-mostMarkNames) }
  const linked = link !== undefined && isNewLink(delivery, link) ? { clickedLinks: [...clickedLinks, link] } : {}
  const why = returned && { returned, updatedAt: reportedAt }
  return { ...delivery, [mark]: (delivery[mark] ?? 0) + 1, ...named, ...linked, ...why }
}

/** Adds the names to the delivery and returns those that were new. */
export const withNames = (
  delivery: Delivery,
  names: readonly string[],
): { readonly after: Delivery; readonly fresh: ReadonlySet<string> } => {
  const { markNames = [] } = delivery
  const fresh = new Set(names.filter((name) => !markNames.includes(name)))
  return { after: { ...delivery, markNames: [...markNames, ...fresh].slice(-mostMarkNames) }, fresh }
}

/**
 * When the mail was sent, or when its first attempt began if that is still running: no recipient has the mail earlier. Undefined if
 * neither is known.
 */
export const neverSooner = ({ status, attempts, returned, sentAt, updatedAt }: Delivery): string | undefined =>
  sentAt ?? (status === 'sending' && attempts === 0 && !returned ? updatedAt : undefined)

export const deliveryId = (dispatchId: string, recipient: string) => `${dispatchId}:${recipient}`

/** The dispatch id within a delivery's `_id`. */
export const dispatchOf = (id: string) => id.slice(0, id.indexOf(':'))
