import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import {
  attachmentPart,
  base64Lines,
  mailboxHeader,
  mimeBody,
  quotedPrintable,
  textHeader,
} from '../../src/mail/mime.js'

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
  it('decodes to the same text, in short lines without trailing blanks', () => {
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

  it('does not depend on the length of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 60 }), (text) => {
        const times = Math.ceil((256 * 1024) / text.length)
        const [short, long] = [`${text}\n`.repeat(3), `${text}\n`.repeat(times + 3)]
        expect(quotedPrintable(long).startsWith(quotedPrintable(short))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('encodes 5 MB of non-ASCII characters', () => {
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

describe('a body with attachments', () => {
  const file = (filename: string, contentId?: string) =>
    attachmentPart({ filename, contentType: 'image/png', content: 'QUJD', contentId })
  const typesOf = (body: string) => [...body.matchAll(/^Content-Type: ([a-z]+\/[a-z]+)/gm)].map(([, type]) => type)

  it('has the files that the HTML shows beside it, and all others after both', () => {
    const body = mimeBody(
      'seed',
      ['Content-Type: text/plain\r\n\r\na', 'Content-Type: text/html\r\n\r\nb'],
      [file('terms.png'), file('logo.png', 'logo@shop')],
    )
    expect(typesOf(body)).toEqual([
      'multipart/mixed',
      'multipart/related',
      'multipart/alternative',
      'text/plain',
      'text/html',
      'image/png',
      'image/png',
    ])
    expect(body).toContain('multipart/related; type="multipart/alternative";')
    expect(body).toContain('Content-ID: <logo@shop>\r\nContent-Type: image/png;\r\n name="logo.png"')
    expect(body).toContain('Content-Disposition: inline;\r\n filename="logo.png"')
    expect(body).toContain('Content-Disposition: attachment;\r\n filename="terms.png"')
  })

  it('has no level for what it does not have', () => {
    const text = 'Content-Type: text/plain\r\n\r\na'
    expect(typesOf(mimeBody('seed', [text], [file('logo.png', 'logo')]))).toEqual([
      'multipart/related',
      'text/plain',
      'image/png',
    ])
    expect(typesOf(mimeBody('seed', [text], [file('terms.png')]))).toEqual([
      'multipart/mixed',
      'text/plain',
      'image/png',
    ])
  })
})

describe('a subject', () => {
  const lines = (subject: string) => textHeader('Subject', subject).split('\r\n')

  it('in ASCII is folded at 78 characters', () => {
    const fits = `${'a'.repeat(60)} ${'b'.repeat(8)}`
    expect(lines(fits)).toEqual([`Subject: ${fits}`])
    expect(`Subject: ${fits}`).toHaveLength(78)
    expect(lines(`${fits}b`)).toEqual([`Subject: ${'a'.repeat(60)}`, ` ${'b'.repeat(9)}`])
    expect(lines('news '.repeat(100).trim()).every((line) => line.length <= 78)).toBe(true)
  })

  it('in other characters is folded at 76, as encoded words require', () => {
    const long = 'März 語 🎉 '.repeat(30)
    const headers = [textHeader('Subject', long), textHeader('X-A-Rather-Long-Name', long)]
    const mailboxes = ['From', 'Reply-To', 'List-Id'].map((name) =>
      mailboxHeader(name, { name: long, email: 'ada@example.com' }),
    )
    for (const header of [...headers, ...mailboxes]) {
      expect(header).not.toContain('??=')
      expect(header.split('\r\n').filter((line) => line.length > 76)).toEqual([])
    }
  })
})

describe('a mailbox', () => {
  it('without a name has its address in angle brackets, as List-Id requires and spam filters expect', () => {
    expect(mailboxHeader('To', { name: '', email: 'ada@example.com' })).toBe('To: <ada@example.com>')
    expect(mailboxHeader('List-Id', { name: '\u0007', email: 'l.example.com' })).toBe('List-Id: <l.example.com>')
    const long = `${'a'.repeat(64)}@example.com`
    expect(mailboxHeader('Reply-To', { name: '', email: long })).toBe(`Reply-To: <${long}>`)
  })
})

describe('an attachment’s name', () => {
  it.each(['report.pdf', 'README', 'a (1), final.pdf', `${'x'.repeat(200)}.txt`])(
    'in ASCII is sent in one form: %s',
    (filename) => {
      const part = attachmentPart({ filename, contentType: 'text/plain', content: '' })
      expect(part).toContain(`filename="${filename}"`)
      expect(part).not.toContain('*=')
    },
  )

  it.each(['März.pdf', `${'請'.repeat(250)}.pdf`, `${'🎉'.repeat(125)}.pdf`, "a'b*(1)% ü.pdf"])(
    'in other characters is sent in short lines, with no second form that a program could prefer: %s',
    async (filename) => {
      const part = attachmentPart({ filename, contentType: 'application/pdf', content: 'QUJD' })
      const disposition = part.slice(part.indexOf('Content-Disposition:'), part.indexOf('\r\n\r\n'))
      expect(disposition).not.toContain('filename=')
      for (const escapes of disposition.match(/(?:%[0-9A-F]{2})+/g) ?? [])
        expect(() => decodeURIComponent(escapes)).not.toThrow()
      expect(part.split('\r\n').filter((line) => line.length > (line.startsWith(' name=') ? 270 : 78))).toEqual([])
      const { attachments } = await new PostalMime().parse(
        mimeBody('seed', ['Content-Type: text/plain\r\n\r\na'], [part]),
      )
      expect(attachments.map((one) => one.filename)).toEqual([filename])
    },
  )

  it('that looks like an encoded word is not sent as one', () => {
    const part = attachmentPart({ filename: '=?UTF-8?B?eA==?=.pdf', contentType: 'text/plain', content: '' })
    expect(part).toContain("filename*=UTF-8''%3D%3FUTF-8%3FB%3FeA%3D%3D%3F%3D.pdf")
    expect(part).not.toContain('=?')
  })
})
