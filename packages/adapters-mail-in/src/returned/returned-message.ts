import { declaresAutoReply, isAutoReply } from './auto-reply.js'
import { type DeliveryStatusReport, standardStatusReport } from './delivery-status.js'
import { type FeedbackReport, feedbackReport, returnTokensIn } from './feedback-report.js'
import { type ParsedMessage, readMessage } from './message.js'
import { textBounce } from './text-bounce.js'

/** Subject in the mails' `List-Unsubscribe` field. */
const requestedSubject = 'unsubscribe'

/** Apple Mail marks its unsubscribe requests as automatic replies. */
const isUnsubscribeRequest = ({ header, subject }: ParsedMessage): boolean =>
  header('x-apple-unsubscribe').toLowerCase() === 'true' || subject.trim().toLowerCase() === requestedSubject

export type ClassifiedReturnedMail =
  | DeliveryStatusReport
  | (FeedbackReport & { readonly references: readonly string[] })
  | { readonly kind: 'unsubscribe' | 'auto-reply' | 'other' }

export type ReturnAddressPurpose = 'bounce' | 'unsubscribe' | 'role'

const ofMessage = (message: ParsedMessage, to: ReturnAddressPurpose): ClassifiedReturnedMail => {
  const feedback = feedbackReport(message)
  if (feedback) return { ...feedback, references: returnTokensIn(message) }
  const status = standardStatusReport(message)
  if (status) return status
  const written = textBounce(message)
  if (to === 'unsubscribe') {
    const isRequest = isUnsubscribeRequest(message) || !(declaresAutoReply(message) || written)
    return { kind: isRequest ? 'unsubscribe' : 'auto-reply' }
  }
  return written ?? { kind: isAutoReply(message) ? 'auto-reply' : 'other' }
}

/**
 * Parses once, up to 256 kB and 2,500 lines. The returned function takes the receiving address's purpose.
 * @param envelopeFrom default: the `Return-Path` field
 */
export const returnedMailClassifier = async (
  raw: Uint8Array,
  envelopeFrom?: string,
): Promise<(to: ReturnAddressPurpose) => ClassifiedReturnedMail> => {
  const message = await readMessage(raw, envelopeFrom)
  return (to) => (message ? ofMessage(message, to) : { kind: 'other' })
}

/** Never throws: an unreadable message is `other`. */
export const readReturned = async (
  raw: Uint8Array,
  to: ReturnAddressPurpose,
  envelopeFrom?: string,
): Promise<ClassifiedReturnedMail> => (await returnedMailClassifier(raw, envelopeFrom))(to)
