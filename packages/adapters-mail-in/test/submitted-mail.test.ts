import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { submittedMail } from '../src/submission/submitted-mail.js'

const lines = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))

const textUnit = fc.constantFrom('a', 'é', '語', '😀', ' ', '\n', '=', '.', '--b', '{{x}}', '<', '\t')
const name = fc.string({ unit: fc.constantFrom('a', 'ä', '語', ' ', "'", '%', ';', '='), minLength: 1, maxLength: 40 })

describe('a submitted message', () => {
  it('is read as postal-mime reads it, whatever Nodemailer composed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          subject: fc.string({
            unit: fc.constantFrom('a', 'ü', '語', ' ', '=?', '{{x}}'),
            minLength: 1,
            maxLength: 200,
          }),
          text: fc.string({ unit: textUnit, maxLength: 300 }),
          html: fc.option(fc.string({ unit: textUnit, minLength: 1, maxLength: 300 })),
          encoding: fc.constantFrom('quoted-printable', 'base64', undefined),
          files: fc.array(fc.record({ name, bytes: fc.uint8Array({ maxLength: 200 }), isShown: fc.boolean() }), {
            maxLength: 4,
          }),
        }),
        async ({ subject, text, html, encoding, files }) => {
          const raw = await new MailComposer({
            from: 'Post <post@example.com>',
            subject,
            text,
            ...(html !== null && { html }),
            ...(encoding && { textEncoding: encoding }),
            attachments: files.map(({ name: filename, bytes, isShown }, n) => ({
              filename: `${filename}.bin`,
              content: Buffer.from(bytes),
              ...(isShown && { cid: `file${n}@example.com` }),
            })),
          } as ConstructorParameters<typeof MailComposer>[0])
            .compile()
            .build()
          const mine = await submittedMail(raw)
          const theirs = await PostalMime.parse(raw)
          expect(mine.subject.trim()).toBe(theirs.subject?.trim() ?? '')
          expect(mine.text?.trimEnd() ?? '').toBe(theirs.text?.trimEnd() ?? '')
          expect(mine.html?.trimEnd()).toBe(theirs.html?.trimEnd())
          expect(mine.attachments.map(({ content }) => content)).toEqual(
            theirs.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('base64')),
          )
          expect(mine.attachments.map(({ filename }) => filename)).toEqual(
            theirs.attachments.map(({ filename }) => filename?.replaceAll(/[\\/]/g, '_')),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is decoded by its charset', async () => {
    const latin = Buffer.concat([lines('Content-Type: text/plain; charset=iso-8859-15\n\n'), Buffer.from([0xa4, 0xe9])])
    expect((await submittedMail(latin)).text).toBe('€é')
    const unknown = lines('Content-Type: text/plain; charset=x-none\n\nGrüße')
    expect((await submittedMail(unknown)).text).toBe('Grüße')
    const unlabelled = Buffer.concat([lines('Subject: a\n\n'), Buffer.from([0xe9])])
    expect((await submittedMail(unlabelled)).text).toBe('é')
    const euro = Buffer.concat([lines('Subject: a\n\n'), Buffer.from([0x80])])
    expect((await submittedMail(euro)).text).toBe('€')
  })

  it.each(['windows-1252', 'iso-8859-1'])('has the signs of windows-1252, labelled %s', async (charset) => {
    const head = lines(`Subject: =?${charset}?q?=80_5%?= =?${charset}?B?${Buffer.from([0x85]).toString('base64')}?=
Content-Type: text/plain; charset=${charset}

`)
    const { text, subject } = await submittedMail(Buffer.concat([head, Buffer.from([0x80, 0x20, 0x93])]))
    expect(text).toBe('€ “')
    expect(subject).toBe('€ 5%…')
  })

  it('has a file name by RFC 2231 in pieces, and one made up where there is none', async () => {
    const { attachments } = await submittedMail(
      lines(`Content-Type: multipart/mixed; boundary=b

--b
Content-Type: application/pdf
Content-Disposition: attachment; filename*0*=utf-8''Rechnung%20M%C3;
 filename*1*=%A4rz; filename*2=.pdf

a
--b
Content-Type: image/png
Content-ID: <x y>

b
--b
Content-Type: message/rfc822

Subject: inner

--b--
`),
    )
    expect(attachments.map(({ filename, contentId }) => [filename, contentId])).toEqual([
      ['Rechnung März.pdf', undefined],
      ['attachment-2.png', undefined],
      ['attachment-3.eml', undefined],
    ])
  })

  it('joins texts, and ends at the last boundary', async () => {
    const { text, html } = await submittedMail(
      lines(`Content-Type: multipart/mixed; boundary="b"

preamble
--b
Content-Type: text/plain

one
--b

two
--b
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: Quoted-Printable

<p>=C3=A9=
=zz</p>
--b--
epilogue
--b
Content-Type: text/plain

three
`),
    )
    expect([text, html]).toEqual(['one\ntwo', '<p>é=zz</p>'])
  })

  it('keeps one mailbox of From and Reply-To', async () => {
    const { from, replyTo } = await submittedMail(
      lines(
        'From: =?utf-8?q?J=C3=B6?= <jo@example.com>, b@example.com\nReply-To: Team: help@example.net;\nSubject: a\n\nb',
      ),
    )
    expect([from, replyTo]).toEqual([{ name: 'Jö', address: 'jo@example.com' }, 'help@example.net'])
    await expect(submittedMail(lines(`From: ${'a@b.example, '.repeat(400)}\n\nb`))).rejects.toThrow(
      'from has more than 4000',
    )
  })

  it.each([
    [
      'lookalikes of its boundary',
      `Content-Type: multipart/mixed; boundary=b\n\n--b\n\n${'--b x\n'.repeat(10_001)}`,
      '10000 lines',
    ],
    ['texts that are too long', `Subject: a\n\n${'a\n'.repeat(1_100_000)}`, '2097152 bytes'],
  ])('is refused with %s', async (_what, message, refusal) => {
    await expect(submittedMail(lines(message))).rejects.toThrow(refusal)
  })
})
