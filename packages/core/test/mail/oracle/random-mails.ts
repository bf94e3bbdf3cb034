import { fakeSecrets } from '@posthorn/testkit'
import fc from 'fast-check'
import { type EmailToPrepare, linkTableOf, type MailToRender } from '../../../src/mail/rendering.js'
import { templateProblems } from '../../../src/mail/template/syntax.js'
import { mailTokenLength, mailTokens } from '../../../src/tokens/tracking-token.js'
import { context, template } from './random-templates.js'

const anyLine = fc.oneof(
  fc.string({ maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '. .',
    'a ',
    '\t',
    ' ',
    '=',
    '=20',
    'From me',
    '\u0000',
    '\ud800',
    'x'.repeat(76),
    'y'.repeat(77),
  ),
  fc.constantFrom(
    `${'z'.repeat(75)}.`,
    `${'z'.repeat(74)}..`,
    `${'z'.repeat(75)}é`,
    `${'ü'.repeat(13)}.`,
    `${'w'.repeat(74)} `,
  ),
)
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', '\n\n')

/** A text of any lines, however they end. */
export const anyText = fc
  .array(fc.tuple(anyLine, lineEnd), { maxLength: 8 })
  .map((lines) => lines.map(([line, end]) => line + end).join(''))

const tag = fc.constantFrom(
  '{{contact.name}}',
  '{{contact.name}}',
  '{{contact.email}}',
  '{{{contact.name}}}',
  '{{contact.city}}',
  '{{contact.none}}',
  '{{contact}}',
  '{{contact.tags}}',
  '{{unsubscribeLink}}',
  '{{pauseSubscriptionLink}}',
  '{{design.colors.primary}}',
  '{{feed.title}}',
  '{{DEFAULT contact.city "there"}}',
  '{{#if contact.city}}in {{contact.city}}\n{{else}}\nnowhere{{/if}}',
  '{{#each contact.tags}}\n* {{this}}\n{{/each}}',
  '{{#each contact.tags}}{{this}}{{@root.design.colors.primary}}, {{/each}}',
  '{{~contact.name~}}',
)

const words = fc.string({ unit: fc.constantFrom(...'abc.-=é/%'.split('')), maxLength: 60 })
const link = fc
  .tuple(
    fc.constantFrom(
      'https://example.com/',
      'http://example.org/a?b=1&amp;c=',
      'mailto:',
      '#',
      'https://exämple.com/?q=',
    ),
    words,
    fc.constantFrom(
      '',
      '',
      '{{contact.city}}',
      '{{feed.title}}',
      '{{{contact.name}}}',
      '{{#if contact.city}}1\n{{/if}}',
    ),
    fc.constantFrom('', '&amp;x=1', '\n'),
  )
  .map(([to, path, tag, rest]) => `<a href="${to}${path}${tag}${rest}">link</a>`)
const links = fc.oneof(
  { weight: 3, arbitrary: link },
  { weight: 1, arbitrary: link.map((one) => `{{#each contact.tags}}${one}{{this}}{{/each}}`) },
  { weight: 1, arbitrary: fc.constantFrom('</body>', '<!--', '-->', '<a href="{{unsubscribeLink}}">') },
)

/** As people write mails: texts with tags between them, and now and then whatever the language allows. */
const source = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyText },
      { weight: 3, arbitrary: tag },
      { weight: 4, arbitrary: links },
      { weight: 1, arbitrary: template },
    ),
    {
      maxLength: 9,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => templateProblems('document', text).length === 0)

const headerText = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom(' ', '  ', '=?', '"', 'a b'),
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''))

const subject = fc
  .array(fc.oneof(headerText, fc.constantFrom('{{contact.name}}', '{{contact.city}}', '{{feed.title}}')), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter((text) => templateProblems('subject', text).length === 0)

const address = fc.constantFrom('ada@example.com', 'o.brien+news@example.org', 'a=b@example.net')
const value = fc.oneof(
  fc.constantFrom('Ada', 'Grace Hopper', '<b>&"\'`=', '.', 'a\r', '\nb', 'Löwe', '語'.repeat(40), ''),
  anyText,
)
const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: 24, maxLength: 24 })
const token = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.'.split('')), minLength: 40, maxLength: 300 })

