import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  classifyRefusal,
  enhancedStatusIn,
  isPermanentRefusal,
  refusalSubjectOfStatus,
} from '../../../src/sending/returns/bounce-classifier.js'
import {
  phraseClasses,
  type RefusalSubject,
  refusalSubjectOfText,
} from '../../../src/sending/returns/refusal-phrases.js'

const documentation = readFileSync(join(import.meta.dirname, '../../../../../docs/bounces.md'), 'utf8')

const upTo = (subject: number, last: number) => Array.from({ length: last + 1 }, (_, n) => `${subject}.${n}`)

/** All of RFC 3463, and of IANA's registry "SMTP Enhanced Status Codes". */
const registered = [
  '0.0',
  ...upTo(1, 10),
  ...upTo(2, 4),
  ...upTo(3, 6),
  ...upTo(4, 7),
  ...upTo(5, 6),
  ...upTo(6, 10),
  ...upTo(7, 30),
]

/** The statuses that the documentation calls permanent. */
const listed = /^4\. Permanent are these statuses:.*?^5\./ms.exec(documentation)?.[0] ?? ''

const gone = ['1.1', '1.2', '1.3', '1.6', '1.10', '2.1', '4.4']

const subjects: Readonly<Record<string, RefusalSubject>> = {
  '1.5': 'fine',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'fine',
  '2.2': 'full',
  '2.3': 'message',
  '2.4': 'system',
  '3.4': 'message',
  '3.6': 'fine',
  '5.3': 'rate',
}
const ofSubject = {
  0: 'other',
  1: 'other',
  2: 'other',
  3: 'system',
  4: 'system',
  5: 'other',
  6: 'message',
  7: 'policy',
} as const

const expected = (code: string): RefusalSubject =>
  gone.includes(code) ? 'gone' : (subjects[code] ?? ofSubject[code[0] as unknown as keyof typeof ofSubject])

describe('an enhanced status', () => {
  it.each(registered)('5.%s is about its registered subject', (code) => {
    expect(refusalSubjectOfStatus(`5.${code}`)).toBe(expected(code))
  })

  it.each(registered)('5.%s without text is permanent only if documented', (code) => {
    expect(isPermanentRefusal({ status: `5.${code}`, text: '' })).toBe(gone.includes(code))
    expect(listed.includes(`5.${code} `)).toBe(gone.includes(code))
  })

  it.each(registered)('4.%s is never permanent, whatever the text', (code) => {
    expect(isPermanentRefusal({ status: `4.${code}`, text: 'User unknown' })).toBe(false)
  })

  it.each(['2.2', '2.3', '2.4', '1.7', '1.8', '3.4', '4.6', '6.0', '7.2', '7.26'])(
    '5.%s names another reason, so “user unknown” is not permanent',
    (code) => {
      expect(isPermanentRefusal({ status: `5.${code}`, text: 'User unknown' })).toBe(false)
    },
  )

  it.each(['0.0', '1.0', '2.0', '3.0', '4.0', '5.0', '7.0', '7.1', '1.90'])(
    '5.%s may have any reason, so “user unknown” is permanent',
    (code) => {
      expect(isPermanentRefusal({ status: `5.${code}`, text: 'User unknown' })).toBe(true)
      expect(isPermanentRefusal({ status: `5.${code}`, text: 'Rejected' })).toBe(false)
    },
  )

  it.each(['5.8.1', '5.1000.1', '5.1', 'no', ''])('%s has no meaning', (status) => {
    expect(refusalSubjectOfStatus(status)).toBe('other')
  })

  it('is the inner one of two, and never part of an address, a version or a number', () => {
    expect(enhancedStatusIn("5.1.0 - Unknown address error 550-'5.2.2 Mailbox full'")).toBe('5.2.2')
    expect(enhancedStatusIn('from 10.5.1.1 by 5.1.1.9 with Exim 4.92.3 and 5.5.2657.72')).toBeUndefined()
    expect(enhancedStatusIn('2.0.0 Queued')).toBeUndefined()
  })
})

