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

export const isFinal = (status: DeliveryStatus): boolean =>
  status === 'sent' || status === 'failed' || status === 'excluded'

/**
 * Every store enforces this table. `uncertain`: outcome unknown until a `report`, or `notBefore`; then queued again. `putOff`: refused temporarily;
 * `leaseExpired`: its worker died; `halt`: the account sends nothing more; `reject`: accepted, then not sent; `retry`: by a user.
 */
export const deliveryMoves = {
  claim: { from: ['queued'], to: 'sending' },
  deliver: { from: ['sending'], to: 'sent' },
  refuse: { from: ['sending'], to: 'failed' },
  putOff: { from: ['sending'], to: 'queued' },
  exclude: { from: ['sending'], to: 'excluded' },
  outcomeUnknown: { from: ['sending'], to: 'uncertain' },
  leaseExpired: { from: ['sending'], to: 'uncertain' },
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

export type QueueKey = { readonly lane: Lane; readonly projectId: string }

/** The order in which a queue's deliveries are sent. Times and ids are ASCII. */
export const compareByTurn = (a: Delivery, b: Delivery): number => {
  if (a.notBefore !== b.notBefore) return a.notBefore < b.notBefore ? -1 : 1
  return a._id < b._id ? -1 : Number(a._id > b._id)
}

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
export type DeliveryMarkCounts = { readonly [M in DeliveryMark]?: number }

/** What happened to a mail that was sent. */
export type MailHappening = {
  readonly what: DeliveryMark
  readonly at: string
  /** Absent: a person. */
  readonly by?: 'machine'
  /** Index in the email. */
  readonly link?: number
}

/** `_id`: `<dispatchId>:<contact id>` or `<dispatchId>:<address key>`, so no recipient occurs twice. */
export type Delivery = DeliveryMarkCounts & {
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
  /** Of the dispatch. */
  readonly tags?: readonly string[] | undefined
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
  /** The latest, as they were recorded. */
  readonly happened?: readonly MailHappening[]
}

export type DeliveryError = MailError

/** Which failed deliveries are retried; without a property, all. */
export type RetryChoice = {
  readonly deliveryId?: string | undefined
  /** Those that failed with one of these errors. */
  readonly reasons?: readonly DeliveryError[] | undefined
}

export const isChosenForRetry = (
  { _id, error }: Pick<Delivery, '_id' | 'error'>,
  { deliveryId = _id, reasons }: RetryChoice,
): boolean =>
  _id === deliveryId &&
  (reasons === undefined || reasons.some(({ name, message }) => name === error?.name && message === error.message))

/** Per delivery. */
export const mostDeliveryMarkNames = 32

export const isUnclickedLink = ({ clickedLinks = [] }: Delivery, link: number | undefined): boolean =>
  link !== undefined && !clickedLinks.includes(link)

/** Per delivery. */
export const mostHappeningsKept = 32

/** Drops the oldest of machines first, so that scanners do not displace what people did. */
const withHappenings = (delivery: Delivery, more: readonly MailHappening[]): Pick<Delivery, 'happened'> => {
  const all = [...(delivery.happened ?? []), ...more]
  if (all.length === 0) return {}
  const excess = Math.max(0, all.length - mostHappeningsKept)
  const dropped = new Set(all.filter(({ by }) => by === 'machine').slice(0, excess))
  return { happened: all.filter((one) => !dropped.has(one)).slice(-mostHappeningsKept) }
}

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
  const named = name === undefined ? {} : { markNames: [...markNames, name].slice(-mostDeliveryMarkNames) }
  const linked = link !== undefined && isUnclickedLink(delivery, link) ? { clickedLinks: [...clickedLinks, link] } : {}
  const why = returned && { returned, updatedAt: reportedAt }
  const happened = withHappenings(delivery, [{ what: mark, at: now, ...(link !== undefined && { link }) }])
  return { ...delivery, [mark]: (delivery[mark] ?? 0) + 1, ...named, ...linked, ...why, ...happened }
}

type Named = { readonly name: string; readonly happening?: MailHappening | undefined }

/** Returns the names that are new. */
export const withDeliveryCountsOnce = (
  delivery: Delivery,
  counts: readonly Named[],
): { readonly after: Delivery; readonly fresh: ReadonlySet<string> } => {
  const { markNames = [] } = delivery
  const added = new Map(counts.flatMap((one) => (markNames.includes(one.name) ? [] : [[one.name, one] as const])))
  const fresh = new Set(added.keys())
  const happenings = [...added.values()].flatMap(({ happening }) => happening ?? [])
  const named = [...markNames, ...fresh].slice(-mostDeliveryMarkNames)
  return { after: { ...delivery, markNames: named, ...withHappenings(delivery, happenings) }, fresh }
}

/** No recipient has the mail before this instant. */
export const earliestMailArrival = ({ status, attempts, returned, sentAt, updatedAt }: Delivery): string | undefined =>
  sentAt ?? (status === 'sending' && attempts === 0 && !returned ? updatedAt : undefined)

export const deliveryId = (dispatchId: string, recipient: string) => `${dispatchId}:${recipient}`

export const dispatchIdOf = (id: string) => id.slice(0, id.indexOf(':'))
