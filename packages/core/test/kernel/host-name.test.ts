import { hostName } from '@posthorn/core/ports/transport'
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
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['STRAẞE.example', 'xn--strae-oqa.example'],
    ['ΒΌΛΟΣ.example', 'xn--nxasmq6b.example'],
    ['βόλος.example', 'xn--nxasmm1c.example'],
    ['İ.example', 'xn--i-9bb.example'],
    ['\u10a0.example', 'xn--rkj.example'],
    ['ＷＥＢ.example', 'web.example'],
    ['we\u00adb.example', 'web.example'],
    ['❤\ufe0f.example', 'xn--qei.example'],
    ['e\u0301\u0323.example', 'xn--lsa503l.example'],
    ['O\u0323\u0301ba.example', 'xn--ba-7tb775z.example'],
    ['ẹ\u0301.example', 'xn--lsa503l.example'],
    ['é\u0323.example', 'xn--lsa503l.example'],
    ['xn--lsa503l.example', 'xn--lsa503l.example'],
    ['נמל.example', 'xn--hebdf.example'],
    ['מספר1.example', 'xn--1-sicjmu.example'],
    ['می\u200cخواهم.example', 'xn--mgbn2ecje63gr19l.example'],
    ['श्री\u0967.भारत', 'xn--t2bl5a0cuh.xn--h2brj9c'],
    ['a--b.example', 'a--b.example'],
    ['a-b.c-d.example', 'a-b.c-d.example'],
    ['1.example', '1.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s is stored as %s', (text, kept) => {
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
    'XN--A.example',
    'xn--.example',
    'xn---.example',
    'xn--abc-.example',
    'xn--a-b.example',
    'xn--bücher-kva.example',
    'xn--9ca26i.example',
    'xn--assb-.example',
    'xn--ls8h=.example',
    'xn--99999999.example',
    'xn--0.pt',
    'xn--a-ecp.ru',
    'xn--xn--bcher-kva-jzb.example.xn--a',
    'bücher.xn--a.example',
    '\u0301a.example',
    'a\u200cb.example',
    'a\u200db.example',
    'a\u2061b.example',
    'a\u3164b.example',
    'a\u180eb.example',
    'a\u202eb.example',
    'a\ud800b.example',
    '℀.example',
    '⒈com.example',
    'אa.example',
    'aא.example',
    'א٠1.example',
    '٠.example',
    '1.נמל',
    'ク״.example',
    '__proto__',
    `${'a'.repeat(64)}.example`,
    `${'abcdefgh.'.repeat(24)}example`,
    `xn--${'a'.repeat(200_000)}.example`,
    `${'é'.repeat(200_000)}.example`,
  ])('%j is invalid', (text) => {
    expect(hostName(text)).toBeUndefined()
  })

  it('stays unchanged when normalised again, in ASCII that DNS accepts', () => {
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
