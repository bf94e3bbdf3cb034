import { enhancedStatusIn, refusalSubjectOfText } from '@posthorn/core/ports/transport'
import { isAutoReply } from './auto-reply.js'
import {
  bounceTypeOf,
  type DeliveryStatusReport,
  explanationIn,
  newDeliveryStatusReport,
  smtpReplyClassIn,
} from './delivery-status.js'
import { isMailerDaemonAddress, type ParsedMessage } from './message.js'

/** A person who forwards a report writes text before these, or sends from a personal address. */
const openings: readonly string[] = [
  'this is the qmail',
  'hi. this is the',
  'this message was created automatically by',
  'a message that you sent could not be delivered',
  'a message that you sent has not yet been delivered',
  'this is the mail system at host',
  'this is the postfix program',
  // Postfix, under any program name.
  "i'm sorry to have to inform you that",
  '---- failed recipients',
  'non-delivery report',
  'your mail cannot be delivered',
  'able to deliver the following message',
  'sent <<< rcpt to',
  'sent >>> rcpt to',
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
  'not yet been delivered',
  'bounced',
  // Dovecot.
  'automatically rejected mail',
  'unzustellbar',
  'nicht zugestellt',
  'zustellung fehl',
  'no entregado',
  'onbestelbaar',
  'mancata consegna',
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

const openingLength = 400

const says = (text: string, words: readonly string[]) => words.some((one) => text.includes(one))

/** Prefixes of replies and forwarded mails; the rest of the subject is quoted. */
const answerOrForward = /^\s{0,5}(?:re|aw|antw|sv|r|odp|fwd?|wg|tr|rv|i)\s?:/i

/** Some servers use their program's name instead of RFC 5321's empty sender. */
const isProgram = (envelopeFrom: string | undefined) =>
  envelopeFrom !== undefined && /^(?:$|mailer-?daemon|mdaemon)/.test(envelopeFrom)

/**
 * Empty envelope sender or a server's address, and also `X-Failed-Recipients`, a known opening or a report's subject: people quote and
 * forward bounces, and automatic replies have an empty sender too, but a `From` field.
 */
const isBounce = (message: ParsedMessage): boolean => {
  const { from, subject, text, envelopeFrom, has } = message
  const isServers = from === '' || isMailerDaemonAddress(from)
  const isMarked = has('x-failed-recipients') || says(text.slice(0, openingLength).toLowerCase(), openings)
  const hasSubject = !answerOrForward.test(subject) && says(subject.toLowerCase(), subjects)
  if (envelopeFrom !== undefined && envelopeFrom !== '' && !isMailerDaemonAddress(envelopeFrom))
    return isServers && isMarked
  if (isServers) return isMarked || hasSubject || (isProgram(envelopeFrom) && (from === '' || !isAutoReply(message)))
  // People's forwards and automatic replies contain known openings too.
  if (!hasSubject) return has('x-failed-recipients')
  return envelopeFrom === undefined ? isMarked && !isAutoReply(message) : isMarked || !isAutoReply(message)
}

const hasReason = (text: string) =>
  enhancedStatusIn(text) !== undefined || smtpReplyClassIn(text) !== undefined || refusalSubjectOfText(text) !== 'other'

const failures: readonly string[] = [
  'fail',
  'undeliver',
  'not be delivered',
  'able to deliver',
  'rejected',
  'returned',
  'unzustellbar',
]

/** In characters. Pieces overlap: the reason may follow meaningless words. */
const pieceLength = 1_500

/** Sendmail's record of the remote server's replies. */
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

const reasonInSubject = (subject: string): string | undefined => /^returned mail: (.{1,200})/i.exec(subject)?.[1]

/** Written only for people, as by qmail, Exim, older Exchange, Yahoo and T-Online. */
export const textBounce = (message: ParsedMessage): DeliveryStatusReport | undefined => {
  if (!isBounce(message)) return undefined
  const explanation = explanationIn(message.text)
  const lower = explanation.toLowerCase()
  const isFailure = says(lower, failures) || says(message.subject.toLowerCase(), subjects)
  const isDelay = says(lower, delays) || /\bdelay/i.test(message.subject)
  const reason = hasReason(explanation) ? reasonIn(explanation) : (reasonInSubject(message.subject) ?? explanation)
  if (isDelay && !says(lower, ['permanent', 'giving up', 'given up', 'i’m giving']))
    return newDeliveryStatusReport('delayed', enhancedStatusIn(reason), reason)
  if (!hasReason(explanation) && !isFailure) return undefined
  return newDeliveryStatusReport(bounceTypeOf(reason), enhancedStatusIn(reason), reason)
}
