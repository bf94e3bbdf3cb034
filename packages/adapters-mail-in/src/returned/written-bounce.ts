import { statusIn, subjectOfWords } from '@posthorn/core/ports'
import { isAutoReply } from './auto-reply.js'
import { type DeliveryStatus, deliveryStatus } from './delivery-status.js'
import { isMailServer, type Message } from './message.js'
import { classIn, failureOf } from './statuses.js'

/** How mail servers begin their reports: a person who forwards one writes above it, or sends under a name of their own. */
const openings: readonly string[] = [
  'this is the qmail',
  'hi. this is the',
  'this message was created automatically by',
  'a message that you sent could not be delivered',
  'a message that you sent has not yet been delivered',
  'this is the mail system at host',
  'this is the postfix program',
  'the original message was received at',
  '----- the following addresses had',
  '----- transcript of session follows',
  'this is an automatically generated delivery status notification',
  'this is a delivery status notification',
  'your message did not reach some or all of the intended recipients',
  'delivery has failed to these recipients',
  'delivery to the following recipient',
  'message from ',
  'this message was undeliverable due to',
  'this report relates to a message you sent',
  'the message that you sent was undeliverable',
  'the following message to <',
  'the following message could not be delivered',
  'the following recipient',
  'your mail message to the following address',
  'your message could not be delivered',
  'your message cannot be delivered',
  'your message was not delivered',
  'your message to ',
  'the mail you sent could not be delivered',
  'i was unable to deliver',
  'unable to deliver message to',
  'sorry, we were unable to deliver your message',
  'failed to deliver to',
  'undeliverable',
  'undelivered',
  'non-deliverable',
  'delivery failure',
  'delivery failed',
  'mail delivery failed',
  'a message could not be delivered',
  '|---',
  '** address not found **',
  '** message not delivered **',
  '** message blocked **',
  'diese nachricht wurde automatisch',
  'ihre nachricht',
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
  '--- attachment is a copy',
  'the first 50 lines of your original',
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

/** A report begins within these first characters of the text. */
const openingLength = 400

const says = (text: string, words: readonly string[]) => words.some((one) => text.includes(one))

/**
 * Whether a message is written as a report of a mail server, so that its text may be read: from an empty envelope sender or a server's
 * own address, and marked by `X-Failed-Recipients`, a known opening, or its subject. People write about bounces, forward them and quote
 * them, and programs of readers answer with an empty envelope sender too.
 */
const isBounce = (message: Message): boolean => {
  const { from, subject, text, envelopeFrom, has } = message
  const isServers = from === '' || isMailServer(from)
  const isMarked = has('x-failed-recipients') || says(text.slice(0, openingLength).toLowerCase(), openings)
  const hasSubject = says(subject.toLowerCase(), subjects)
  if (envelopeFrom !== undefined && envelopeFrom !== '' && !isMailServer(envelopeFrom)) return isServers && isMarked
  if (isServers) return isMarked || hasSubject || (envelopeFrom === '' && !isAutoReply(message))
  if (envelopeFrom === undefined) return isMarked && hasSubject && !isAutoReply(message)
  return isMarked || (hasSubject && !isAutoReply(message))
}

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

/** Sendmail's transcript: what the remote server said. */
const transcript = /^<<< ?([45]\d\d.{0,500})$/gm

const reasonIn = (explanation: string): string => {
  const said = Array.from(explanation.matchAll(transcript), ([, reply = '']) => reply).join('\n')
  if (said !== '') return said
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
