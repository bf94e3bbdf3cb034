import { creditCounterKey } from '../../accounts/account.js'
import { grouped } from '../../kernel/collections.js'
import type { Runtime } from '../../kernel/ports.js'
import { maxAttempts } from '../../kernel/retry.js'
import type { Recipient } from '../audience/recipients.js'
import { channelKey } from '../channels/channel.js'
import type { ChannelRateLimiter } from '../channels/rate-limiter.js'
import type { Delivery } from '../ledger/delivery.js'
import { isDirectAudience, longestLateness, recipientMarkByAddress } from '../ledger/dispatch.js'
import { type CapacityShare, channelCapacities } from './channel-capacity.js'
import type { CompiledWithMailer, InFlightDeliveries, InFlightDelivery } from './in-flight.js'
import {
  type DeliverySettlement,
  deliveryErrorOf,
  ledgerChangeOfOutcome,
  outcomeWithoutRecipient,
  withoutCountingAttempt,
} from './outcome.js'
import type { OutcomeWriter } from './record.js'
import { type RefusedMail, refusalWaves } from './refusal-wave.js'
import type { MailBatch, MailResult, RenderAndSend } from './render-and-send.js'
import type { SendGate } from './send-gate.js'

type Deps = Pick<Runtime, 'clock' | 'log'> & {
  readonly inFlight: Pick<InFlightDeliveries, 'leaseEndOf' | 'transmitting' | 'notStarted' | 'abandon'>
  readonly renderAndSend: RenderAndSend
  readonly gate: Pick<SendGate, 'later' | 'stoppedBy'>
  readonly settle: OutcomeWriter['settle']
  readonly rateLimiter: Pick<ChannelRateLimiter, 'answered'>
  /** May run twice for one mail. For a single mail, before its outcome is stored. */
  readonly bounced: (refused: RefusedMail) => Promise<void>
  readonly stopping: () => AbortSignal | undefined
}

type Sendable = InFlightDelivery & { readonly compiled: CompiledWithMailer; readonly recipient: Recipient | undefined }

type StartedResult = Exclude<MailResult, { readonly kind: 'not-started' }>

/** Weight per project, lane and turn. */
const chunkWeight = 200
/** A larger contact counts as several mails: a channel holds 32 million characters at once. */
const charactersPerMail = 16_000

/** A project's transactional mail has turns of its own. */
const turnKey = ({ projectId, lane }: Delivery) => `${projectId}:${lane}`

const length = (value: unknown) => (typeof value === 'string' ? value.length : 0)

const weightOf = (recipient: Recipient | undefined): number => {
  if (!recipient?.contact) return 1
  const { tags, customFields } = recipient.contact
  let characters = 0
  for (const tag of tags) characters += tag.length
  for (const name in customFields) characters += length(customFields[name])
  return 1 + Math.floor(characters / charactersPerMail)
}

const weightOfAll = (entries: readonly InFlightDelivery[]): number =>
  entries.reduce((sum, { weight }) => sum + weight, 0)

/** Mails with one source are rendered in one batch. */
const sourceOf = ({ isShared, email, dispatch }: CompiledWithMailer) => (isShared ? email : dispatch)

const chunksOf = (entries: readonly Sendable[]): readonly (readonly [Sendable, ...Sendable[]])[] => {
  const chunks: [Sendable, ...Sendable[]][] = []
  let weight = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    weight += entry.weight
    if (weight <= chunkWeight) chunks.at(-1)?.push(entry)
    else {
      chunks.push([entry])
      weight = entry.weight
    }
  }
  return chunks
}

const tooLate = deliveryErrorOf(
  'TooLate',
  `The mail could not be sent within ${longestLateness / 3_600_000} hours after its time.`,
)

/** Undefined if the mail has to be transmitted. */
const changeWithoutSending = (
  { delivery, compiled, recipient }: Sendable,
  now: number,
): DeliverySettlement | undefined => {
  if (delivery.attempts >= maxAttempts)
    return withoutCountingAttempt({
      to: 'failed',
      error: delivery.error ?? deliveryErrorOf('WorkerDied', 'Every worker that tried this mail died.'),
    })
  const { accountId, sendAt } = compiled.dispatch
  const refund = creditCounterKey(accountId)
  if (sendAt !== undefined && delivery.attempts === 0 && now - Date.parse(sendAt) > longestLateness)
    return withoutCountingAttempt({ to: 'failed', error: tooLate, refund })
  const reason = recipient ? recipient.excluded : 'unsubscribed'
  return reason && withoutCountingAttempt({ to: 'excluded', reason, refund })
}

