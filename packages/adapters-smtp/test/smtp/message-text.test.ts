import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataPieces, dotStuffedSmtpData, isSmtpPath } from '../../src/smtp/message-text.js'

/** RFC 5321, 4.5.2: what the server makes of it. */
const received = (data: string) => {
  expect(data.endsWith('.\r\n')).toBe(true)
  const lines = data.split('\r\n').slice(0, -2)
  expect(lines).not.toContain('.')
  return lines.map((line) => (line.startsWith('.') ? line.slice(1) : line))
}

const line = fc.oneof(
  fc.constantFrom('', '.', '..', '...', '.x', 'x.', ' .'),
  fc.string({ unit: fc.constantFrom('.', 'a', ' ', '\t') }),
  fc.integer({ min: 990, max: 5_000 }).map((length) => '.'.repeat(length)),
)

describe('the text after DATA', () => {
  it('arrives with the mail’s exact lines', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        expect(received(dotStuffedSmtpData(`${lines.join('\r\n')}\r\n`))).toEqual(lines)
      }),
    )
  })

  it('ends the last line if the mail does not', () => {
    expect(dotStuffedSmtpData('a')).toBe('a\r\n.\r\n')
    expect(dotStuffedSmtpData('a\r\n')).toBe('a\r\n.\r\n')
    expect(dotStuffedSmtpData('')).toBe('.\r\n')
    expect(dotStuffedSmtpData('.')).toBe('..\r\n.\r\n')
  })

  it('has one end only, for any CR, LF and dots', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\r', '\n', '.', 'a') }), (mime) => {
        const data = dotStuffedSmtpData(mime)
        expect(/\r(?!\n)|(?<!\r)\n/.test(data)).toBe(false)
        expect(`\r\n${data}`.indexOf('\r\n.\r\n')).toBe(data.length - 3)
      }),
    )
  })

  it('is the same in pieces of any length', () => {
    const unit = fc.constantFrom('\r', '\n', '\r\n', '.', '\r\n.', 'a')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (mime, length) => {
        expect([...dataPieces(mime, length)].join('')).toBe(dotStuffedSmtpData(mime))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is prepared in pieces on demand', () => {
    const pieces = [...dataPieces('x\r\n'.repeat(1_000_000))].map((piece) => piece.length)
    expect(pieces.length).toBeGreaterThan(10)
    expect(Math.max(...pieces)).toBeLessThan(300_000)
  })
})

describe('an address', () => {
  it.each(['ada@example.com', "o'brien+tag=x@a.b.example", 'a@[192.0.2.1]'])('may be %s', (address) => {
    expect(isSmtpPath(address)).toBe(true)
  })

  it.each([
    'ada@example.com>\r\nRCPT TO:<eve@example.com',
    'ada@example.com\n',
    'ada@example.com\r',
    'ada@example.com> SIZE=1',
    'ada@exa mple.com',
    '<ada@example.com>',
    'Ada <ada@example.com>',
    'ada@example.com\0',
    'ada\u007f@example.com',
    'ad\u00e4@example.com',
    'ada@ex\u010aample.com',
    'ada',
    '@example.com',
    'ada@',
    '',
    `${'a'.repeat(250)}@example.com`,
  ])('may not be %j', (address) => {
    expect(isSmtpPath(address)).toBe(false)
  })
})
