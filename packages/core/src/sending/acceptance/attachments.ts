import { z } from 'zod'
import { byteBoundedLookup } from '../../kernel/byte-bounded-cache.js'
import { concurrencyLimiter } from '../../kernel/limiter.js'
import { messageWithoutFieldName, standaloneMessageMark } from '../../kernel/parsed.js'
import type { Files, YieldToEventLoop } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import { attachmentPart, type MimeAttachment } from '../../mail/mime.js'
import type { AttachmentRef, Dispatch } from '../ledger/dispatch.js'

const megabyte = 1024 * 1024

/** Per send; bytes are decoded. */
export type AttachmentLimits = { readonly attachmentFiles: number; readonly attachmentBytes: number }

/** gaps.md. */
export const standardAttachmentLimits = {
  attachmentFiles: 50,
  attachmentBytes: 25 * megabyte,
} as const satisfies AttachmentLimits

const wrongFormat =
  'Invalid attachments format. Ensure each attachment has a filename with an extension and content type base64.'
const wrong = messageWithoutFieldName(wrongFormat)
const name = z.string(wrong).max(255)
const fileName = name
  .regex(/^[^\\/\r\n\0]+$/, wrong)
  // Names of dots alone are directories.
  .refine((text) => /[^.]/.test(text), wrong)
const fileNameWithExtension = name.regex(/^[^\\/\r\n\0]*[^\\/\r\n\0.]\.+[^\\/\r\n\0. ]+$/, wrong)

/** CR and LF characters, which are no content. */
const breaksIn = (content: string): number => {
  let count = 0
  for (const sign of ['\n', '\r'])
    for (let at = content.indexOf(sign); at >= 0; at = content.indexOf(sign, at + 1)) count += 1
  return count
}

/** Trailing characters that may contain padding. */
const ending = 100

/** In bytes; undefined if the text is not base64. Linear time, decodes nothing. */
const decodedSize = (content: string): number | undefined => {
  if (/[^A-Za-z0-9+/=\r\n]/.test(content)) return undefined
  const length = content.length - breaksIn(content)
  const signs = content.indexOf('=')
  if (signs >= 0 && signs < content.length - ending) return undefined
  const padding = signs < 0 ? '' : content.slice(signs).replace(/[\r\n]/g, '')
  return length % 4 === 0 && ['', '=', '=='].includes(padding) ? (length / 4) * 3 - padding.length : undefined
}

/** A missing one is reported in the same sentence as a wrong one. */
const base64 = z.custom<string>((content) => typeof content === 'string', wrong)

const attachmentsNamed = (id: string, named: z.ZodString, rule: string) =>
  z
    .array(
      z
        .strictObject(
          {
            filename: named.optional().describe(rule),
            fileName: named.optional().describe('Another spelling of `filename`'),
            content: base64.meta({
              description: 'The bytes in base64; line breaks are left out',
              override: { type: 'string', format: 'byte' },
            }),
            contentId: z
              .string()
              .regex(
                /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/,
                'expected 1 to 200 ASCII characters without blanks and angle brackets',
              )
              .optional()
              .describe('The HTML shows the file where it refers to `cid:` and this; absent: the file is attached'),
          },
          wrong,
        )
        .refine((file) => (file.filename ?? file.fileName) !== undefined, wrong)
        .transform(({ filename, fileName: other, content, contentId }, context) => {
          const size = decodedSize(content)
          if (size === undefined)
            context.addIssue({
              code: 'custom',
              message: wrongFormat,
              ...standaloneMessageMark,
              input: content,
              path: ['content'],
            })
          return { filename: filename ?? other ?? '', content, size: size ?? 0, ...(contentId && { contentId }) }
        })
        .meta({ id, override: { anyOf: [{ required: ['filename'] }, { required: ['fileName'] }] } }),
      wrong,
    )
    .describe('Files attached to every mail; by default at most 50 files and 25 MB together')

/** Of the sends of the specification, whose message asks for an extension. */
export const MailAttachments = attachmentsNamed(
  'Attachment',
  fileNameWithExtension,
  'Name with an extension, which decides the content type',
)
export type MailAttachments = z.output<typeof MailAttachments>

/** Under any name, as mails by SMTP have them. */
export const DirectMailAttachments = attachmentsNamed(
  'DirectAttachment',
  fileName,
  'Name; its extension, if it has one, decides the content type',
)