/** Gives compiled deliveries to the renderer, by channel and project in fair order, and settles them. */
export const transmitter = (deps: Deps) => {
  const { inFlight, renderAndSend, gate, settle, rateLimiter, clock, log, bounced, stopping } = deps
  const capacities = channelCapacities()
  const waves = refusalWaves({ clock, bounced })

  /** A mail that cannot be rendered fails at once: another attempt would fail, too. */
  const changeAfter = (
    { delivery, compiled: { dispatch, mailer } }: Sendable,
    result: StartedResult,
  ): DeliverySettlement => {
    if (result.kind === 'overloaded') return gate.later()
    if (result.kind === 'render-failed')
      return withoutCountingAttempt({ to: 'failed', error: result.error, refund: creditCounterKey(dispatch.accountId) })
    const { outcome, subject } = result
    rateLimiter.answered(dispatch.channel, outcome)
    return ledgerChangeOfOutcome(delivery, outcome, subject, clock(), mailer.reportsSends)
  }

  /**
   * Stores what a crash must not lose before the outcome is stored: a bounce, or the stop of the dispatch. Undefined if
   * there is nothing to store. A mail of a campaign whose channel stopped gets the result of the stop.
   */
  const beforeSettling = (
    { delivery, compiled: { dispatch, mailer } }: Sendable,
    result: StartedResult,
  ): Promise<DeliverySettlement | undefined> | undefined => {
    if (result.kind !== 'answered') return undefined
    const { outcome, subject } = result
    if (outcome.kind === 'accepted') waves.accepted(delivery.dispatchId)
    if (outcome.kind === 'refused' && outcome.bounce) {
      const refused = { delivery, subject, error: outcome.error }
      if (isDirectAudience(dispatch.audience)) return bounced(refused).then(() => undefined)
      const wave = waves.refused(refused, mailer.concurrency)
      if (wave === undefined) return undefined
      return gate.stoppedBy(dispatch._id, { name: 'RelayRefusesAll', message: wave }).then(() => undefined)
    }
    if (outcome.kind === 'stopped' && dispatch.kind === 'campaign') return gate.stoppedBy(dispatch._id, outcome.error)
    return undefined
  }

  const giveUp = (entry: InFlightDelivery, error: unknown): void => {
    const { dispatchId, _id: deliveryId } = entry.delivery
    log('error', 'The outcome of a mail could not be processed; its lease will expire', {
      dispatchId,
      deliveryId,
      error,
    })
    entry.capacity?.freeSlots(1)
    entry.capacity?.freeWeight(entry.weight)
    inFlight.abandon(entry)
    renderAndSend.freed()
  }

  const settleAs = (entry: Sendable, result: StartedResult): void =>
    settle(entry, changeAfter(entry, result), entry.compiled)

  const onResult = (entry: Sendable, given: StartedResult): void => {
    const isRefused = given.kind === 'answered' && given.outcome.kind !== 'accepted'
    const email = entry.recipient?.email ?? entry.delivery.email
    const result = isRefused ? { ...given, outcome: outcomeWithoutRecipient(given.outcome, email) } : given
    const first = beforeSettling(entry, result)
    if (first)
      first
        .then((stopped) => (stopped ? settle(entry, stopped) : settleAs(entry, result)))
        .catch((error: unknown) => giveUp(entry, error))
    else settleAs(entry, result)
  }

  const onResults = (
    byId: ReadonlyMap<string, Sendable>,
    capacity: CapacityShare,
    results: readonly MailResult[],
  ): void => {
    const notStarted: Sendable[] = []
    for (const result of results) {
      const entry = byId.get(result.deliveryId)
      if (entry && result.kind === 'not-started') notStarted.push(entry)
      else if (entry && result.kind !== 'not-started') onResult(entry, result)
    }
    if (notStarted.length === 0) return
    for (const entry of notStarted) inFlight.notStarted(entry)
    // Their leases may have been renewed.
    enqueue(notStarted)
    capacity.freeWeight(weightOfAll(notStarted))
  }

  const batchOf = (group: readonly [Sendable, ...Sendable[]], { unconfirmed }: CapacityShare): MailBatch => {
    const [{ delivery: first, compiled }] = group
    const { dispatch, project, email, mailer } = compiled
    const markOf = recipientMarkByAddress(dispatch)
    return {
      dispatchId: dispatch._id,
      projectId: project._id,
      email,
      channel: dispatch.channel,
      mailer,
      ...(!isDirectAudience(dispatch.audience) && {
        list: {
          subscriberListId: dispatch.audience.subscriberListId,
          ownPage: project.customSubscriptionPreferencesUrl,
        },
      }),
      turnKey: turnKey(first),
      mails: group.map((entry) => {
        const { delivery, compiled: own, recipient } = entry
        return {
          deliveryId: delivery._id,
          email: recipient?.email ?? delivery.email,
          contact: recipient?.contact,
          until: Math.min(inFlight.leaseEndOf(entry), entry.freshUntil),
          contactId: delivery.contactId ?? markOf(delivery.email),
          data: own.isShared ? (own.dispatch.data ?? {}) : undefined,
        }
      }),
      unconfirmed,
      signal: stopping(),
    }
  }

  /** Transmits those still leased; settles the others. */
  const begin = (chunk: readonly Sendable[], capacity: CapacityShare): void => {
    const now = clock().getTime()
    const going = chunk.filter((entry) => {
      if (entry.state === 'abandoned') return false
      if (inFlight.leaseEndOf(entry) <= now) {
        inFlight.abandon(entry)
        return false
      }
      const isLate = stopping()?.aborted || now >= entry.freshUntil
      const change = isLate
        ? withoutCountingAttempt({ to: 'queued', notBefore: entry.delivery.notBefore })
        : changeWithoutSending(entry, now)
      if (change) settle(entry, change, entry.compiled)
      return !change
    })
    if (going.length < chunk.length) capacity.freeWeight(weightOfAll(chunk) - weightOfAll(going))
    const [first, ...others] = going
    if (!first) return
    for (const entry of going) inFlight.transmitting(entry, capacity)
    const byId = new Map(going.map((entry) => [entry.delivery._id, entry]))
    renderAndSend.send(batchOf([first, ...others], capacity), (results) => onResults(byId, capacity, results))
  }

  /** Waits for room in the channel. */
  const enqueue = (entries: readonly Sendable[]): void => {
    for (const chunk of chunksOf(entries)) {
      const [{ delivery, compiled }] = chunk
      const { dispatch, mailer } = compiled
      const channel = { channel: channelKey(dispatch.channel), concurrency: mailer.concurrency }
      capacities.hold(channel, turnKey(delivery), weightOfAll(chunk), (capacity) => begin(chunk, capacity))
    }
  }

  return {
    /** @param all also those that later mails may show to be no bounces */
    recordBounces: waves.record,

    transmit: (entries: readonly InFlightDelivery[]): void => {
      const sendable = entries.filter(
        (entry): entry is Sendable => entry.compiled !== undefined && entry.recipient !== null,
      )
      for (const entry of sendable) entry.weight = weightOf(entry.recipient)
      const byQueue = grouped(
        sendable,
        ({ delivery, compiled }) => `${turnKey(delivery)} ${channelKey(compiled.dispatch.channel)}`,
      )
      for (const those of byQueue.values())
        for (const group of grouped(those, ({ compiled }) => sourceOf(compiled)).values()) enqueue(group)
    },

    stored: (entries: readonly InFlightDelivery[]): void => {
      const byShare = grouped(
        entries.filter(({ capacity }) => capacity),
        ({ capacity }) => capacity,
      )
      for (const [capacity, those] of byShare) {
        capacity?.freeSlots(those.length)
        capacity?.freeWeight(weightOfAll(those))
      }
      if (byShare.size > 0) renderAndSend.freed()
    },
  }
}
export type Transmitter = ReturnType<typeof transmitter>
