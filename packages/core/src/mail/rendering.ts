import type { DesignVariables } from '../design-systems/design-system.js'
import type { EmailContent } from './content.js'
import { compileEncodedTemplate } from './encoded-template.js'
import {
  type DispatchTracking,
  type LinkTable,
  type MailTrackingTokens,
  mailTrackers,
  sharedLinkTargets,
  trackedTemplate,
} from './link-tracking.js'
import { type MergeLinks, type MergeTagContact, mergeContext } from './merge-context.js'
import { mailboxHeader, mimeBody, oneLine, quotedPrintable, textHeader, textPart } from './mime.js'
import { RenderFailure } from './template/budget.js'
import type { TemplateOutputFormat } from './template/expressions.js'
import { templateContextWithTracker } from './template/marks.js'
import { type CompiledTemplate, compileTemplate } from './template/program.js'

export type EmailToPrepare = {
  readonly content: EmailContent
  readonly from: { readonly email: string; readonly name: string }
  readonly feeds: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
  readonly design?: DesignVariables | undefined
  /** Called for each mail: attachments are not stored here. */
  readonly attachments?: (() => Promise<readonly string[]>) | undefined
  /** A template if possible, else a conversion of each rendered mail. */
  readonly plainText: { readonly template: string } | { readonly of: (html: string) => Promise<string> }
  readonly kind: string
  readonly ids: { readonly dispatchId: string; readonly emailId: string }
  readonly feedback: { readonly project: string; readonly account: string }
  /** Written by the sender, checked by `MailHeaders`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly list?: { readonly id: string; readonly name: string }
  readonly tracking?: (DispatchTracking & { readonly table: LinkTable; readonly tableId: string }) | undefined
  /** Right side of `Message-ID` and `List-Id`. */
  readonly publicHost: string
}

export type MailToRender = {
  readonly to: { readonly email: string; readonly name: string }
  readonly contact: MergeTagContact
  readonly links?: (MergeLinks & { readonly oneClick: string; readonly byMail?: string | undefined }) | undefined
  readonly deliveryId: string
  readonly date: Date
  readonly tracking?: MailTrackingTokens | undefined
  /** For single-address dispatches that share a compiled email. */
  readonly own?: { readonly dispatchId: string; readonly data: Readonly<Record<string, unknown>> } | undefined
}

export type PreparedEmail = {
  readonly source: EmailToPrepare
  readonly from: string
  /**
   * ASCII, CRLF. A promise if there are attachments or the plain text must be converted.
   * @throws RenderFailure if the templates do not fit the recipient or exceed their budget; whatever `plainText`
   * throws
   */
  readonly render: (mail: MailToRender) => string | Promise<string>
  readonly make: (mail: MailToRender) => MadeMail | Promise<MadeMail>
}

export type MadeMail = {
  readonly mime: string
  /** At most 1,000 characters; undefined if it equals the content's. */
  readonly subject: string | undefined
  /** Every line ends in CRLF and none begins with a dot. */
  readonly isTransparent: boolean
}

const longestSubject = 1_000

/** RFC 5322 section 3.3. Mails of the same second share the header. */
const dateHeaders = (): ((date: Date) => string) => {
  let [second, header] = [Number.NaN, '']
  return (date) => {
    const now = Math.floor(date.getTime() / 1000)
    if (now !== second) [second, header] = [now, `Date: ${date.toUTCString().replace('GMT', '+0000')}`]
    return header
  }
}

const hiddenPreview = (previewText: string) =>
  `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all" aria-hidden="true">${previewText}</div>`

const withPreview = (html: string, previewText: string | undefined): string => {
  if (!previewText) return html
  const body = /<body\b/i.exec(html)
  const end = body ? html.indexOf('>', body.index) + 1 : 0
  return html.slice(0, end) + hiddenPreview(previewText) + html.slice(end)
}

const sourceOf = ({ document }: EmailContent) => (typeof document === 'string' ? document : '')

type NamedTemplate = { readonly field: string; readonly source: string; readonly format: TemplateOutputFormat }

