import type { MailOutcome } from '@posthorn/core/ports/transport'
import { isPermanentRefusal } from '@posthorn/core/rendering'
import { enhancedCode, replyText, type SmtpReply } from './reply.js'

const temporary = new Set([421, 450, 451, 452, 454])

/** The connection (RFC 4954, RFC 3207), or a server out of step. */
const aboutSession = new Set([503, 530, 534, 535, 538])

const tooFast =
  /throttl|\btoo (?:many|much|fast|quickly)\b|\brates?\b|\blimit(?:s|ed)?\b|\bexceeded\b|\bslow down\b|\bcongest|\bbusy\b|unusual|unexpected volume/i

/** RFC 3463: system not accepting messages, congestion; Gmail's "unusual rate". */
const tooFastCodes = new Set(['4.3.2', '4.4.5', '4.7.28'])

/** Address or mailbox (RFC 3463, 3.2 and 3.3), greylisting. */
const ofOneRecipient = /^4\.[12]\./
const aboutOneRecipient = /\bgr[ae]y[- ]?list|\bmail ?box\b|\binbox\b|\bstorage\b|\bdisk\b/i

/**
 * 421, 450, 451, 452 or 454 with 4.3.2, 4.4.5, 4.7.28, or words like "throttling". Replies about one recipient (4.1.x, 4.2.x, a full
 * mailbox, greylisting) delay only that mail.
 */
export const isSmtpThrottle = (reply: SmtpReply): boolean => {
  if (!temporary.has(reply.code)) return false
  const enhanced = enhancedCode(reply)
  const text = reply.lines.join(' ')
  if ((enhanced !== undefined && ofOneRecipient.test(enhanced)) || aboutOneRecipient.test(text)) return false
  return (enhanced !== undefined && tooFastCodes.has(enhanced)) || tooFast.test(text)
}

export const deferredOutcome = (name: string, message: string, throttled = false): MailOutcome => ({
  kind: 'deferred',
  error: { name, message },
  throttled,
})

export const refusedOutcome = (name: string, message: string, bounce = false): MailOutcome => ({
  kind: 'refused',
  error: { name, message },
  ...(bounce && { bounce }),
})

const aboutSender = 'MAIL FROM'

const refusalOf = (reply: SmtpReply) => ({ status: enhancedCode(reply), text: reply.lines.join(' ') })

/** A 5xx about the connection defers the mail; one about the recipient is a bounce. */
export const outcomeOfReply = (reply: SmtpReply, command: string): MailOutcome => {
  const message = `${replyText(reply)} (in reply to ${command})`
  if (reply.code >= 500 && !aboutSession.has(reply.code))
    return refusedOutcome('SmtpRefused', message, command !== aboutSender && isPermanentRefusal(refusalOf(reply)))
  const throttled = isSmtpThrottle(reply)
  return deferredOutcome(throttled ? 'SmtpThrottled' : 'SmtpDeferred', message, throttled)
}

/** Of Postfix, Exim, Exchange, Sendmail, Gmail, Haraka, Amazon SES. */
const queueIds = [
  /\bqueued as <?([^\s>;,]+)/i,
  /\bid=([^\s>;,\]]+)/i,
  /\[InternalId=(\d+)/i,
  /(?:^|\s)(\S+) Message accepted for delivery/i,
  /\bOK\s+\d{9,}\s+(\S+) - gsmtp/i,
  /\bqueued \(([^)\s]+)\)/i,
  /^(?:2\.\d+\.\d+ )?Ok ([0-9a-f][0-9a-f-]{15,})$/i,
]

/** The reply's text if it names no queue id. */
export const queueIdOfReply = (reply: SmtpReply): string => {
  const text = reply.lines.join(' ')
  for (const pattern of queueIds) {
    const id = pattern.exec(text)?.[1]
    if (id !== undefined) return id
  }
  return replyText(reply).slice(0, 200)
}
