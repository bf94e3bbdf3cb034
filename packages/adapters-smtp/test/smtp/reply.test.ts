import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { enhancedCode, replyReader, replyText } from '../../src/smtp/reply.js'

const repliesIn = (text: string) => [...replyReader().read(text)]

describe('a reply', () => {
  it('may have several lines, and lines without text', () => {
    expect(repliesIn('250-one\r\n250-\r\n250\r\n')).toEqual([{ code: 250, lines: ['one', '', ''] }])
  })

  it('may be one of several in a piece', () => {
    expect(repliesIn('250 a\r\n550-b\r\n550 c\r\n354 d\r\n25').map(replyText)).toEqual(['250 a', '550 b c', '354 d'])
  })

  it('may end in LF alone', () => {
    expect(repliesIn('250-a\n250 b\n')).toEqual([{ code: 250, lines: ['a', 'b'] }])
  })

  it('is parsed the same however it is split', () => {
    const whole = '220 hi\r\n250-a\r\n250-SIZE 10\r\n250 PIPELINING\r\n550 5.1.1 näh\r\n'
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const { read, midway } = replyReader()
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length]
        const replies = at.slice(1).flatMap((end, index) => [...read(whole.slice(at[index], end))])
        expect(replies.map(({ code }) => code)).toEqual([220, 250, 550])
        expect(midway()).toBe(false)
      }),
    )
  })

  it.each(['hello\r\n', '25\r\n', '2500 a\r\n', '150 a\r\n', '\r\n', '{"error":true}\r\n', '250_a\r\n'])(
    '%j is invalid',
    (text) => {
      expect(() => repliesIn(text)).toThrow('not SMTP')
    },
  )

  it('cannot exhaust memory, by one line or many', () => {
    expect(() => repliesIn('2'.repeat(70_000))).toThrow('without end')
    const { read } = replyReader()
    expect(() => {
      for (;;) Array.from(read(`250-${'x'.repeat(1_000)}\r\n`))
    }).toThrow('without end')
  })

  it('has an enhanced status code only at its beginning', () => {
    expect(enhancedCode({ code: 450, lines: ['4.7.1 slow down'] })).toBe('4.7.1')
    expect(enhancedCode({ code: 450, lines: ['version 4.7.1'] })).toBeUndefined()
    expect(enhancedCode({ code: 450, lines: [] })).toBeUndefined()
  })
})
