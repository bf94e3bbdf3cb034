import { enhancedStatusIn, isPermanentRefusal } from '@posthorn/core/ports/transport'
import { type HeaderFieldBlock, headerFieldBlocks, isMailerDaemonAddress, type ParsedMessage } from './message.js'

/** An SMTP reply code after `said:`, `smtp;`, a bracket or at the start of a line. */
const basic = /(?:said:|smtp;|<<<|^|[([:>])[ \t]{0,4}([245])\d\d(?=[ :\-#\])])/im

/** `5` of `550`. */
export const smtpReplyClassIn = (text: string): string | undefined => basic.exec(text)?.[1]

/** Other failures than a missing address say nothing about the next mail. */
export const bounceTypeOf = (text: string, reported?: string): 'permanent' | 'transient' => {
  if (enhancedStatusIn(text) === undefined && smtpReplyClassIn(text) === '4') return 'transient'
  return isPermanentRefusal({ status: reported, text }) ? 'permanent' : 'transient'
}

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

/** Characters. */
const longestExplanation = 8_000

/** The returned mail's subject gives no reason: its sender wrote it. */
const quotedSubject = /^[^:\n]{0,40}\b(?:subject|betreff|objet|asunto|oggetto)\b[^:\n]{0,40}:.*$/gim

export const explanationIn = (text: string): string => {
  const start = text.slice(0, 64 * 1024).replace(quotedSubject, '')
  const lower = start.toLowerCase()
  const ends = originals.map((one) => lower.indexOf(one)).filter((at) => at > 0)
  return start.slice(0, Math.min(longestExplanation, ...ends))
}

export type ReportedDeliveryOutcome = 'permanent' | 'transient' | 'delayed' | 'delivered'

/** `status`: RFC 3463. `text`: the server's own, for the log. */
export type DeliveryStatusReport = {
  readonly kind: 'delivery-status'
  readonly outcome: ReportedDeliveryOutcome
  readonly status?: string | undefined
  readonly text: string
}

const longestTold = 300

export const newDeliveryStatusReport = (
  outcome: ReportedDeliveryOutcome,
  status: string | undefined,
  text: string,
): DeliveryStatusReport => ({
  kind: 'delivery-status',
  outcome,
  ...(status !== undefined && { status }),
  text: text.trim().slice(0, longestTold),
})

const statusField = /^[245]\.\d{1,3}\.\d{1,3}/

const succeeded: readonly string[] = ['delivered', 'relayed', 'expanded']

/** Some servers give a reason only in the text for people. */
const ofRecipient = (fields: HeaderFieldBlock, written: string): DeliveryStatusReport => {
  const action = (fields.get('action') ?? '').toLowerCase().split(/[\s;(]/, 1)[0] ?? ''
  const reported = statusField.exec(fields.get('status') ?? '')?.[0]
  const diagnostic = fields.get('diagnostic-code') ?? ''
  const status = enhancedStatusIn(diagnostic) ?? reported
  if (succeeded.includes(action)) return newDeliveryStatusReport('delivered', status, diagnostic)
  if (action === 'delayed') return newDeliveryStatusReport('delayed', status, diagnostic)
  const reason = diagnostic === '' && (reported === undefined || reported.endsWith('.0.0')) ? written : diagnostic
  return newDeliveryStatusReport(bounceTypeOf(reason, reported), enhancedStatusIn(reason) ?? reported, reason)
}

/** An alias accepts no mail only if all its recipients' reports say so. */
const mildest: readonly ReportedDeliveryOutcome[] = ['delivered', 'delayed', 'transient', 'permanent']

/** RFC 6522 requires this structure; a mail server's own message may lack it. */
const isReport = ({ header, from, envelopeFrom }: ParsedMessage) =>
  header('content-type').toLowerCase().startsWith('multipart/report') ||
  envelopeFrom === '' ||
  isMailerDaemonAddress(from)

/** RFC 3464 and 6533. */
export const standardStatusReport = (message: ParsedMessage): DeliveryStatusReport | undefined => {
  const { parts, text } = message
  if (!isReport(message)) return undefined
  const part = parts.find(({ type }) => type === 'message/delivery-status' || type === 'message/global-delivery-status')
  if (!part) return undefined
  const recipients = headerFieldBlocks(part.text).filter((one) => one.has('action') || one.has('status'))
  const outcomes = recipients.map((one) => ofRecipient(one, explanationIn(text)))
  return outcomes.toSorted((a, b) => mildest.indexOf(a.outcome) - mildest.indexOf(b.outcome))[0]
}
