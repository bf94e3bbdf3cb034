import { isAutoReply, isUnsubscribeRequest, saysItAnswers } from './auto-reply.js'
import { type DeliveryStatus, standardStatus } from './delivery-status.js'
import { type Feedback, feedbackReport, referencesIn } from './feedback-report.js'
import { type Message, readMessage } from './message.js'
import { writtenBounce } from './written-bounce.js'

/** Classification of an incoming message. `other` has no effect. */
export type Returned =
  | DeliveryStatus
  | (Feedback & { readonly references: readonly string[] })
  | { readonly kind: 'unsubscribe' | 'auto-reply' | 'other' }

/** Purpose of the address that received the message. */
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
 * Parses a raw message once, up to 256 kB and 2,500 lines, and returns a function that classifies it by the purpose of the receiving
 * address.
 * @param envelopeFrom sender in the SMTP session; by default the `Return-Path` field
 */
export const readingOf = async (raw: Uint8Array, envelopeFrom?: string): Promise<(to: ReturnedTo) => Returned> => {
  const message = await readMessage(raw, envelopeFrom)
  return (to) => (message ? ofMessage(message, to) : { kind: 'other' })
}

/** Classifies a raw message. Never throws: an unreadable one is `other`. */
export const readReturned = async (raw: Uint8Array, to: ReturnedTo, envelopeFrom?: string): Promise<Returned> =>
  (await readingOf(raw, envelopeFrom))(to)