export const contentTemplates = (
  content: EmailContent,
  field = 'document',
): readonly [subject: NamedTemplate, document: NamedTemplate, ...text: NamedTemplate[]] => {
  const { subject, previewText, type, text } = content
  const source = sourceOf(content)
  return [
    { field: 'subject', source: subject, format: 'text' },
    type === 'text'
      ? { field, source, format: 'text' }
      : { field, source: withPreview(source, previewText), format: 'html' },
    ...(text === undefined ? [] : [{ field: 'text', source: text, format: 'text' } as const]),
  ]
}

type Context = Readonly<Record<string, unknown>>

export type RenderedTexts = { readonly text: string; readonly html?: string }

type Text = (context: Context, html: string) => string | Promise<string>

const textOf = (plainText: EmailToPrepare['plainText'], isLiteral: boolean | undefined): Text => {
  if ('of' in plainText) return (_, html) => plainText.of(html)
  const text = compileTemplate(plainText.template, 'text', isLiteral)
  return (context) => text(context)
}

/** @throws RenderFailure */
export const mailTextsRenderer = ({
  content,
  plainText,
}: Pick<EmailToPrepare, 'content' | 'plainText'>): ((context: Context) => RenderedTexts | Promise<RenderedTexts>) => {
  const [, { source, format }] = contentTemplates(content)
  const body = compileTemplate(source, format, content.isLiteral)
  if (format === 'text') return (context) => ({ text: body(context) })
  const textFor = textOf(plainText, content.isLiteral)
  return (context) => {
    const html = body(context)
    const text = textFor(context, html)
    return typeof text === 'string' ? { text, html } : text.then((made) => ({ text: made, html }))
  }
}

type Parts = (context: Context) => readonly string[] | Promise<readonly string[]>

const markedOf = (content: EmailContent, tracking: DispatchTracking) => {
  const [, { source, format }] = contentTemplates(content)
  return format === 'html' ? trackedTemplate(source, tracking, content.blocks, content.isLiteral) : undefined
}

export const linkTableOf = (
  email: Pick<EmailToPrepare, 'content' | 'data' | 'feeds' | 'design'>,
  tracking: DispatchTracking,
  keep: (link: number, valuesLength: number) => boolean,
): LinkTable | undefined => {
  const marked = markedOf(email.content, tracking)
  if (!marked) return undefined
  const { source, table } = marked
  if (table.links.every(({ to }) => to.length === 1)) return table
  const heard = sharedLinkTargets(table, keep)
  const nobody = { email: '', name: '', tags: [], customFields: {} }
  try {
    const context = mergeContext(sharedRenderContext(email), nobody, undefined)
    compileTemplate(source, 'tracked')(templateContextWithTracker(context, heard.tracker))
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error
  }
  return heard.table()
}

/** Plain text first. Shared lines are encoded once. */
const partsOf = (
  email: Pick<EmailToPrepare, 'content' | 'plainText'>,
  { source, format }: Pick<NamedTemplate, 'source' | 'format'>,
  tokenLength = 0,
): Parts => {
  const {
    plainText,
    content: { isLiteral },
  } = email
  if (format === 'text') {
    const body = compileEncodedTemplate(source, format, 0, isLiteral)
    return (context) => [textPart('plain', body(context))]
  }
  if ('of' in plainText) {
    const plainly = mailTextsRenderer(email)
    const tracked = format === 'tracked' ? compileTemplate(source, format, isLiteral) : undefined
    return async (context) => {
      const { text, html = '' } = await plainly(context)
      return [textPart('plain', quotedPrintable(text)), textPart('html', quotedPrintable(tracked?.(context) ?? html))]
    }
  }
  const body = compileEncodedTemplate(source, format, tokenLength, isLiteral)
  const text = compileEncodedTemplate(plainText.template, 'text', 0, isLiteral)
  return (context) => {
    const html = body(context)
    return [textPart('plain', text(context)), textPart('html', html)]
  }
}

export const sharedRenderContext = ({
  data,
  feeds,
  design,
}: Pick<EmailToPrepare, 'data' | 'feeds' | 'design'>): Context => ({
  ...data,
  ...feeds,
  ...(design && { design }),
})

const idHost = (host: string) => (/^[A-Za-z0-9.-]+$/.test(host) ? host : 'posthorn.invalid')