describe('a refusal', () => {
  it.each([
    // What a relay answers from the 101st recipient on.
    ['550 5.1.90 Your message can’t be sent because you’ve reached your daily limit', 'rate'],
    ['550 5.1.1 Daily sending quota exceeded', 'rate'],
    ['550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery', 'rate'],
    ['550 5.1.1 Too many messages from you', 'rate'],
    ['452 4.5.3 quota exceeded for today', 'rate'],
    ['550 5.1.0 <news@example.com> sender rejected', 'sender'],
    ['550 5.1.1 Refused (in reply to MAIL FROM)', 'sender'],
    ['SMTP error after MAIL FROM:<news@example.com> SIZE=1024: 553 5.1.0 news does not exist', 'sender'],
    ['550 unknown user <news@example.com> (sender callout)', 'sender'],
    ['550 5.1.1 Message rejected: sender news@example.com is unknown user', 'sender'],
    ['550 The sender does not exist', 'sender'],
    ['550 5.1.1 Return address invalid: user unknown', 'sender'],
    ['550 5.1.2 Header From: domain does not exist', 'sender'],
    ['550 5.1.2 From domain news.example does not exist', 'sender'],
    ['550 5.1.1 Reply-To address does not exist', 'sender'],
    // AOL, about the sender's address.
    ['521 5.2.1 :  (AOL will not accept delivery of this message.)', 'policy'],
    // GMX and WEB.DE greet blocked servers so.
    ['554-web.de (mxweb) Nemesis ESMTP Service not available 554-No SMTP service', 'other'],
    ['550 5.1.1 Refused due to recipient preferences', 'policy'],
    ['550 5.1.1 SPF check failed', 'policy'],
    ['550 5.1.1 Rejected due to AUP#BL', 'policy'],
    ['550 5.2.1 Blocked using an RBL', 'policy'],
    ['550 5.1.2 User unknown; blocked for spam', 'policy'],
    ["550 5.1.0 - Unknown address error 550-'5.2.2 Mailbox full'", 'full'],
    ["550 5.1.0 - Unknown address error 550-'SC-001 on our block list'", 'policy'],
    ['550 5.1.1 Mailbox temporarily disabled', 'system'],
    ['554 5.3.0 /usr/local/bin/filter: No such file or directory', 'system'],
    ['550 5.4.4 Name service error: Malformed name server reply', 'system'],
    ['550 5.7.1 Recipient address rejected: Access denied', 'policy'],
    ['550 5.7.1 Not today', 'policy'],
    ['550 5.1.5 Fine', 'fine'],
    ['550 Rejected', 'other'],
  ] as const)('with “%s” is about the %s, and suppresses nobody', (text, subject) => {
    expect(classifyRefusal({ text })).toEqual({ subject, isPermanent: false })
  })

  it.each([
    '550 5.1.1 <x@example.net>: Recipient address rejected: User unknown in local recipient table',
    '550 5.7.1 User unknown',
    // RFC 7293: the mailbox has another owner.
    '<x@example.net>: sorry, no mailbox here by that name. (#5.7.17)',
    '550 account expired',
    'x@example.net [Inactive account]',
    '550 <x> is now disabled with MTA service.',
    'LOCAL module(account x) reports: mail receiving disabled',
    "5.1.0 - Unknown address error 540-'Error: Wrong recipients'",
    '550 User not a member of domain: <x@example.net>',
    'No such user here. The message contains [1] file attachments',
    'ユーザー x は Domino ディレクトリには見つかりません。',
    '550 5.2.0 <x@example.net>... User\r\n unknown',
    'The recipient name is not recognized',
    'Invalid final delivery userid: x@example.net',
    'Unknown\nRecipient',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
    '556 5.1.10 Recipient domain has a null MX',
    'Domain example.net does not accept mail (nullMX)',
    'an MX or SRV record indicated no SMTP service',
    '550 5.4.310 DNS domain example.net does not exist',
    '550 Requested action not taken: mailbox unavailable',
    '550 The recipient may contain a non-existent account, please check the recipient address.',
    '550 Adresse email inconnue',
    '550 Cuenta inexistente',
    '550 Utente inesistente',
    // Names of hosts and addresses are no text.
    '550 5.1.1 <spam@example.net> User unknown, says mx.blocked.example.net, see https://example.net/policy',
  ])('with “%s” is permanent', (text) => {
    expect(classifyRefusal({ text })).toEqual({ subject: 'gone', isPermanent: true })
  })

  it('is permanent if the provider says so, unless its text contradicts', () => {
    const judged = (text: string) => isPermanentRefusal({ text, judgedPermanent: true })
    expect(judged('')).toBe(true)
    expect(judged('550 Rejected')).toBe(true)
    expect(judged('550 5.7.1 Rejected')).toBe(false)
    expect(judged('Blocked as spam')).toBe(false)
    expect(judged('451 4.3.0 Rejected')).toBe(false)
  })
})

describe('a reply’s words', () => {
  it.each([
    ['No such user here', 'gone'],
    ['Requested action not taken: mailbox unavailable', 'gone'],
    ['sorry, no mailbox here by that name. (#5.1.1)', 'gone'],
    ['Unrouteable address', 'gone'],
    ['User unknown in relay recipient table', 'gone'],
    ['all relevant MX records point to non-existent hosts', 'gone'],
    ['No such file or directory', 'system'],
    ['Diese Adresse ist unbekannt', 'gone'],
    ['mailbox is full, user unknown to care', 'full'],
    ['Please try again later', 'system'],
    ['Blocked by our spam filter, no such luck', 'policy'],
    ['Relaying denied', 'policy'],
    ['Sender address rejected: Domain not found', 'sender'],
    ['Message size exceeds fixed limit', 'message'],
    ['I cannot say', 'other'],
    ['', 'other'],
  ])('%s: %s', (text, subject) => {
    expect(refusalSubjectOfText(text)).toBe(subject)
  })

  it('are examined up to 2,000 characters', () => {
    expect(refusalSubjectOfText(`${'x'.repeat(2_000)}user unknown`)).toBe('other')
  })

  it('are lower-case phrases in one documented class each', () => {
    const all = phraseClasses.flatMap(({ phrases }) => phrases.split(',').map((one) => one.trim()))
    expect(all.filter((one) => one !== one.toLowerCase() || one === '')).toEqual([])
    expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([])
    for (const { name } of phraseClasses) expect(documentation).toContain(`| ${name} |`)
  })
})
