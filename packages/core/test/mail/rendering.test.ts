import { aContact, htmlWithoutTags } from '@posthorn/testkit'
import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { attachmentPart } from '../../src/mail/mime.js'
import { type EmailToPrepare, type MailToRender, prepareEmail } from '../../src/mail/rendering.js'
import { RenderFailure } from '../../src/mail/template/budget.js'

const ids = {
  dispatchId: '6'.repeat(24),
  emailId: '5'.repeat(24),
}
const feedback = { project: 'project-mark', account: 'account-mark' }

const email = (changes: Partial<EmailToPrepare> = {}): EmailToPrepare => ({
  content: {
    name: 'News',
    subject: 'Hello {{contact.name}}',
    type: 'html',
    document: '<html><body class="x"><p>Hello {{contact.name}}</p></body></html>',
    feeds: [],
  },
  from: { email: 'post@example.com', name: 'Post' },
  feeds: {},
  data: {},
  plainText: { of: (html) => htmlWithoutTags(html, 'project') },
  kind: 'campaign',
  ids,
  feedback,
  publicHost: 'mail.example.com',
  ...changes,
})

const links = {
  oneClick: 'https://mail.example.com/v1/subscriber-lists/l/ada%40example.com/unsubscribe?token=t.s',
  unsubscribeLink: 'https://mail.example.com/preferences?token=u',
  pauseSubscriptionLink: 'https://mail.example.com/preferences?token=p',
}

const mail = (changes: Partial<MailToRender> = {}): MailToRender => ({
  to: { email: 'ada@example.com', name: 'Ada' },
  contact: { ...aContact(), email: 'ada@example.com', name: 'Ada' },
  deliveryId: `${ids.dispatchId}:${'7'.repeat(24)}`,
  date: new Date('2026-01-06T12:00:00.000Z'),
  ...changes,
})

const headersOf = (mime: string) => mime.slice(0, mime.indexOf('\r\n\r\n')).replace(/\r\n[ \t]/g, ' ')
const namesOf = (mime: string) =>
  headersOf(mime)
    .split('\r\n')
    .map((line) => line.slice(0, line.indexOf(':')))

/** Any text: all of Unicode, control characters and line breaks more often than chance would have it. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\0',
        ' ',
        '=?UTF-8?B?QQ==?=',
        '"',
        '\\',
        '<',
        '>',
        ',',
        ';',
        'Bcc: x@example.com',
        '\u2028',
        '\u0085',
        '😀',
        'ß',
      ),
    ),
  )
  .map((parts) => parts.join(''))

/** A text as one line, which is what a header can carry of it. */
const oneLine = (text: string) =>
  text
    .toString()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const wellFormed = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text))

const expectedNames = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Feedback-ID',
  'List-Id',
  'X-Posthorn-Delivery',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Content-Type',
]

