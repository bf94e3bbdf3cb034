import type { SubmittedMail } from '@posthorn/core/ports/transport'
import {
  decodedHeaderText,
  type HeaderField,
  type HeaderMailbox,
  headerFieldValue,
  mailboxesOf,
} from './header-fields.js'
import {
  decodedBody,
  decodedTextOf,
  MalformedMessage,
  type MimeLeaf,
  type MimeLimits,
  parseMimeOutline,
  standardMimeLimits,
} from './mime-parts.js'

/** Without the envelope. */
export type DecodedSubmittedMail = Omit<SubmittedMail, 'from' | 'to'> & { readonly from: HeaderMailbox | undefined }

/** Of `X-Posthorn-Tag`, `X-Posthorn-Template` and `X-Posthorn-Data`; they do not reach recipients. */
const controls = 'x-posthorn-'

/** Added by servers and mail programs on the way; recipients need none of them. */
const dropped = /^x-(?:posthorn-|originating-|received|mailer$|php-|spam|virus|envelope-|sender$|forwarded-)/

const headersOf = (fields: readonly HeaderField[]): Record<string, string> =>
  Object.fromEntries(
    fields.filter(({ key }) => !dropped.test(key)).map(({ name, value }) => [name, decodedHeaderText(value)]),
  )

/** In characters: the time to parse mailboxes grows with the square. */
const longestMailboxes = 4_000

const firstMailbox = (fields: readonly HeaderField[], key: string): HeaderMailbox | undefined => {
  const value = headerFieldValue(fields, key)
  if (value === undefined) return undefined
  if (value.length > longestMailboxes)
    throw new MalformedMessage(`The header ${key} has more than ${longestMailboxes} characters`)
  return mailboxesOf(value)[0]
}

/** @throws MalformedMessage */
const dataOf = (fields: readonly HeaderField[]): Readonly<Record<string, unknown>> | undefined => {
  const value = headerFieldValue(fields, `${controls}data`)
  if (value === undefined) return undefined
  try {
    const data: unknown = JSON.parse(decodedHeaderText(value))
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { ...data }
  } catch {
    // Reported below.
  }
  throw new MalformedMessage('X-Posthorn-Data: expected a JSON object')
}

const isFile = ({ type, disposition }: MimeLeaf): boolean =>
  disposition.value === 'attachment' ||
  disposition.parameters.has('filename') ||
  (type.parameters.has('name') && !type.value.startsWith('text/')) ||
  (type.value !== 'text/plain' && type.value !== 'text/html')

const extensions: Readonly<Record<string, string>> = {
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
  'message/rfc822': 'eml',
}

/** Slashes, which the name of an attachment cannot have, become underscores. */
const fileNameOf = ({ type, disposition }: MimeLeaf, number: number): string => {
  const given = disposition.parameters.get('filename') ?? type.parameters.get('name') ?? ''
  const name = given.replaceAll(/[\\/\p{Cc}]/gu, '_').slice(-255)
  return /[^.]/.test(name) ? name : `attachment-${number}.${extensions[type.value] ?? 'bin'}`
}

const contentIdForm = /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/

const attachmentOf = (leaf: MimeLeaf, index: number): SubmittedMail['attachments'][number] => {
  // Python's `add_related` says `attachment` even for files that the HTML shows.
  const isShown = leaf.disposition.value !== 'attachment' || leaf.within === 'multipart/related'
  const id = (headerFieldValue(leaf.fields, 'content-id') ?? '').replace(/^<|>$/g, '')
  return {
    filename: fileNameOf(leaf, index + 1),
    content: decodedBody(leaf).toString('base64'),
    ...(isShown && contentIdForm.test(id) && { contentId: id }),
  }
}

const joined = (texts: readonly string[], between: string): string | undefined =>
  texts.length === 0 ? undefined : texts.join(between)

/**
 * Joins texts of one type; alternatives other than text and HTML become attachments.
 * @throws MalformedMessage
 */
export const submittedMail = async (
  raw: Buffer,
  limits: MimeLimits = standardMimeLimits,
): Promise<DecodedSubmittedMail> => {
  const { fields, leaves } = await parseMimeOutline(raw, limits)
  const texts = leaves.filter((leaf) => !isFile(leaf))
  if (texts.reduce((sum, { body }) => sum + body.length, 0) > limits.texts)
    throw new MalformedMessage(`The texts of the message have more than ${limits.texts} bytes`)
  const ofType = (type: string) => texts.filter((leaf) => leaf.type.value === type).map(decodedTextOf)
  return {
    from: firstMailbox(fields, 'from'),
    replyTo: firstMailbox(fields, 'reply-to')?.address,
    subject: decodedHeaderText(headerFieldValue(fields, 'subject') ?? ''),
    text: joined(ofType('text/plain'), '\n'),
    html: joined(ofType('text/html'), '\n'),
    attachments: leaves.filter(isFile).map(attachmentOf),
    headers: headersOf(fields),
    tags: fields
      .filter(({ key }) => key === `${controls}tag`)
      .flatMap(({ value }) => decodedHeaderText(value).split(','))
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    templateId: headerFieldValue(fields, `${controls}template`),
    data: dataOf(fields),
  }
}
