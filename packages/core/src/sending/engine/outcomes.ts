import { backOff, maxAttempts, spreadOf } from '../../kernel/backoff.js'
import { shortened } from '../../kernel/refusal.js'
import type { MailOutcome } from '../channels/mailer.js'
import type { Settlement } from '../ledger/deliveries.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'

/** How long an unknown outcome waits for the provider's own report, where it makes one. */
export const reportGrace = 5 * 60_000

/**
 * How long a throttled mail waits, up to twice that: it is the channel's pace that slows. It does not count as an attempt: "too fast" says
 * nothing about the mail.
 */
const throttleWait = 200

/** A settlement without what every settlement of a worker has. */
export type Result = Omit<Settlement, '_id' | 'worker' | 'now'>

/** Of a mail that was not tried, so that no attempt of its counts. */
export const notAttempted = (result: Omit<Result, 'attempted'>): Result => ({ ...result, attempted: false })

/** An error as the ledger keeps it: as long as an answer shows it. */
export const errorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: shortened(error instanceof Error ? error.message : String(error)),
})

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString()

/** What the mailer's answer means for the delivery. */
export const resultOf = (
  { _id, attempts: before }: Pick<Delivery, '_id' | 'attempts'>,
  outcome: MailOutcome,
  subject: string | undefined,
  now: Date,
  reportsSends: boolean,
): Result => {
  const attempts = before + 1
  switch (outcome.kind) {
    case 'accepted':
      return { to: 'sent', attempted: true, providerMessageId: outcome.providerMessageId, subject }
    case 'refused':
      return { to: 'failed', attempted: true, error: outcome.error, subject }
    case 'unknown':
      return {
        to: 'uncertain',
        attempted: true,
        error: outcome.error,
        notBefore: later(now, reportsSends ? reportGrace : 0),
        subject,
      }
    case 'stopped':
    case 'deferred': {
      const { error } = outcome
      const after = (milliseconds: number) => later(now, milliseconds)
      if (outcome.kind === 'deferred' && outcome.throttled)
        return { to: 'queued', attempted: false, error, notBefore: after(throttleWait * (1 + spreadOf(_id))), subject }
      if (attempts >= maxAttempts) return { to: 'failed', attempted: true, error, subject }
      return { to: 'queued', attempted: true, error, notBefore: after(backOff(attempts, spreadOf(_id))), subject }
    }
  }
}
