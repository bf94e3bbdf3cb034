import type { Lane } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'

/** Why a recipient gets no mail. */
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
 * Every store enforces this table. `uncertain`: outcome unknown until a `report`, or `notBefore`; then queued again. `putOff`: refused temporarily;
 * `halt`: the account sends nothing more; `reject`: accepted, then not sent; `retry`: by a user.
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

export type Queue = { readonly lane: Lane; readonly projectId: string }

/** What recipients or their servers did with the mail. */
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

/** `_id`: `<dispatchId>:<contact id>` or `<dispatchId>:<address key>`, so no recipient occurs twice. */
export type Delivery = DeliveryMarks & {
  readonly _id: string
  readonly dispatchId: string
  readonly projectId: string
  readonly emailId?: string | undefined
  readonly lane: Lane
  readonly email: string
  readonly contactId?: string | undefined
  readonly status: DeliveryStatus
  /** Transmissions, and claims by workers that died. */
  readonly attempts: number
  /** If queued or uncertain. */
  readonly notBefore: string
  /** The lease, while sending. */
  readonly worker?: string | undefined
  readonly leaseUntil?: string | undefined
  readonly reason?: ExclusionReason | undefined
  readonly error?: DeliveryError
  readonly returned?: DeliveryError
  readonly providerMessageId?: string
  /** Absent if it equals the content's. */
  readonly subject?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly sentAt?: string
  /** Latest, oldest first: repeating one changes nothing. */
  readonly markNames?: readonly string[]
  /** Indexes in the email. */
  readonly clickedLinks?: readonly number[]
}

export type DeliveryError = MailError

/** Per delivery. */
export const mostMarkNames = 32

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

/** The same object if the name is known. */
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

/** Returns the new ones. */
export const withNames = (
  delivery: Delivery,
  names: readonly string[],
): { readonly after: Delivery; readonly fresh: ReadonlySet<string> } => {
  const { markNames = [] } = delivery
  const fresh = new Set(names.filter((name) => !markNames.includes(name)))
  return { after: { ...delivery, markNames: [...markNames, ...fresh].slice(-mostMarkNames) }, fresh }
}

/** No recipient has the mail before this instant. */
export const earliestArrival = ({ status, attempts, returned, sentAt, updatedAt }: Delivery): string | undefined =>
  sentAt ?? (status === 'sending' && attempts === 0 && !returned ? updatedAt : undefined)

export const deliveryId = (dispatchId: string, recipient: string) => `${dispatchId}:${recipient}`

export const dispatchOf = (id: string) => id.slice(0, id.indexOf(':'))
