import { type RefusalSubject, subjectOfWords } from './refusal-phrases.js'

export type { RefusalSubject } from './refusal-phrases.js'
export { subjectOfWords } from './refusal-phrases.js'

/**
 * What the statuses of RFC 3463 and of IANA's registry speak of, without their class: `1.1` of `5.1.1`. A subject stands for its details
 * that are not named. `gone` is listed in docs/bounces.md as permanent; `other` leaves the decision to the text.
 */
const statusSubjects: Readonly<Record<string, RefusalSubject>> = {
  0: 'other',
  // 1.0 is what gateways write before any refusal, and 1.4 an ambiguous address.
  1: 'other',
  '1.1': 'gone',
  '1.2': 'gone',
  '1.3': 'gone',
  '1.5': 'fine',
  '1.6': 'gone',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'fine',
  '1.10': 'gone',
  // 2.0 is given for mailboxes of any state.
  2: 'other',
  '2.1': 'gone',
  '2.2': 'full',
  '2.3': 'message',
  // Expanding a mailing list failed: the list is there.
  '2.4': 'system',
  3: 'system',
  '3.4': 'message',
  '3.6': 'fine',
  4: 'system',
  // The domain has no server, or does not exist.
  '4.4': 'gone',
  // Exchange Online: the DNS domain does not exist.
  '4.310': 'gone',
  5: 'other',
  '5.3': 'rate',
  6: 'message',
  7: 'policy',
}

/**
 * Statuses that servers give for any reason, and 7.17, which says that the address has another owner (RFC 7293): text that says that the
 * address is gone outweighs them.
 */
const generic: readonly string[] = ['3.0', '4.0', '4.1', '7.0', '7.1', '7.17']

/** The enhanced status of a failure (RFC 3463) that is no part of an IP address, a version or a longer number. */
const enhanced = /(?<![\d.])[45]\.[0-7]\.\d{1,3}(?!\d|\.\d)/g

const longestText = 2_000

/**
 * The enhanced status of a failure that counts in a text: the last one, as the remote server's stands within that of the server that
 * reports it.
 */
export const statusIn = (text: string): string | undefined => text.slice(0, longestText).match(enhanced)?.at(-1)

/** What an enhanced status (`5.1.1`) speaks of; `other` for what is none. */
export const subjectOfStatus = (status: string): RefusalSubject => {
  const [, subject = '', detail = ''] = status.split('.')
  return statusSubjects[`${subject}.${detail}`] ?? statusSubjects[subject] ?? 'other'
}

/** A server's refusal. */
export type ServerRefusal = {
  readonly text: string
  /** The enhanced status that was reported beside the text. */
  readonly status?: string | undefined
  /** A mail provider has judged it permanent, by more than it reports: that counts where status and text say nothing. */
  readonly judgedPermanent?: boolean
}

export type Classified = {
  readonly subject: RefusalSubject
  /** Whether the address takes no mail, now or ever: the only refusal that suppresses an address. */
  readonly isPermanent: boolean
}

/** Exchange Online for addresses that its directory does not have; the same words with another status are a policy. */
const isDirectoryRefusal = (status: string | undefined, text: string) =>
  status === '5.4.1' && /recipient address rejected:\s{1,10}access denied/i.test(text)

const subjectOf = (status: string | undefined, text: string): RefusalSubject => {
  if (isDirectoryRefusal(status, text)) return 'gone'
  const ofText = subjectOfWords(text)
  if (status === undefined || (ofText !== 'other' && ofText !== 'gone')) return ofText
  const ofStatus = subjectOfStatus(status)
  return ofStatus === 'other' || (ofText === 'gone' && generic.includes(status.slice(2))) ? ofText : ofStatus
}

/**
 * What a refusal speaks of, wherever it comes from: an SMTP reply, a delivery status, a bounce in words, or a provider's event. Text about
 * the sender, rates, policy, content, room or the server wins over any status. Of two statuses the inner one counts. Permanent is a status
 * that docs/bounces.md lists (5.1.1, …), or text that says that the address is gone beside a status that says nothing else.
 */
export const classifyRefusal = ({ status: reported, text, judgedPermanent = false }: ServerRefusal): Classified => {
  const status = statusIn(text) ?? reported
  const subject = subjectOf(status, text)
  const isForGood = status === undefined || status.startsWith('5')
  return { subject, isPermanent: isForGood && (subject === 'gone' || (judgedPermanent && subject === 'other')) }
}

/** Whether a refusal is permanent: the address takes no mail, now or ever. */
export const isPermanentRefusal = (refusal: ServerRefusal): boolean => classifyRefusal(refusal).isPermanent
