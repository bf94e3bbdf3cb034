import { describe, expect, it } from 'vitest'
import {
  isFinalRefusal,
  type RefusalSubject,
  subjectOfStatus,
  subjectOfWords,
} from '../../../src/sending/returns/final-refusal.js'

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

const gone = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.6', '1.10', '2.1', '4.4']

const subjects: Readonly<Record<string, RefusalSubject>> = {
  '0.0': 'other',
  '1.5': 'fine',
  '1.7': 'sender',
  '1.8': 'sender',
  '1.9': 'fine',
  '2.0': 'full',
  '2.2': 'full',
  '2.3': 'message',
  '2.4': 'system',
  '3.4': 'message',
  '3.6': 'fine',
  '5.3': 'message',
}
const ofSubject = { 3: 'system', 4: 'system', 5: 'other', 6: 'message', 7: 'policy' } as const

const expected = (code: string): RefusalSubject =>
  gone.includes(code) ? 'gone' : (subjects[code] ?? ofSubject[code[0] as unknown as keyof typeof ofSubject])

describe('an enhanced status', () => {
  it.each(registered)('5.%s says what it speaks of', (code) => {
    expect(subjectOfStatus(`5.${code}`)).toBe(expected(code))
  })

  it.each(registered)('5.%s without words is final only where the address is gone', (code) => {
    expect(isFinalRefusal({ status: `5.${code}`, text: '' })).toBe(gone.includes(code))
  })

  it.each(registered)('4.%s is never final, whatever the words', (code) => {
    expect(isFinalRefusal({ status: `4.${code}`, text: 'User unknown' })).toBe(false)
  })

  it.each(registered.filter((code) => code.startsWith('7') || code.startsWith('2.2')))(
    '5.%s is not final, whatever the words',
    (code) => {
      expect(isFinalRefusal({ status: `5.${code}`, text: 'User unknown' })).toBe(false)
    },
  )

  it.each(['5.8.1', '5.1000.1', '5.1', 'no', '', '9.1.1'])('%s says nothing', (status) => {
    expect(subjectOfStatus(status)).toBe('other')
  })

  it('of a detail that nobody has registered is its subject’s', () => {
    expect(subjectOfStatus('5.1.99')).toBe('gone')
    expect(subjectOfStatus('5.7.509')).toBe('policy')
    expect(subjectOfStatus('5.7.999')).toBe('policy')
  })
})

describe('words', () => {
  it.each([
    ['No such user here', 'gone'],
    ['Requested action not taken: mailbox unavailable', 'gone'],
    ['sorry, no mailbox here by that name. (#5.1.1)', 'gone'],
    ['Unrouteable address', 'gone'],
    ['User unknown in relay recipient table', 'gone'],
    ['all relevant MX records point to non-existent hosts', 'gone'],
    ['Recipient address rejected: Access denied. AS(201806281)', 'gone'],
    ['Diese Adresse ist unbekannt', 'gone'],
    ['mailbox is full, user unknown to care', 'full'],
    ['Please try again later', 'full'],
    ['Blocked by our spam filter, no such luck', 'policy'],
    ['Relaying denied', 'policy'],
    ['Sender address rejected: Domain not found', 'sender'],
    ['Message size exceeds fixed limit', 'message'],
    ['I cannot say', 'other'],
    ['', 'other'],
  ])('%s: %s', (text, subject) => {
    expect(subjectOfWords(text)).toBe(subject)
  })

  it('decide where there is no status, or one that names no address', () => {
    expect(isFinalRefusal({ text: 'No such user here' })).toBe(true)
    expect(isFinalRefusal({ text: 'Service unavailable' })).toBe(false)
    expect(isFinalRefusal({ status: '5.0.0', text: 'User unknown' })).toBe(true)
    expect(isFinalRefusal({ status: '5.5.0', text: 'mailbox unavailable' })).toBe(true)
    expect(isFinalRefusal({ status: '5.4.1', text: 'Recipient address rejected: Access denied. AS(201806281)' })).toBe(
      true,
    )
    expect(isFinalRefusal({ status: '5.4.1', text: 'No answer from host' })).toBe(false)
    expect(isFinalRefusal({ status: '5.6.0', text: 'User unknown' })).toBe(false)
  })

  it('are looked at up to 2,000 characters', () => {
    expect(subjectOfWords(`${'x'.repeat(2_000)}user unknown`)).toBe('other')
  })
})