/** @throws Refusal `invalid` */
export const assertAttachmentLimits = (
  attachments: MailAttachments,
  { attachmentFiles, attachmentBytes }: AttachmentLimits,
): void => {
  const bytes = attachments.reduce((sum, { size }) => sum + size, 0)
  const wrongs = [
    ...(attachments.length > attachmentFiles ? [`attachments: expected at most ${attachmentFiles} files`] : []),
    ...(bytes > attachmentBytes
      ? [`attachments: expected at most ${Math.floor(attachmentBytes / megabyte)} MB in all`]
      : []),
  ]
  if (wrongs.length > 0) throw invalid(...wrongs)
}

const contentTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
}

const contentTypeOf = (filename: string) =>
  contentTypes[filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

export const dispatchFolder = (dispatchId: string) => `attachments/${dispatchId}`

const ascii = new TextEncoder()
const lineLength = 76
const cr = 13
const lf = 10

/** In characters: a few milliseconds of work. */
const slice = 512 * 1024

/** Works on bytes: a string per line would create garbage. */
const linesOf = async (content: string, pause: YieldToEventLoop): Promise<Uint8Array> => {
  const bytes = new Uint8Array(Math.ceil(content.length / lineLength) * (lineLength + 2))
  const taken = new Uint8Array(Math.min(slice, content.length))
  let length = 0
  let column = 0
  for (let from = 0; from < content.length; from += slice) {
    const { written } = ascii.encodeInto(content.slice(from, from + slice), taken)
    for (let at = 0; at < written; at += 1) {
      const byte = taken[at] as number
      if (byte === cr || byte === lf) continue
      if (column === lineLength) {
        bytes[length++] = cr
        bytes[length++] = lf
        column = 0
      }
      bytes[length++] = byte
      column += 1
    }
    await pause()
  }
  return bytes.subarray(0, length)
}

/** Stores MIME-wrapped base64; durable when it resolves. */
export const keepAttachments = async (
  files: Files,
  dispatchId: string,
  attachments: MailAttachments,
  pause: YieldToEventLoop,
): Promise<readonly AttachmentRef[]> => {
  const refs: AttachmentRef[] = []
  for (const [index, { filename, content, size, contentId }] of attachments.entries()) {
    const file = `${dispatchFolder(dispatchId)}/${index}`
    await files.put(file, await linesOf(content, pause))
    refs.push({ filename, contentType: contentTypeOf(filename), size, file, ...(contentId && { contentId }) })
  }
  return refs
}

/** @throws Error if a file no longer exists */
export const loadAttachments = async (
  files: Files,
  refs: readonly AttachmentRef[],
): Promise<readonly MimeAttachment[]> => {
  const loaded: MimeAttachment[] = []
  for (const { file, filename, contentType, contentId } of refs) {
    const bytes = await files.get(file)
    if (!bytes) throw new Error(`The attachment ${filename} no longer exists`)
    loaded.push({ filename, contentType, content: new TextDecoder().decode(bytes), contentId })
  }
  return loaded
}

export const dispatchHasFiles = ({ attachments, feeds }: Pick<Dispatch, 'attachments' | 'feeds'>): boolean =>
  attachments !== undefined || feeds?.kept !== undefined

export const removeStoredAttachments = async (files: Pick<Files, 'remove'>, dispatchId: string) =>
  files.remove(dispatchFolder(dispatchId))

type Deps = { readonly files: Files; readonly settings: Pick<AttachmentLimits, 'attachmentBytes'> }

const none: readonly string[] = []

/** Limits memory: each send is held several times while its parts are encoded. */
const readers = 2

/**
 * Caches two sends of the largest size.
 * @throws Error if a file no longer exists
 */
export const cachedAttachmentParts = ({ files, settings }: Deps) => {
  const reading = concurrencyLimiter({ total: readers })
  const maxBytes = 3 * settings.attachmentBytes
  const parts = byteBoundedLookup<readonly string[]>({
    maxBytes,
    largestEntry: maxBytes / 2,
    sizeOf: (texts) => texts.reduce((sum, { length }) => sum + length, 0),
  })
  return ({ _id, attachments = [] }: Pick<Dispatch, '_id' | 'attachments'>): Promise<readonly string[]> =>
    attachments.length === 0
      ? Promise.resolve(none)
      : parts(_id, () => reading.run('', async () => (await loadAttachments(files, attachments)).map(attachmentPart)))
}