const email: fc.Arbitrary<EmailToPrepare> = fc
  .record({
    subject,
    document: source,
    plain: source,
    type: fc.constantFrom('html', 'html', 'text'),
    previewText: fc.option(fc.constantFrom('Soon', 'For {{contact.name}}', 'Grüße\n'), { nil: undefined }),
    replyTo: fc.option(address, { nil: undefined }),
    from: headerText,
    list: fc.option(headerText, { nil: undefined }),
    data: context,
    title: value,
    color: fc.option(fc.constantFrom('#ff0000', 'red"', 'rot, größer'), { nil: undefined }),
    kind: fc.constantFrom('campaign', 'triggered', 'transactional'),
    dispatchId: hex,
    emailId: hex,
  })
  .map(({ plain, title, color, dispatchId, emailId, from, list, kind, data, ...content }) => ({
    content: {
      name: 'Random',
      subject: content.subject,
      type: content.type as 'html' | 'text',
      document: content.document,
      ...(content.previewText !== undefined && { previewText: content.previewText }),
      ...(content.replyTo !== undefined && { replyTo: content.replyTo }),
      feeds: [],
    },
    from: { email: 'post@example.com', name: from },
    feeds: { feed: { title } },
    data,
    ...(color !== undefined && { design: { colors: { primary: color } } as unknown as EmailToPrepare['design'] }),
    plainText: { template: plain },
    kind,
    ids: { dispatchId, emailId },
    feedback: { project: 'project-mark', account: 'account-mark' },
    ...(list !== undefined && { list: { id: emailId, name: list } }),
    publicHost: 'mail.example.com',
  }))

const mail: fc.Arbitrary<MailToRender> = fc
  .record({
    to: address,
    name: fc.oneof(headerText, fc.constantFrom('Ada Lovelace', '')),
    city: fc.option(value, { nil: undefined }),
    own: value,
    tags: fc.array(fc.oneof(headerText, fc.constantFrom('vip')), { maxLength: 3 }),
    hex,
    token,
    hasLinks: fc.boolean(),
    at: fc.date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2040-01-01T00:00:00Z'), noInvalidDate: true }),
  })
  .map(({ to, name, city, own, tags, hex: id, token: signed, hasLinks, at }) => ({
    to: { email: to, name },
    contact: { email: to, name: own, tags, customFields: { ...(city !== undefined && { city }) } },
    ...(hasLinks && {
      links: {
        oneClick: `https://mail.example.com/v1/subscriber-lists/${id}/${encodeURIComponent(to)}/unsubscribe?token=${signed}`,
        unsubscribeLink: `https://mail.example.com/preferences?token=${signed}&x=1`,
        pauseSubscriptionLink: `https://mail.example.com/preferences?token=${signed}`,
      },
    }),
    deliveryId: `${id}:${id}`,
    date: at,
  }))

const secrets = fakeSecrets()
const table = 'abcdef012345'

/** Most emails are tracked, as they are; a few of their mails are not. */
const tracked = fc
  .record({ email, opens: fc.boolean(), clicks: fc.boolean(), isTracked: fc.constantFrom(true, true, true, false) })
  .map(({ email: one, opens, clicks, isTracked }): EmailToPrepare => {
    const tracking = { base: 'https://links.example.com', opens, clicks, tokenLength: mailTokenLength.many }
    const made = isTracked ? linkTableOf(one, tracking, () => true) : undefined
    return made ? { ...one, tracking: { ...tracking, table: made, tableId: table } } : one
  })

/** Emails of every kind, each with some recipients: what is kept from one mail must not show in the next. */
export const mailings = fc
  .record({ email: tracked, mails: fc.array(fc.tuple(mail, fc.nat({ max: 9 })), { minLength: 1, maxLength: 4 }) })
  .map(({ email: one, mails }) => {
    const tokens = mailTokens(secrets, { table, dispatchId: one.ids.dispatchId })
    return {
      email: one,
      mails: mails.map(([to, chance]) => (chance === 0 ? to : { ...to, tracking: tokens(to.deliveryId.slice(0, 24)) })),
    }
  })