/** A dot-atom (RFC 5322, 3.6.4), different for every delivery: ids may contain addresses. */
const messageIdLeft = (deliveryId: string) =>
  deliveryId.replace(':', '.').replace(/[^A-Za-z0-9.+_-]/g, (sign) => `=${sign.charCodeAt(0).toString(16)}`)

/**
 * Compiles what all mails share. A delivery always has the same `Message-ID`.
 * @throws RenderFailure with line and column for an invalid template
 */
export const prepareEmail = (email: EmailToPrepare): PreparedEmail => {
  const { content, from, kind, ids, list, attachments, headers = {} } = email
  const host = idHost(email.publicHost)
  const subject: CompiledTemplate = compileTemplate(content.subject, 'text', content.isLiteral)
  const plainPartsFor = partsOf(email, contentTemplates(content)[1])
  const marked = email.tracking && markedOf(content, email.tracking)
  const tracked = email.tracking &&
    marked && {
      partsFor: partsOf(email, { source: marked.source, format: 'tracked' }, email.tracking.tokenLength),
      trackerOf: mailTrackers(email.tracking, email.tracking.table),
    }
  const ofAll = sharedRenderContext(email)

  const before = [
    mailboxHeader('From', from),
    ...(content.replyTo ? [mailboxHeader('Reply-To', { name: '', email: content.replyTo })] : []),
  ].join('\r\n')
  const after = [
    'MIME-Version: 1.0',
    `Feedback-ID: ${kind}_${ids.emailId}:prj_${email.feedback.project}:acc_${email.feedback.account}:posthorn`,
    ...(list ? [mailboxHeader('List-Id', { name: list.name, email: `${list.id}.${host}` })] : []),
    ...Object.entries(headers).map(([name, value]) => textHeader(name, value)),
  ].join('\r\n')

  const unsubscribeHeaders = ({ oneClick, byMail }: NonNullable<MailToRender['links']>) =>
    `\r\nList-Unsubscribe: <${oneLine(oneClick)}>${byMail ? `,\r\n <${oneLine(byMail)}>` : ''}\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click`

  const dateHeader = dateHeaders()
  const isRendered = !content.isLiteral && content.subject.includes('{{')

  const ownLinks = (shared: Context, links: MailToRender['links']): readonly string[] =>
    [links?.unsubscribeLink, links?.pauseSubscriptionLink, shared.verifyLink].filter((link) => typeof link === 'string')

  const partsFor = (context: Context, shared: Context, { tracking, links }: MailToRender) =>
    tracked && tracking
      ? tracked.partsFor(templateContextWithTracker(context, tracked.trackerOf(tracking, ownLinks(shared, links))))
      : plainPartsFor(context)

  const bodyFor = (dispatchId: string, parts: ReturnType<Parts>): string | Promise<string> => {
    if (!attachments && !(parts instanceof Promise)) return mimeBody(dispatchId, parts, [])
    return Promise.all([parts, attachments?.() ?? []]).then(([texts, files]) => mimeBody(dispatchId, texts, files))
  }

  const make = (mail: MailToRender): MadeMail | Promise<MadeMail> => {
    const { to, contact, links, deliveryId, date, own } = mail
    const shared = own ? sharedRenderContext({ ...email, data: own.data }) : ofAll
    const context = mergeContext(shared, contact, links)
    const title = subject(context)
    const head = `${before}\r\n${mailboxHeader('To', to)}\r\n${textHeader('Subject', title)}\r\n${dateHeader(date)}\r\nMessage-ID: <${messageIdLeft(deliveryId)}@${host}>\r\n${after}\r\nX-Posthorn-Delivery: ${oneLine(deliveryId)}${links ? unsubscribeHeaders(links) : ''}`
    const made = (body: string): MadeMail => ({
      mime: `${head}\r\n${body}\r\n`,
      subject: isRendered ? title.slice(0, longestSubject) : undefined,
      isTransparent: !attachments,
    })
    const body = bodyFor(own?.dispatchId ?? ids.dispatchId, partsFor(context, shared, mail))
    return typeof body === 'string' ? made(body) : body.then(made)
  }

  return {
    source: email,
    from: from.email,
    make,
    render: (mail) => {
      const made = make(mail)
      return made instanceof Promise ? made.then(({ mime }) => mime) : made.mime
    },
  }
}
