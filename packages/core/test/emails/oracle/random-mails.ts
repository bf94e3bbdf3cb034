import fc from 'fast-check'
import type { EmailToPrepare, MailToRender } from '../../../src/emails/rendering.js'
import { checkTemplate } from '../../../src/emails/template-syntax.js'
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

/** As people write mails: texts with tags between them, and now and then whatever the language allows. */
const source = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: anyText }, { weight: 3, arbitrary: tag }, { weight: 1, arbitrary: template }),
    {
      maxLength: 9,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => checkTemplate('document', text).length === 0)

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
  .filter((text) => checkTemplate('subject', text).length === 0)

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

/** Emails of every kind, each with some recipients: what is kept from one mail must not show in the next. */
export const mailings = fc.record({ email, mails: fc.array(mail, { minLength: 1, maxLength: 4 }) })
