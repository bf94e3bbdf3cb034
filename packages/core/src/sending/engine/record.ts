import type { Runtime } from '../../kernel/ports.js'
import { type FigureKey, type FigureMetric, figureKeys } from '../../reporting/figures/figure.js'
import { mailboxProviderOf, withMailboxProviderSubject } from '../../reporting/figures/mailbox-provider.js'
import { type MailEvent, outcomeEvent, type PublishEvents } from '../../tracking/events.js'
import type { SendingChannel } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'
import type { StatisticsAttribution } from '../ledger/attribution.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import type { Delivery } from '../ledger/delivery.js'
import type { DispatchKind } from '../ledger/dispatch.js'
import type { InFlightDeliveries, InFlightDelivery } from './in-flight.js'
import type { DeliverySettlement } from './outcome.js'

/** Must return at once and never throw. */
export type MailMetrics = {
  readonly outcome: (kind: DispatchKind | undefined, to: Settlement['to'], error: MailError | undefined) => void
  readonly throttled: (channel: SendingChannel) => void
}

/** No event for a mail that is put off or excluded, or for a test. */
export type SettledDelivery = {
  readonly entry: InFlightDelivery
  readonly settlement: Settlement
  readonly event: MailEvent | undefined
  /** The dispatch is known to end with this delivery: it has one address and no files. */
  readonly isLast: boolean
}

type Deps = Pick<Runtime, 'clock' | 'sleep'> & {
  readonly inFlight: Pick<InFlightDeliveries, 'settle'>
  readonly deliveries: Pick<Deliveries, 'settle'>
  readonly publish: PublishEvents
  readonly onStored: (stored: readonly SettledDelivery[]) => Promise<void>
  /** Once aborted, partial batches are written at once. */
  readonly stopping: () => AbortSignal | undefined
  readonly worker: string
  readonly meter?: MailMetrics | undefined
}

/** Half of a channel's unconfirmed mails: the others are transmitted while these are written. */
const batchSize = 100
const flushDelay = 25

/** One array per dispatch and provider, so that a store can sum it up. */
const countedBySubjects = new WeakMap<readonly string[], Map<string, readonly FigureKey[]>>()

const sharedCounts = (
  subjects: readonly string[],
  { projectId, email }: Pick<Delivery, 'projectId' | 'email'>,
  metric: FigureMetric,
): readonly FigureKey[] => {
  const known = countedBySubjects.get(subjects) ?? new Map<string, readonly FigureKey[]>()
  countedBySubjects.set(subjects, known)
  const key = `${metric} ${mailboxProviderOf(email)}`
  const found = known.get(key) ?? figureKeys(withMailboxProviderSubject(subjects, projectId, email), metric)
  known.set(key, found)
  return found
}

/**
 * Stores outcomes in batches. Events are published first: after a crash, the mail is tried again and publishes the same event. Rejected outcomes are
 * kept for the next flush.
 */
export const outcomeWriter = (deps: Deps) => {
  const { inFlight, deliveries, publish, onStored, clock, sleep, stopping, worker, meter } = deps
  let waiting: SettledDelivery[] = []
  let writing: Promise<void> = Promise.resolve()
  let delayed: Promise<void> | undefined
  let lastNow = { at: Number.NaN, text: '' }

  /** Outcomes arrive many per millisecond. */
  const nowAsText = (): string => {
    const now = clock()
    const at = now.getTime()
    if (at !== lastNow.at) lastNow = { at, text: now.toISOString() }
    return lastNow.text
  }

  const write = async () => {
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    try {
      await publish(batch.flatMap(({ event }) => event ?? []))
      await deliveries.settle(batch.map(({ settlement }) => settlement))
    } catch (error) {
      waiting = [...batch, ...waiting]
      throw error
    }
    await onStored(batch)
  }

  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  const flushDelayed = async (): Promise<void> => {
    await sleep(flushDelay, stopping())
    delayed = undefined
    await flush()
  }

  return {
    /** Without attribution it is neither counted nor published. */
    settle: (entry: InFlightDelivery, result: DeliverySettlement, attribution?: StatisticsAttribution): void => {
      const now = nowAsText()
      const { delivery, recipient } = entry
      const { to, attempted, notBefore, reason, error, providerMessageId, subject, refund } = result
      meter?.outcome(attribution?.dispatch.kind, to, error)
      const subjects = attribution?.figureSubjects ?? []
      const isCounted = subjects.length > 0 && (to === 'sent' || to === 'failed')
      const settlement: Settlement = {
        _id: delivery._id,
        worker,
        to,
        now,
        attempted,
        notBefore,
        reason,
        error,
        providerMessageId,
        subject,
        refund,
        counted: isCounted ? sharedCounts(subjects, delivery, to) : undefined,
        receivedBy: isCounted && to === 'sent' ? recipient?.contact?._id : undefined,
      }
      inFlight.settle(entry)
      const event =
        attribution && isCounted
          ? outcomeEvent(delivery, attribution, { type: to, at: now, error, subject })
          : undefined
      const isLast = attribution?.dispatch.stage === 'single' && !attribution.dispatch.attachments
      waiting.push({ entry, settlement, event, isLast })
      // The next flush reports the failure.
      if (waiting.length % batchSize === 0) flush().catch(() => undefined)
    },

    /** Resolves when everything settled so far is durable. @throws store errors; the outcomes are kept */
    flush,

    /** As `flush`, after a delay in which others join. */
    flushSoon: (): Promise<void> => {
      delayed ??= flushDelayed()
      return delayed
    },
  }
}
export type OutcomeWriter = ReturnType<typeof outcomeWriter>
