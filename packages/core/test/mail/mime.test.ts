import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachmentPart, base64Lines, quotedPrintable, textHeader } from '../../src/mail/mime.js'

const bytesOf = (encoded: string): Uint8Array => {
  const bytes: number[] = []
  const joined = encoded.replaceAll('=\r\n', '')
  for (let i = 0; i < joined.length; i += 1) {
    if (joined[i] === '=') {
      bytes.push(Number.parseInt(joined.slice(i + 1, i + 3), 16))
      i += 2
    } else bytes.push(joined.charCodeAt(i))
  }
  return Uint8Array.from(bytes)
}

const decoded = (encoded: string) => new TextDecoder().decode(bytesOf(encoded))
const unit = fc.constantFrom('a', '=', ' ', '\t', '\n', '\r', '\r\n', 'é', '語', '😀', '.', '\u0000', 'word ')

describe('quoted-printable', () => {
  it('gives the text back, in lines that are short and do not end in a blank', () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 400 }), (text) => {
        const encoded = quotedPrintable(text)
        expect(decoded(encoded)).toBe(text.replaceAll(/\r\n|\r|\n/g, '\r\n'))
        for (const line of encoded.split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(76)
          expect(line).toMatch(/^(?:[\t\x20-\x7e]*[\x21-\x7e])?$/)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('is the same for a text of any length', () => {
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 60 }), (text) => {
        const times = Math.ceil((256 * 1024) / text.length)
        const [short, long] = [`${text}\n`.repeat(3), `${text}\n`.repeat(times + 3)]
        expect(quotedPrintable(long).startsWith(quotedPrintable(short))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('encodes 5 MB of signs outside ASCII', () => {
    expect(quotedPrintable('語'.repeat(1_700_000)).length).toBeGreaterThan(15_300_000)
  })
})

describe('an attachment of any size', () => {
  it('has lines of 76 characters', () => {
    const content = 'QUJD'.repeat(1_000_000)
    const part = attachmentPart({ filename: 'a.bin', contentType: 'application/octet-stream', content })
    const lines = part.slice(part.indexOf('\r\n\r\n') + 4).split('\r\n')
    expect(lines.join('')).toBe(content)
    expect(Math.max(...lines.map((line) => line.length))).toBe(76)
    expect(base64Lines(base64Lines(content))).toBe(base64Lines(content))
  })
})

describe('a subject', () => {
  const lines = (subject: string) => textHeader('Subject', subject).split('\r\n')

  it('of ASCII is folded at 78 characters', () => {
    const fits = `${'a'.repeat(60)} ${'b'.repeat(8)}`
    expect(lines(fits)).toEqual([`Subject: ${fits}`])
    expect(`Subject: ${fits}`).toHaveLength(78)
    expect(lines(`${fits}b`)).toEqual([`Subject: ${'a'.repeat(60)}`, ` ${'b'.repeat(9)}`])
    expect(lines('news '.repeat(100).trim()).every((line) => line.length <= 78)).toBe(true)
  })

  it('of other characters is folded at 76, as its encoded words require', () => {
    expect(
      lines('März '.repeat(100))
        .slice(1)
        .every((line) => line.length <= 76),
    ).toBe(true)
  })
})

describe('the name of an attachment', () => {
  it.each(['report.pdf', 'README', 'a (1), final.pdf', `${'x'.repeat(200)}.txt`])(
    'in ASCII has one form: %s',
    (filename) => {
      const part = attachmentPart({ filename, contentType: 'text/plain', content: '' })
      expect(part).toContain(`filename="${filename}"`)
      expect(part).not.toContain('*=')
    },
  )
})
