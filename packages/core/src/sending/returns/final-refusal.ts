/**
 * What a refusal speaks of. `gone`: the address takes no mail, now or ever. `full`: a mailbox that has no room or takes nothing now.
 * `sender`: who sends. `message`: this mail. `policy`: what the server lets in. `system`: the server or the way to it. `fine`: no
 * refusal at all. `other`: it does not say.
 */
export type RefusalSubject = 'gone' | 'full' | 'sender' | 'message' | 'policy' | 'system' | 'fine' | 'other'

/**
 * Every status of RFC 3463 and of IANA's registry of those that came later, without its class: `1.1` of `5.1.1`. A subject stands for
 * its details that are not named.
 */
const statusSubjects: Readonly<Record<string, RefusalSubject>> = {
  0: 'other',
  1: 'gone',
  // The address is valid; the message went to a server that cannot report; the sender's address.
  '1.5': 'fine',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'fine',
  2: 'full',
  '2.1': 'gone',
  '2.3': 'message',
  // Expanding a mailing list failed: the list is there.
  '2.4': 'system',
  3: 'system',
  '3.4': 'message',
  '3.6': 'fine',
  4: 'system',
  // The domain has no server, or does not exist.
  '4.4': 'gone',
  5: 'other',
  '5.3': 'message',
  6: 'message',
  7: 'policy',
}

const enhanced = /^([245])\.(\d{1,3})\.(\d{1,3})$/

/** What an enhanced status (`5.1.1`) speaks of; `other` for what is none. */
export const subjectOfStatus = (status: string): RefusalSubject => {
  const [, , subject = '', detail = ''] = enhanced.exec(status) ?? []
  return statusSubjects[`${subject}.${detail}`] ?? statusSubjects[subject] ?? 'other'
}

/** What servers write that give no status, or one that says nothing: the first of these that occurs decides, in lower case. */
const words: readonly (readonly [RefusalSubject, readonly string[]])[] = [
  // Exchange Online, for addresses that its directory does not have.
  ['gone', ['recipient address rejected: access denied']],
  [
    'full',
    [
      'mailbox full',
      'mailbox is full',
      'mailfolder is full',
      'inbox is full',
      'postfach ist voll',
      'over quota',
      'overquota',
      'over the quota',
      'over its quota',
      'quota exceed',
      'exceeded quota',
      'exceeded its quota',
      'exceeds quota',
      'disk quota',
      'exceeded storage',
      'storage allocation',
      'insufficient disk',
      'not enough space',
      'try again later',
      'temporar',
    ],
  ],
  [
    'policy',
    [
      'spam',
      'blacklist',
      'blocklist',
      'block list',
      'blocked',
      'banned',
      'dnsbl',
      'reputation',
      'policy',
      'prohibited',
      'spf',
      'dkim',
      'dmarc',
      'virus',
      'greylist',
      'graylist',
      'relaying',
      'relay access',
      'relay not',
      'to relay',
      'not permitted',
      'not authorized',
      'authentication',
      'too many',
      'rate limit',
      'message content',
      'content rejected',
    ],
  ],
  ['sender', ['sender address', 'sender rejected', 'sender denied', 'sender domain', 'envelope sender']],
  ['message', ['too large', 'too big', 'message size', 'size limit', 'exceeds size']],
  [
    'gone',
    [
      'user unknown',
      'unknown user',
      'unknown recipient',
      'unknown local part',
      'unknown address',
      'unknown or illegal alias',
      'recipient unknown',
      'recipient not found',
      'recipient does not exist',
      'address unknown',
      'address not found',
      'address rejected',
      'address does not exist',
      'no such',
      'no mailbox',
      'no account',
      'no user',
      'not a valid recipient',
      'not a valid mailbox',
      'not a known user',
      'not our customer',
      'invalid recipient',
      'invalid mailbox',
      'invalid address',
      'user not found',
      'user does not exist',
      'user doesn',
      'mailbox not found',
      'mailbox unavailable',
      'mailbox does not exist',
      'mailbox disabled',
      'account does not exist',
      'account that you tried to reach does not exist',
      'mailbox unknown',
      '> unknown',
      'unrouteable',
      'nxdomain',
      'domainnonexistent',
      'non-existent host',
      'unroutable',
      'host not found',
      'host unknown',
      'domain not found',
      'domain does not exist',
      'couldn’t find any host',
      "couldn't find any host",
      'name service error',
      'have a mail server',
      'have a mailbox',
      'have an account',
      'not listed in',
      'no longer',
      'is disabled',
      'been disabled',
      'is inactive',
      'discontinued',
      'unbekannt',
      'existiert nicht',
      'nicht gefunden',
    ],
  ],
]

/** No reply of a server says more in less; the rest is not looked at. */
const longestReply = 2_000

/** What the words of a refusal speak of. */
export const subjectOfWords = (text: string): RefusalSubject => {
  const lower = text.slice(0, longestReply).toLowerCase()
  return words.find(([, phrases]) => phrases.some((phrase) => lower.includes(phrase)))?.[0] ?? 'other'
}

/** A server's refusal: its enhanced status where it gave one, and its words. */
export type ServerRefusal = { readonly status?: string | undefined; readonly text: string }

/** Statuses that some servers give for addresses they do not have; their words tell. */
const unspecific: readonly RefusalSubject[] = ['other', 'system']

/**
 * Whether a refusal is final: a permanent one (5.x.x, or a 5xx without a status) by which the address takes no mail, as 5.1.1 and 5.2.1
 * say. A policy (5.7.x), a full mailbox (5.2.2) or a mail that is too large is none.
 */
export const isFinalRefusal = ({ status, text }: ServerRefusal): boolean => {
  if (status !== undefined && !status.startsWith('5')) return false
  const subject = status === undefined ? 'other' : subjectOfStatus(status)
  return subject === 'gone' || (unspecific.includes(subject) && subjectOfWords(text) === 'gone')
}
