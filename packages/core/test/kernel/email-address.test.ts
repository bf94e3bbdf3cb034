import { addressKey, domainOf } from '@posthorn/core/ports/storage'
import { violationSentences } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EmailAddress, normalisedAddress } from '../../src/kernel/email-address.js'

describe('an email address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada@Example.COM', 'Ada@Example.COM'],
    ['  ada@example.com\t\r\n', 'ada@example.com'],
    ['\u00a0ada@example.com\u00a0', 'ada@example.com'],
    ['Ada@bücher.example', 'Ada@xn--bcher-kva.example'],
    ['ada@BÜCHER.Example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['ada@faß.example', 'ada@xn--fa-hia.example'],
    ['ada@נמל.example', 'ada@xn--hebdf.example'],
    ['"!#$%&\'*+/=?^_`{|}~-.ada"'.slice(1, -1).concat('@example.com'), "!#$%&'*+/=?^_`{|}~-.ada@example.com"],
  ])('%j is stored as %j', (text, kept) => {
    expect(EmailAddress.parse(text)).toBe(kept)
    expect(EmailAddress.parse(kept)).toBe(kept)
    expect(addressKey(text)).toBe(kept.toLowerCase())
  })

  it.each([
    '',
    ' ',
    'ada',
    '@bücher.example',
    'a da@example.com',
    'ada@example.com, bob@example.com',
    'ada@example.com\r\nBcc: bob@example.com',
    'ada@example .com',
    'ada@example.com.',
    'ada@bücher.example.',
    'ada@bücher.example。',
    'ada@bücher',
    'ada@localhost',
    'ada@xn--a.example',
    'ada@XN--a.example',
    'ada@אa.example',
    'ada@bücher.example/path',
    'ada@bücher.example:25',
    'ada@ada@bücher.example',
    'ada@a\u200db.example',
    `${'a'.repeat(65)}@example.com`,
    `${'a'.repeat(65)}@bücher.example`,
    `ada@${'ü'.repeat(200_000)}.example`,
    'ada\0@example.com',
  ])('%j is invalid', (text) => {
    expect(violationSentences(EmailAddress, text)).toEqual(['Invalid email format'])
  })

  it.each(['jürgen@example.com', 'ádá@bücher.example', '用户@例え.テスト'])(
    'with a non-ASCII local part is rejected for that reason: %s',
    (text) => {
      expect(violationSentences(EmailAddress, text)).toEqual([
        'Invalid email format: the part before the @ has to be in ASCII',
      ])
    },
  )

  it('has its domain in lower case', () => {
    expect(domainOf('Ada@Example.COM')).toBe('example.com')
  })

  it('stays unchanged when normalised again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'binary' }).map((text) => `a@${text}`),
        ),
        (text) => {
          const kept = normalisedAddress(text)
          fc.pre(EmailAddress.safeParse(text).success)
          expect(normalisedAddress(kept)).toBe(kept)
          expect(kept).toMatch(/^[\x21-\x7e]+$/)
          expect(addressKey(addressKey(text))).toBe(addressKey(text))
        },
      ),
    )
  })
})
