import { subjectOfWords } from '@posthorn/core/ports'
import { type DeliveryStatus, deliveryStatus } from './delivery-status.js'
import type { Message } from './message.js'
import { classIn, failureOf, statusIn } from './statuses.js'

/** Who writes of mails that did not arrive. */
const senders: readonly string[] = [
  'mailer-daemon',
  'mailerdaemon',
  'postmaster',
  'mail-daemon',
  'maildaemon',
  'bounce',
]

const subjects: readonly string[] = [
  'undeliver',
  'non délivr',
  'failure notice',
  'delivery status',
  'delivery failure',
  'delivery failed',
  'delivery problem',
  'delivery delay',
  'delivery notification',
  'delivery report',
  'delivery has failed',
  'delivery error',
  'delivery warning',
  'delivery expired',
  'returned mail',
  'returned to sender',
  'returning message',
  'mail system error',
  'message delayed',
  'delayed mail',
  'mail failure',
  'message status',
  'nondeliverable',
  'non-deliverable',
  'non-delivery',
  'could not be delivered',
  'not delivered',
  'bounced',
  'unzustellbar',
  'nicht zugestellt',
  'zustellung fehl',
  'no entregado',
  'onbestelbaar',
  'mancata consegna',
]

/** Where the mail that came back begins, in texts that have it at their end. */
const originals: readonly string[] = [
  '--- below this line',
  '--- below the next line',
  '------ this is a copy of',
  '--- the header of the original',
  '----- original message',
  '-----original message',
  '---- original message',
  '--- original message',
  '----- message header',
  '--- original mail',
  '--- ursprüngliche',
  '----- unsent message',
  '--- unsent message',
  '--- returned message',
  '--- header of',
  '|---------------------- message text follows',
  '|--------- message text follows',
  'received: from',
  '\nreturn-path:',
]

const delays: readonly string[] = [
  'has not yet been delivered',
  'not been delivered yet',
  'could not be delivered yet',
  'delivery is delayed',
  'delivery attempts will continue',
  'will continue to be',
  'will be retried',
  'will keep trying',
  'still being retried',
  'do not need to resend',
  'no action is required',
  'this is a warning message only',
  'temporarily delayed',
  'delayed',
  'verzögert',
]

/** Nobody explains more. */
const longestExplanation = 8_000

/** What is written about the mail, without the mail itself. */
const explanationIn = (text: string): string => {
  const start = text.slice(0, 64 * 1024)
  const lower = start.toLowerCase()
  const ends = originals.map((one) => lower.indexOf(one)).filter((at) => at > 0)
  return start.slice(0, Math.min(longestExplanation, ...ends))
}

const isBounce = ({ from, subject, header, has }: Message): boolean => {
  const lower = subject.toLowerCase()
  return (
    has('x-failed-recipients') ||
    header('return-path').trim() === '<>' ||
    senders.some((one) => from.startsWith(one)) ||
    subjects.some((one) => lower.includes(one))
  )
}

const says = (text: string, words: readonly string[]) => words.some((one) => text.includes(one))

/** Whether a text names what a server said, or a reason that is known. */
const hasReason = (text: string) =>
  statusIn(text) !== undefined || classIn(text) !== undefined || subjectOfWords(text) !== 'other'

const failures: readonly string[] = [
  'fail',
  'undeliver',
  'not be delivered',
  'unable to deliver',
  'rejected',
  'returned',
  'unzustellbar',
]

/** The line that gives the reason stands behind words that mean nothing: pieces that overlap are looked at, the first that says one. */
const pieceLength = 1_500

const reasonIn = (explanation: string): string => {
  for (let from = 0; from < explanation.length; from += pieceLength / 2) {
    const piece = explanation.slice(from, from + pieceLength)
    if (hasReason(piece)) return piece
  }
  return explanation
}

/**
 * What a bounce says that is written for people alone, as qmail, Exim, older Exchange, Yahoo and T-Online write theirs; undefined for
 * what is no bounce.
 */
export const writtenBounce = (message: Message): DeliveryStatus | undefined => {
  if (!isBounce(message)) return undefined
  const explanation = explanationIn(message.text)
  const lower = explanation.toLowerCase()
  const isFailure = says(lower, failures) || says(message.subject.toLowerCase(), subjects)
  const isDelay = says(lower, delays) || /\b(?:delay|warning)/i.test(message.subject)
  const reason = reasonIn(explanation)
  if (isDelay && !says(lower, ['permanent', 'giving up', 'given up', 'i’m giving']))
    return deliveryStatus('delayed', statusIn(reason), reason)
  if (!hasReason(explanation) && !isFailure) return undefined
  return deliveryStatus(failureOf(reason), statusIn(reason), reason)
}
