import { mailboxHeader, textHeader } from '../../../src/emails/header-encoding.js'
import type { EmailToPrepare, MailToRender } from '../../../src/emails/rendering.js'
import { templatesOf } from '../../../src/emails/rendering.js'
import { handlebarsRenders } from './handlebars-reference.js'

const hex = (byte: number) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** RFC 2045 section 6.7, a byte at a time; a dot that would begin a line is written as what it stands for. */
export const simpleQuotedPrintable = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => {
      const bytes = [...Buffer.from(line, 'utf8')]
      const written = ['']
      bytes.forEach((byte, index) => {
        const isLast = index === bytes.length - 1
        const isBlank = byte === 32 || byte === 9
        const isPlain = (byte >= 33 && byte <= 126 && byte !== 61) || (isBlank && !isLast)
        const width = (written.at(-1) ?? '').length
        const atStart = width === 0
        const unit = isPlain && !(byte === 46 && atStart) ? String.fromCharCode(byte) : hex(byte)
        if (width + unit.length <= (isLast ? 76 : 75)) written[written.length - 1] += unit
        else written.push(byte === 46 ? hex(byte) : unit)
      })
      return written.join('=\r\n')
    })
    .join('\r\n')

const contextOf = ({ data, feeds, design }: EmailToPrepare, { contact, links }: MailToRender) => ({
  ...data,
  ...feeds,
  ...(design && { design }),
  contact: { ...contact.customFields, email: contact.email, name: contact.name, tags: contact.tags },
  ...(links && { unsubscribeLink: links.unsubscribeLink, pauseSubscriptionLink: links.pauseSubscriptionLink }),
})

const word = (text: string) => text.replace(/[^A-Za-z0-9]/g, '')

const partOf = (subtype: string, text: string) => [
  `Content-Type: text/${subtype}; charset=utf-8`,
  'Content-Transfer-Encoding: quoted-printable',
  '',
  simpleQuotedPrintable(text),
]

/** What a mail says, by Handlebars alone. @throws what Handlebars does */
export const simpleTexts = (
  email: EmailToPrepare,
  mail: MailToRender,
): { readonly subject: string; readonly text: string; readonly html?: string } => {
  const { content, plainText } = email
  const context = contextOf(email, mail)
  const [subject, document] = templatesOf(content)
  const body = handlebarsRenders(document.source, document.format, context)
  return {
    subject: handlebarsRenders(subject.source, 'text', context),
    ...(content.type === 'text'
      ? { text: body }
      : { html: body, text: handlebarsRenders('template' in plainText ? plainText.template : '', 'text', context) }),
  }
}

/** The mail, made without any thought of speed: every line anew, for each recipient. */
export const simpleMail = (email: EmailToPrepare, mail: MailToRender): string => {
  const { content, from, kind, ids, feedback, list, publicHost } = email
  const { subject, text, html } = simpleTexts(email, mail)
  const boundary = `=_alternative_${word(ids.dispatchId).slice(0, 48)}`
  const body =
    html === undefined
      ? partOf('plain', text)
      : [
          `Content-Type: multipart/alternative; boundary="${boundary}"`,
          '',
          `--${boundary}`,
          ...partOf('plain', text),
          `--${boundary}`,
          ...partOf('html', html),
          `--${boundary}--`,
        ]
  return [
    mailboxHeader('From', from),
    ...(content.replyTo ? [`Reply-To: ${content.replyTo}`] : []),
    mailboxHeader('To', mail.to),
    textHeader('Subject', subject),
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.deliveryId.replace(/[^A-Za-z0-9]/g, '.')}@${publicHost}>`,
    'MIME-Version: 1.0',
    `Feedback-ID: ${kind}_${ids.emailId}:prj_${feedback.project}:acc_${feedback.account}:posthorn`,
    ...(list ? [mailboxHeader('List-Id', { name: list.name, email: `${list.id}.${publicHost}` })] : []),
    `X-Posthorn-Delivery: ${mail.deliveryId}`,
    ...(mail.links
      ? [`List-Unsubscribe: <${mail.links.oneClick}>`, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click']
      : []),
    ...body,
    '',
  ].join('\r\n')
}
