import type { MessagePart, ParsedMessage } from './message.js'
import { headerFieldBlocks } from './message.js'

export type FeedbackReport = { readonly kind: 'feedback'; readonly complaint: boolean }

/** RFC 5965 section 7.3, and `opt-out` of its draft. "not-spam" withdraws a complaint; other types do not come from readers. */
const complaints: readonly string[] = ['abuse', 'fraud', 'opt-out', 'opt-out-list']

/** Outlook.com's Junk Mail Reporting returns the mail unchanged, with the recipient in a separate field. */
const junkReporters: readonly string[] = ['staff@hotmail.com', 'staff@outlook.com']

const isMail = ({ type }: MessagePart) => type === 'message/rfc822'

/** RFC 5965, or Outlook.com's equivalent. */
export const feedbackReport = ({ parts, from, has }: ParsedMessage): FeedbackReport | undefined => {
  const part = parts.find(({ type }) => type === 'message/feedback-report')
  if (part) {
    const type = (headerFieldBlocks(part.text)[0]?.get('feedback-type') ?? '').toLowerCase()
    return { kind: 'feedback', complaint: complaints.includes(type) }
  }
  const isJunkReport = junkReporters.includes(from) && (parts.some(isMail) || has('x-hmxmroriginalrecipient'))
  return isJunkReport ? { kind: 'feedback', complaint: true } : undefined
}

const reference = /[bu]-[a-z2-7]{39,58}(?=@)/gi

const mostReferences = 10

/** Local parts in a report's remains of the mail that may belong to return addresses. */
export const returnTokensIn = ({ parts }: ParsedMessage): readonly string[] => {
  const found = new Set<string>()
  for (const { type, text } of parts) {
    if (!/^(?:message\/|text\/rfc822)/.test(type)) continue
    for (const [one] of text.matchAll(reference)) {
      found.add(one.toLowerCase())
      if (found.size >= mostReferences) return [...found]
    }
  }
  return [...found]
}
