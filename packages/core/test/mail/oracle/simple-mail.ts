import { isUrl } from '../../../src/kernel/is-url.js'
import { trackedTemplate } from '../../../src/mail/link-tracking.js'
import { mailboxHeader, textHeader } from '../../../src/mail/mime.js'
import type { EmailToPrepare, MailToRender } from '../../../src/mail/rendering.js'
import { contentTemplates } from '../../../src/mail/rendering.js'
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

const isTracked = ({ tracking }: EmailToPrepare, mail: MailToRender) => tracking && mail.tracking && tracking

const markedSource = (email: EmailToPrepare, mail: MailToRender, source: string): string => {
  const tracking = email.content.type === 'html' ? isTracked(email, mail) : undefined
  return (tracking && trackedTemplate(source, tracking)?.source) ?? source
}

const digits = (text: string) => Number(Array.from(text, (digit) => digit.charCodeAt(0) - 0xfdd8).join(''))

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** What an attribute says; undefined where that takes the names of a browser. */
const meant = (raw: string): string | undefined => {
  const said = raw.split(/(&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});)/).map((text, i) => {
    if (i % 2 === 0) return text
    const name = text.slice(1, -1)
    if (!name.startsWith('#')) return signs[name]
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined
  })
  return said.includes(undefined) ? undefined : said.join('')
}

/** What stands at the marks of a mail that is rendered, found in it: links here have one value at the most. */
const simpleTracking = (email: EmailToPrepare, mail: MailToRender, html: string): string => {
  const tracking = isTracked(email, mail)
  if (!tracking || !mail.tracking) return html
  const { token, personal } = mail.tracking
  const { base, table } = tracking
  const times = new Map<number, number>()
  const timesOf = (link: number) => {
    times.set(link, (times.get(link) ?? 0) + 1)
    return times.get(link) ?? 0
  }
  const own = [mail.links?.unsubscribeLink, mail.links?.pauseSubscriptionLink, email.data.verifyLink]
  const linkOf = (link: number, raw: string): string => {
    const n = timesOf(link)
    const entry = table.links[link - 1]
    if (!entry) return raw
    const { to, shared = [] } = entry
    const value = meant(raw)?.replaceAll(/[\t\r\n]/g, '')
    if (value === undefined) return raw
    const target = value.trim()
    if (!/^https?:\/\/[^/?#\\]/i.test(target) || target.length > 8_000 || !isUrl(target) || own.includes(target))
      return raw
    const again = n > 1 ? `-${n}` : ''
    const short = `${base}/c/${token}/${link}.${shared.indexOf(target) + 1}${again}`
    if (shared.includes(target)) return short.length > 120 ? raw : short
    const [before = '', after = ''] = to.map((text) => text.replaceAll(/[\t\r\n]/g, ''))
    const given = value.slice(before.length, value.length - after.length)
    const text = /^[\w-]*$/.test(given) ? `0${given}` : `1${Buffer.from(given.toWellFormed()).toString('base64url')}`
    const url = `${base}/c/${personal(`${link}${again}`, text)}`
    return url.length > 120 ? raw : url
  }
  return html
    .replaceAll(
      /\uFDD2([\uFDD8-\uFDE1]+)\uFDD2([^\uFDD3]*)\uFDD3|\uFDD1([\uFDD8-\uFDE1]+)\uFDD1/g,
      (_, link, raw, looped) => (link === undefined ? String(timesOf(digits(looped))) : linkOf(digits(link), raw)),
    )
    .replaceAll('\uFDD0', token)
}

/** What a mail says, by Handlebars alone. @throws what Handlebars does */
export const simpleTexts = (
  email: EmailToPrepare,
  mail: MailToRender,
): { readonly subject: string; readonly text: string; readonly html?: string } => {
  const { content, plainText } = email
  const context = contextOf(email, mail)
  const [subject, document] = contentTemplates(content)
  const body = simpleTracking(
    email,
    mail,
    handlebarsRenders(markedSource(email, mail, document.source), document.format, context),
  )
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
    ...(content.replyTo ? [`Reply-To: <${content.replyTo}>`] : []),
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
