import { fieldBlocks } from './fields.js'
import type { Message, Part } from './message.js'

/** A reader's word on a mail; `complaint`: that it was not wanted. */
export type Feedback = { readonly kind: 'feedback'; readonly complaint: boolean }

/** RFC 5965 section 7.3, and opt-out of the draft before it. "not-spam" takes a complaint back; others speak of no reader. */
const complaints: readonly string[] = ['abuse', 'fraud', 'opt-out', 'opt-out-list']

/** Outlook.com's Junk Mail Reporting sends the mail back as it is, with the recipient in a field of its own. */
const junkReporters: readonly string[] = ['staff@hotmail.com', 'staff@outlook.com']

const isMail = ({ type }: Part) => type === 'message/rfc822'

/** The report of RFC 5965 in a message, or what Outlook.com sends instead; undefined where there is none. */
export const feedbackReport = ({ parts, from, has }: Message): Feedback | undefined => {
  const part = parts.find(({ type }) => type === 'message/feedback-report')
  if (part) {
    const type = (fieldBlocks(part.text)[0]?.get('feedback-type') ?? '').toLowerCase()
    return { kind: 'feedback', complaint: complaints.includes(type) }
  }
  const isJunkReport = junkReporters.includes(from) && (parts.some(isMail) || has('x-hmxmroriginalrecipient'))
  return isJunkReport ? { kind: 'feedback', complaint: true } : undefined
}

const reference = /[bu]-[a-z2-7]{39,58}(?=@)/gi

/** So many addresses of one report are looked at. */
const mostReferences = 10

/** What reports have left of the mail they are about: the local parts in it that may be a return address's. */
export const referencesIn = ({ parts }: Message): readonly string[] => {
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
