import { shortened } from '../../kernel/refusal.js'
import { backOff, jitterFromText, maxAttempts } from '../../kernel/retry.js'
import type { MailOutcome } from '../channels/mailer.js'
import type { Settlement } from '../ledger/deliveries.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'

/** In ms. */
export const sendReportGraceTime = 5 * 60_000

/** A relay that takes a mail and breaks the connection before it answers would get it again and again. */
const mostUnconfirmedAttempts = 3

/** In ms; a throttled mail waits once to twice this long and loses no attempt. */
const throttleDelay = 200

export type DeliverySettlement = Omit<Settlement, '_id' | 'worker' | 'now'>

/** Never transmitted: its attempt does not count. */
export const withoutCountingAttempt = (result: Omit<DeliverySettlement, 'attempted'>): DeliverySettlement => ({
  ...result,
  attempted: false,
})

/** Cut to the length that responses show. */
export const deliveryErrorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: shortened(error instanceof Error ? error.message : String(error)),
})

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString()

/** In characters: a provider may answer with a page, and the ledger stores it for each mail. */
const longestReason = 2_000

/** Many relays repeat the address in their reply. Without it, one reason is one text, and reports of it name nobody. */
export const outcomeWithoutRecipient = (outcome: MailOutcome, email: string): MailOutcome => {
  if (outcome.kind === 'accepted') return outcome
  const { name, message } = outcome.error
  const told = message.replaceAll(email, 'recipient').replaceAll(email.toLowerCase(), 'recipient')
  return { ...outcome, error: { name, message: told.slice(0, longestReason) } }
}

export const ledgerChangeOfOutcome = (
  { _id, attempts: before, error: last }: Pick<Delivery, '_id' | 'attempts' | 'error'>,
  outcome: MailOutcome,
  subject: string | undefined,
  now: Date,
  reportsSends: boolean,
): DeliverySettlement => {
  const attempts = before + 1
  switch (outcome.kind) {
    case 'accepted':
      return { to: 'sent', attempted: true, providerMessageId: outcome.providerMessageId, subject }
    case 'refused':
      return { to: 'failed', attempted: true, error: outcome.error, subject }
    case 'unknown': {
      const { error } = outcome
      const isLast = attempts >= mostUnconfirmedAttempts && last?.name === error.name
      if (isLast) return { to: 'failed', attempted: true, error, subject }
      const again = attempts === 1 ? 0 : backOff(attempts, jitterFromText(_id))
      const wait = reportsSends ? sendReportGraceTime : again
      return { to: 'uncertain', attempted: true, error, notBefore: later(now, wait), subject }
    }
    case 'stopped':
    case 'deferred': {
      const { error } = outcome
      if (outcome.kind === 'deferred' && outcome.throttled) {
        const notBefore = later(now, throttleDelay * (1 + jitterFromText(_id)))
        return { to: 'queued', attempted: false, error, notBefore, subject }
      }
      if (attempts >= maxAttempts) return { to: 'failed', attempted: true, error, subject }
      const notBefore = later(now, backOff(attempts, jitterFromText(_id)))
      return { to: 'queued', attempted: true, error, notBefore, subject }
    }
  }
}