describe('a rendered mail', () => {
  it('never lets a value break out of a header', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, anyText, anyText, async (name, subject, from, list, file) => {
        const prepared = prepareEmail(
          email({
            content: { ...email().content, subject: '{{text}}', replyTo: 'answers@example.com' },
            from: { email: 'post@example.com', name: from },
            data: { text: subject },
            list: { id: 'l', name: list },
            attachments: async () => [
              attachmentPart({ filename: `${file}.txt`, contentType: 'text/plain', content: 'QQ==' }),
            ],
          }),
        )
        const mime = await prepared.render(
          mail({ to: { email: 'ada@example.com', name }, contact: { ...mail().contact, name }, links }),
        )
        expect(namesOf(mime)).toEqual(expectedNames)
        expect(mime).toMatch(/^(?:[\x20-\x7e\t]{0,998}\r\n)*$/)
        const parsed = await PostalMime.parse(mime)
        expect(parsed.to?.map(({ address }) => address)).toEqual(['ada@example.com'])
        expect(parsed.from?.address).toBe('post@example.com')
        expect(parsed.attachments).toHaveLength(1)
        expect(oneLine(parsed.html ?? '')).toContain('<p>Hello')
      }),
      { numRuns: 300 },
    )
  })

  it('carries subject, names and bodies of any language unchanged', async () => {
    const words = fc.array(
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
        .filter((word) => !/[\s<>&"'`={}]/.test(word) && oneLine(word) === word && word.trim() === word),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(words, words, async (subject, name) => {
        const mime = await prepareEmail(
          email({ content: { ...email().content, subject: '{{text}}' }, data: { text: subject.join(' ') } }),
        ).render(
          mail({
            to: { email: 'ada@example.com', name: name.join(' ') },
            contact: { ...mail().contact, name: name.join(' ') },
          }),
        )
        const parsed = await PostalMime.parse(mime)
        expect(parsed.subject).toBe(wellFormed(subject.join(' ')))
        expect(parsed.to?.[0]?.name).toBe(wellFormed(name.join(' ')))
        expect(parsed.html).toContain(`<p>Hello ${wellFormed(name.join(' '))}</p>`)
        expect(parsed.text?.trim()).toBe(`Hello ${wellFormed(name.join(' '))}`)
      }),
      { numRuns: 200 },
    )
  })

  it('parses to the same as an established composer’s mail', async () => {
    const text = `Grüße = mehr   \nvon hier\t\n.\n..zwei\nFrom hier\n${'lang '.repeat(60)}`
    const ours = await PostalMime.parse(
      await prepareEmail(
        email({
          content: {
            name: 'N',
            subject: 'Ünïcode – „Betreff“ '.repeat(6).trim(),
            type: 'text',
            document: text,
            feeds: [],
          },
          attachments: async () => [
            attachmentPart({
              filename: 'Bericht März.pdf',
              contentType: 'application/pdf',
              content: Buffer.from('%PDF-1.7 äöü').toString('base64'),
            }),
          ],
        }),
      ).render(mail({ to: { email: 'ada@example.com', name: 'Ada, Countess "of" Löwe' } })),
    )
    const composed = await new MailComposer({
      from: 'Post <post@example.com>',
      to: { name: 'Ada, Countess "of" Löwe', address: 'ada@example.com' },
      subject: 'Ünïcode – „Betreff“ '.repeat(6).trim(),
      text,
      attachments: [
        { filename: 'Bericht März.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7 äöü') },
      ],
    })
      .compile()
      .build()
    const theirs = await PostalMime.parse(composed as unknown as Buffer)
    expect({ subject: ours.subject, to: ours.to, from: ours.from, text: ours.text?.trimEnd() }).toEqual({
      subject: theirs.subject,
      to: theirs.to,
      from: theirs.from,
      text: theirs.text?.trimEnd(),
    })
    expect(
      ours.attachments.map(({ filename, mimeType, content }) => [
        filename,
        mimeType,
        Buffer.from(content as ArrayBuffer).toString(),
      ]),
    ).toEqual(
      theirs.attachments.map(({ filename, mimeType, content }) => [
        filename,
        mimeType,
        Buffer.from(content as ArrayBuffer).toString(),
      ]),
    )
  })

  it('has one-click headers with links, and neither without', async () => {
    const prepared = prepareEmail(email({ content: { ...email().content, document: '[{{unsubscribeLink}}]' } }))
    expect(namesOf(await prepared.render(mail({ links })))).toEqual(
      expect.arrayContaining(['List-Unsubscribe', 'List-Unsubscribe-Post']),
    )
    const without = await prepared.render(mail())
    expect(namesOf(without)).not.toContain('List-Unsubscribe')
    expect(without).toContain('[]')
  })

  it('has the same Message-ID for each rendering of a delivery', async () => {
    const id = (mime: string) => /^Message-ID: (.*)$/m.exec(mime)?.[1]
    const prepared = prepareEmail(email())
    expect(id(await prepared.render(mail()))).toBe(id(await prepared.render(mail({ date: new Date('2027-01-01') }))))
    expect(id(await prepared.render(mail()))).not.toBe(id(await prepared.render(mail({ deliveryId: 'x:y' }))))
  })

  it('has a valid Message-ID of its own for every address', async () => {
    const addresses = ['a@xn--bcher-kva.example', '-a@example.com', 'a{b}|~`@example.com', 'a.b@example.com']
    const alike = [
      'a-b@example.com',
      'a+b@example.com',
      'a_b@example.com',
      "a'--b@example.com",
      'a=b@example.com',
      'a@b.example.com',
    ]
    const prepared = prepareEmail(email())
    const ids = await Promise.all(
      [...addresses, ...alike].map(async (address) => {
        const mime = await prepared.render(mail({ deliveryId: `${'6'.repeat(24)}:${address}` }))
        return /^Message-ID: <(.*)@mail\.example\.com>\r$/m.exec(mime)?.[1] ?? ''
      }),
    )
    const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
    expect(ids.filter((id) => !new RegExp(`^${atom}(?:\\.${atom})*$`).test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('shows its preview text first in the body, escaped', async () => {
    const mime = await prepareEmail(
      email({ content: { ...email().content, previewText: 'For {{contact.name}}' } }),
    ).render(mail({ contact: { ...mail().contact, name: '<b>' } }))
    expect(mime.replace(/=\r\n/g, '').replaceAll('=3D', '=')).toMatch(
      /<body class="x"><div style="display:none[^>]*>For &lt;b&gt;<\/div><p>/,
    )
  })

  it('has plain text from its template, or from the rendered HTML', async () => {
    const textOf = async (plainText: EmailToPrepare['plainText']) =>
      (await PostalMime.parse(await prepareEmail(email({ plainText })).render(mail()))).text?.trim()
    expect(await textOf({ template: 'Dear {{contact.name}}' })).toBe('Dear Ada')
    expect(await textOf({ of: (html) => htmlWithoutTags(html, 'project') })).toBe('Hello Ada')
  })

  it('has its preview text first if the body is never closed, found in one pass', async () => {
    const document = '<body '.repeat(60_000)
    const mime = await prepareEmail(
      email({ content: { ...email().content, document, previewText: 'Soon' }, plainText: { template: '' } }),
    ).render(mail())
    expect(mime.replace(/=\r\n/g, '')).toMatch(/<div style=3D"display:none[^>]*>Soon<\/div><body <body /)
  })

  it('does not let data or feeds override the contact or the links', async () => {
    const document = '{{contact.name}}|{{unsubscribeLink}}|{{shared}}'
    const prepared = prepareEmail(
      email({
        content: { ...email().content, type: 'text', document },
        data: { contact: { name: 'Mallory' }, unsubscribeLink: 'evil', shared: 'data' },
        feeds: { shared: 'feed', contact: 'feed' },
      }),
    )
    expect((await prepared.render(mail({ links }))).replace(/=\r\n/g, '')).toContain(
      'Ada|https://mail.example.com/preferences?token=3Du|feed',
    )
  })

  it('fails alone if one recipient’s values exceed the budget', async () => {
    const prepared = prepareEmail(
      email({
        content: { ...email().content, document: '{{#each rows}}{{#each ../rows}}x{{/each}}{{/each}}' },
        data: { rows: Array.from({ length: 400 }, (_, n) => n) },
      }),
    )
    await expect(async () => prepared.render(mail())).rejects.toThrow(RenderFailure)
  })
})
