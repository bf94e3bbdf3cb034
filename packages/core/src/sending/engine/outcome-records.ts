import type { MailEvent } from '../../events/event.js'
import { type Counted, counted, type Metric } from '../../figures/figure.js'
import type { Clock } from '../../kernel/ports.js'
import type { Recipient } from '../audience/recipients.js'
import type { Attribution } from '../ledger/attribution.js'
import type { Delivery } from '../ledger/delivery.js'
import type { MailMeter } from '../ledger/mail-meter.js'
import type { Result } from './outcomes.js'
import type { Settled } from './settling.js'

type Deps = { readonly clock: Clock; readonly worker: string; readonly meter?: MailMeter | undefined }

/** One for all mails of a dispatch, so that a store that has many to sum up sees that they are the same. */
const countedOf = new WeakMap<readonly string[], Map<Metric, readonly Counted[]>>()

const countedOnce = (subjects: readonly string[], metric: Metric): readonly Counted[] => {
  const known = countedOf.get(subjects) ?? new Map<Metric, readonly Counted[]>()
  countedOf.set(subjects, known)
  const found = known.get(metric) ?? counted(subjects, metric)
  known.set(metric, found)
  return found
}

/** Of a mail that is nobody's to count, and of one that may still be sent, nothing counts. */
const isCounted = (facts: Pick<Attribution, 'subjects'>, to: Result['to']): to is 'sent' | 'failed' =>
  facts.subjects.length > 0 && (to === 'sent' || to === 'failed')

/** The event that an outcome is; none of a mail that is put off or left out, and none of a test's. */
const eventOf = (
  { dispatch: { kind, emailId }, subject: stored, subjects }: Attribution,
  { _id, projectId, attempts, email: address, subject: earlier }: Delivery,
  { to, error, subject = earlier ?? stored }: Result,
  now: string,
): MailEvent | undefined => {
  const mail = { deliveryId: _id, emailId, kind, subject, to: address, sentAt: now }
  if (subjects.length === 0) return undefined
  if (to === 'sent') return { _id: `${_id}:sent`, projectId, at: now, type: 'sent', mail }
  if (to === 'failed')
    return {
      _id: `${_id}:failed:${attempts}`,
      projectId,
      at: now,
      type: 'failed',
      mail,
      ...(error && { errors: [error] }),
    }
  return undefined
}

/** What goes on record of an outcome: the settlement, the figures that grow with it, and the event that it is. */
export const outcomeRecords = ({ clock, worker, meter }: Deps) => {
  let last = { at: Number.NaN, text: '' }

  /** Outcomes come many at a time. */
  const nowAsText = (): string => {
    const now = clock()
    const at = now.getTime()
    if (at !== last.at) last = { at, text: now.toISOString() }
    return last.text
  }

  /**
   * @param facts absent, it is nobody's to count or hear of
   * @param ahead what it has until the record is durable
   */
  return (
    delivery: Delivery,
    result: Result,
    facts?: Attribution,
    recipient?: Recipient,
    ahead?: Settled['ahead'],
  ): Settled => {
    const now = nowAsText()
    const { to, attempted, notBefore, reason, error, providerMessageId, subject, refund } = result
    meter?.outcome(facts?.dispatch.kind, to, error)
    const isOfSomebody = facts !== undefined && isCounted(facts, to)
    return {
      settlement: {
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
        counted: isOfSomebody ? countedOnce(facts.subjects, to) : undefined,
        receivedBy: isOfSomebody && to === 'sent' ? recipient?.contact?._id : undefined,
      },
      event: facts && eventOf(facts, delivery, result, now),
      ahead,
    }
  }
}
export type RecordOutcome = ReturnType<typeof outcomeRecords>
