import { hostName } from '@posthorn/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('a host name', () => {
  it.each([
    ['example.com', 'example.com'],
    ['Mail.EXAMPLE.com', 'mail.example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['a-b.c-d.example', 'a-b.c-d.example'],
    ['1.example', '1.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s is kept as %s', (text, kept) => {
    expect(hostName(text)).toBe(kept)
  })

  it.each([
    '',
    '.',
    'com',
    'localhost',
    'example..com',
    '.example.com',
    'example.com..',
    '-example.com',
    'example-.com',
    '_dmarc.example.com',
    '*.example.com',
    'example.com\0.evil.example',
    'exa\0mple.com',
    'exa\u00admple.com\r\nX: y',
    ' example.com',
    'example.com\n',
    'exa mple.com',
    'https://example.com',
    'example.com/path',
    'example.com:25',
    'me@example.com',
    'example.com?x',
    'example.com#x',
    'example.com\\x',
    '%65xample.com',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    'example.123',
    'xn--a.example',
    '__proto__',
    `${'a'.repeat(64)}.example`,
    `${'abcdefgh.'.repeat(24)}example`,
  ])('%j is none', (text) => {
    expect(hostName(text)).toBeUndefined()
  })

  it('stays what it is when read again, in ASCII that DNS can carry', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'binary' }), fc.string()), (text) => {
        const name = hostName(text)
        fc.pre(name !== undefined)
        expect(hostName(name)).toBe(name)
        expect(name).toMatch(/^[a-z0-9.-]{3,200}$/)
      }),
    )
  })
})
