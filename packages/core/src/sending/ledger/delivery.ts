import type { Lane } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'

/** Why somebody of the audience gets nothing. */
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
 * The delivery's moves, as a table; every store's ledger is held to it. `uncertain`: its worker died, or lost its connection, with
 * the outcome unknown; where the provider reports its sends it waits for that `report` until `notBefore`, then it is asked for
 * again. `putOff` is a relay's "not now"; `halt`: its account sends nothing more; `reject`: the provider took it and then did not
 * send it; `retry` is a person's wish.
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

/** What waits together and is claimed together. */
export type Queue = { readonly lane: Lane; readonly projectId: string }

/** What recipients, and their servers, did with the mail or by its links. */
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

/** How often; absent: never. */
export type DeliveryMarks = { readonly [M in DeliveryMark]?: number }

/**
 * One dispatch to one recipient: the ledger's row. `_id` is `<dispatchId>:<contact id>` of a list and
 * `<dispatchId>:<address key>` of addresses, so nobody is in it twice.
 */
export type Delivery = DeliveryMarks & {
  readonly _id: string
  readonly dispatchId: string
  readonly projectId: string
  /** The email whose statistics it belongs to; a test email has none. */
  readonly emailId?: string | undefined
  readonly lane: Lane
  readonly email: string
  readonly contactId?: string | undefined
  readonly status: DeliveryStatus
  /** How often it was handed to the mailer, or claimed by a worker that died. */
  readonly attempts: number
  /** Queued or uncertain: not to be touched before. */
  readonly notBefore: string
  /** While sending: who has it, and until when. */
  readonly worker?: string | undefined
  readonly leaseUntil?: string | undefined
  /** When excluded. */
  readonly reason?: ExclusionReason | undefined
  /** When failed, or of the last attempt. */
  readonly error?: DeliveryError
  /** Why it came back, where it was taken at first. */
  readonly returned?: DeliveryError
  readonly providerMessageId?: string
  /** Of the last mail that was made, as rendered; absent where it is the content's as it stands. */
  readonly subject?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly sentAt?: string
  /** The names of the last marks that had one, the newest last: told again, they change nothing. */
  readonly markNames?: readonly string[]
  /** The links that were followed, by their places among the email's. */
  readonly clickedLinks?: readonly number[]
}

export type DeliveryError = MailError

/** Of so many marks a delivery knows the names. */
export const mostMarkNames = 32

/** Whether the link is one that the delivery does not have among those that were followed. */
export const isNewLink = ({ clickedLinks = [] }: Delivery, link: number | undefined): boolean =>
  link !== undefined && !clickedLinks.includes(link)

type Marked = {
  readonly mark: DeliveryMark
  readonly name?: string | undefined
  readonly now: string
  readonly toldAt?: string | undefined
  readonly link?: number | undefined
  readonly returned?: DeliveryError | undefined
}

/**
 * The delivery with one mark more, and the link that it was for; moved then where it came back. The same object where it knows the
 * mark's name.
 */
export const withMark = (delivery: Delivery, { mark, name, now, toldAt = now, link, returned }: Marked): Delivery => {
  const { markNames = [], clickedLinks = [] } = delivery
  if (name !== undefined && markNames.includes(name)) return delivery
  const named = name === undefined ? {} : { markNames: [...markNames, name].slice(-mostMarkNames) }
  const linked = link !== undefined && isNewLink(delivery, link) ? { clickedLinks: [...clickedLinks, link] } : {}
  const why = returned && { returned, updatedAt: toldAt }
  return { ...delivery, [mark]: (delivery[mark] ?? 0) + 1, ...named, ...linked, ...why }
}

/** The delivery that knows these names, too, and which of them it did not. */
export const withNames = (
  delivery: Delivery,
  names: readonly string[],
): { readonly after: Delivery; readonly fresh: ReadonlySet<string> } => {
  const { markNames = [] } = delivery
  const fresh = new Set(names.filter((name) => !markNames.includes(name)))
  return { after: { ...delivery, markNames: [...markNames, ...fresh].slice(-mostMarkNames) }, fresh }
}

/** When the mail left, or began to be sent for the first time and is still: nobody has it sooner. Undefined where neither is known. */
export const neverSooner = ({ status, attempts, returned, sentAt, updatedAt }: Delivery): string | undefined =>
  sentAt ?? (status === 'sending' && attempts === 0 && !returned ? updatedAt : undefined)

export const deliveryId = (dispatchId: string, recipient: string) => `${dispatchId}:${recipient}`

/** The dispatch that a delivery's `_id` names. */
export const dispatchOf = (id: string) => id.slice(0, id.indexOf(':'))
