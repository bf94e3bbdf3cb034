import { isAutoReply, saysItAnswers } from './auto-reply.js'
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
  if (to === 'unsubscribe')
    return { kind: saysItAnswers(message) || writtenBounce(message) ? 'auto-reply' : 'unsubscribe' }
  // Many bounces say that a program wrote them, as answers do; answers seldom name a reason.
  const isReport = message.has('x-failed-recipients') || !isAutoReply(message)
  const written = writtenBounce(message)
  if (written && (isReport || isMailers(message))) return written
  return { kind: isAutoReply(message) ? 'auto-reply' : 'other' }
}

/** Whether a mail server wrote it, and no program of a reader. */
const isMailers = ({ from }: Message) => /^(?:mailer-?daemon|postmaster|mail-?daemon|bounce)/.test(from)

/** Reads a raw message once, by its first 256 kB and 4,000 lines: answers what it is, by what the address that it came to is for. */
export const readingOf = async (raw: Uint8Array): Promise<(to: ReturnedTo) => Returned> => {
  const message = await readMessage(raw)
  return (to) => (message ? ofMessage(message, to) : { kind: 'other' })
}

/** What a raw message is. Never throws: what cannot be read is `other`. */
export const readReturned = async (raw: Uint8Array, to: ReturnedTo): Promise<Returned> => (await readingOf(raw))(to)
