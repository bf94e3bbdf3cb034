import type { DesignVariables } from '../design-systems/design-system.js'
import type { EmailContent } from './email-content.js'
import { mailboxHeader, oneLine, textHeader } from './header-encoding.js'
import { type Addressee, type MergeLinks, mergeContext } from './merge-tags.js'
import { attachmentPart, bodyOf, type MimeAttachment, textPart } from './mime.js'
import type { PlainText } from './ports.js'
import { type CompiledTemplate, checkTemplate, compileTemplate } from './template-language.js'

/** What all mails of a dispatch share. */
export type EmailToPrepare = {
  readonly content: EmailContent
  readonly from: { readonly email: string; readonly name: string }
  readonly feeds: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
  /** The project's design system, where a template speaks of it. */
  readonly design?: DesignVariables | undefined
  readonly attachments: readonly MimeAttachment[]
  readonly plainText: PlainText
  readonly kind: string
  readonly ids: {
    readonly dispatchId: string
    readonly emailId: string
    readonly projectId: string
    readonly accountId: string
  }
  /** The subscriber list that it goes to, for `List-Id`. */
  readonly list?: { readonly id: string; readonly name: string }
  /** The host of the public URL: the right side of `Message-ID` and `List-Id`. */
  readonly publicHost: string
}

/** What one mail has of its own. */
export type MailToRender = {
  readonly to: { readonly email: string; readonly name: string }
  readonly contact: Addressee
  readonly links?: MergeLinks & { readonly oneClick: string }
  readonly deliveryId: string
  readonly date: Date
}

export type PreparedEmail = {
  /** The envelope's sender. */
  readonly from: string
  /**
   * The whole message: ASCII, CRLF line ends.
   * @throws RenderFailure when the templates do not fit this recipient's values or run past their budget
   */
  readonly render: (mail: MailToRender) => string
}

/** RFC 5322 section 3.3. */
const dateHeader = (date: Date) => `Date: ${date.toUTCString().replace('GMT', '+0000')}`

/** The line that mail programs show beside the subject, invisible in the mail itself. */
const hiddenPreview = (previewText: string) =>
  `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all" aria-hidden="true">${previewText}</div>`

const withPreview = (html: string, previewText: string | undefined): string => {
  if (!previewText) return html
  const body = /<body\b[^>]*>/i.exec(html)
  if (!body) return hiddenPreview(previewText) + html
  const end = body.index + body[0].length
  return html.slice(0, end) + hiddenPreview(previewText) + html.slice(end)
}

type Bodies = (context: Readonly<Record<string, unknown>>) => readonly string[]

/** A text for those who do not read HTML: made of the template once where that works, else of every rendered mail. */
const textOf = (
  html: string,
  plainText: PlainText,
): ((context: Readonly<Record<string, unknown>>, rendered: string) => string) => {
  const template = plainText(html)
  if (checkTemplate('text', template).length > 0) return (_, rendered) => plainText(rendered)
  const text = compileTemplate(template, 'text')
  return (context) => text(context)
}

const bodiesOf = ({ type, document, previewText }: EmailContent, plainText: PlainText): Bodies => {
  const source = typeof document === 'string' ? document : ''
  if (type === 'text') {
    const text = compileTemplate(source, 'text')
    return (context) => [textPart('plain', text(context))]
  }
  const html = compileTemplate(withPreview(source, previewText), 'html')
  const text = textOf(source, plainText)
  return (context) => {
    const rendered = html(context)
    return [textPart('plain', text(context, rendered)), textPart('html', rendered)]
  }
}

const idHost = (host: string) => (/^[A-Za-z0-9.-]+$/.test(host) ? host : 'posthorn.invalid')

/**
 * Stage 4 of a sending: everything that the mails of a dispatch have in common is worked out here, once; `render` splices in what
 * is a recipient's own (sending.md, sections 3 and 4). The same delivery always has the same `Message-ID`.
 * @throws RenderFailure with line and column for a template that is not of the language
 */
export const prepareEmail = (email: EmailToPrepare): PreparedEmail => {
  const { content, from, kind, ids, list, attachments, plainText } = email
  const host = idHost(email.publicHost)
  const subject: CompiledTemplate = compileTemplate(content.subject, 'text')
  const bodies = bodiesOf(content, plainText)
  const files = attachments.map(attachmentPart)
  const shared = { ...email.data, ...email.feeds, ...(email.design && { design: email.design }) }

  const before = [
    mailboxHeader('From', from),
    ...(content.replyTo ? [mailboxHeader('Reply-To', { name: '', email: content.replyTo })] : []),
  ].join('\r\n')
  const after = [
    'MIME-Version: 1.0',
    `Feedback-ID: ${kind}_${ids.emailId}:prj_${ids.projectId}:acc_${ids.accountId}:posthorn`,
    ...(list ? [mailboxHeader('List-Id', { name: list.name, email: `${list.id}.${host}` })] : []),
  ].join('\r\n')

  const unsubscribeHeaders = (oneClick: string) =>
    `\r\nList-Unsubscribe: <${oneLine(oneClick)}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click`

  return {
    from: from.email,
    render: ({ to, contact, links, deliveryId, date }) => {
      const context = mergeContext(shared, contact, links)
      const id = deliveryId.replace(/[^A-Za-z0-9]/g, '.')
      return `${before}\r\n${mailboxHeader('To', to)}\r\n${textHeader('Subject', subject(context))}\r\n${dateHeader(date)}\r\nMessage-ID: <${id}@${host}>\r\n${after}\r\nX-Posthorn-Delivery: ${oneLine(deliveryId)}${links ? unsubscribeHeaders(links.oneClick) : ''}\r\n${bodyOf(ids.dispatchId, bodies(context), files)}\r\n`
    },
  }
}
