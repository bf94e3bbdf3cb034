import { isAutoReply, isUnsubscribeRequest, saysItAnswers } from './auto-reply.js'
import { type DeliveryStatus, standardStatus } from './delivery-status.js'
import { type Feedback, feedbackReport, referencesIn } from './feedback-report.js'
import { type Message, readMessage } from './message.js'
import { writtenBounce } from './written-bounce.js'

/** `other` has no effect. */
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
 * Parses once, up to 256 kB and 2,500 lines; the returned function classifies by the receiving address's purpose.
 * @param envelopeFrom default: the `Return-Path` field
 */
export const readingOf = async (raw: Uint8Array, envelopeFrom?: string): Promise<(to: ReturnedTo) => Returned> => {
  const message = await readMessage(raw, envelopeFrom)
  return (to) => (message ? ofMessage(message, to) : { kind: 'other' })
}

/** Never throws: an unreadable message is `other`. */
export const readReturned = async (raw: Uint8Array, to: ReturnedTo, envelopeFrom?: string): Promise<Returned> =>
  (await readingOf(raw, envelopeFrom))(to)
