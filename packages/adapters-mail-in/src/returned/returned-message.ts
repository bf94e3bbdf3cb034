import { isAutoReply, isUnsubscribeRequest, saysItAnswers } from './auto-reply.js'
import { type DeliveryStatus, standardStatus } from './delivery-status.js'
import { type Feedback, feedbackReport, referencesIn } from './feedback-report.js'
import { type Message, readMessage } from './message.js'
import { writtenBounce } from './written-bounce.js'

/** What a message that came back is. `other`: something that nothing follows from. */
export type Returned =
  | DeliveryStatus
  | (Feedback & { readonly references: readonly string[] })
  | { readonly kind: 'unsubscribe' | 'auto-reply' | 'other' }

/** What the address that it came to is for. */
export type ReturnedTo = 'bounce' | 'unsubscribe' | 'role'

const ofMessage = (message: Message, to: ReturnedTo): Returned => {
  const feedback = feedbackReport(message)
  if (feedback) return { ...feedback, references: referencesIn(message) }
  const status = standardStatus(message)
  if (status) return status
  const written = writtenBounce(message)
  if (to === 'unsubscribe') {
    const isRequest = isUnsubscribeRequest(message) || !(saysItAnswers(message) || written)
    return { kind: isRequest ? 'unsubscribe' : 'auto-reply' }
  }
  return written ?? { kind: isAutoReply(message) ? 'auto-reply' : 'other' }
}

/**
 * Reads a raw message once, by its first 256 kB and 2,500 lines: answers what it is, by what the address that it came to is for.
 * @param envelopeFrom the sender in the SMTP session; without it the `Return-Path` field counts
 */
export const readingOf = async (raw: Uint8Array, envelopeFrom?: string): Promise<(to: ReturnedTo) => Returned> => {
  const message = await readMessage(raw, envelopeFrom)
  return (to) => (message ? ofMessage(message, to) : { kind: 'other' })
}

/** What a raw message is. Never throws: what cannot be read is `other`. */
export const readReturned = async (raw: Uint8Array, to: ReturnedTo, envelopeFrom?: string): Promise<Returned> =>
  (await readingOf(raw, envelopeFrom))(to)
