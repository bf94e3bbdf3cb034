import { z } from 'zod'
import { sentence } from '../kernel/parsed.js'
import type { Files } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import type { AttachmentRef } from './dispatch.js'

const megabyte = 1024 * 1024

/** What may come with one send: files, and their bytes in all, decoded. */
export type AttachmentLimits = { readonly attachmentFiles: number; readonly attachmentBytes: number }

/** As gaps.md has them. */
export const standardAttachmentLimits = {
  attachmentFiles: 50,
  attachmentBytes: 25 * megabyte,
} as const satisfies AttachmentLimits

const wrong = sentence(
  'Invalid attachments format. Ensure each attachment has a filename with an extension and content type base64.',
)
const fileName = z
  .string()
  .max(255)
  .regex(/^[^\\/\r\n\0]*[^\\/\r\n\0.]\.[A-Za-z0-9]{1,20}$/, wrong)
const base64 = z.string(wrong).regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, wrong)
const sizeOf = (content: string) =>
  (content.length / 4) * 3 - (content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0)

const Attachment = z
  .strictObject({
    filename: fileName.optional().meta({ description: 'Name with an extension' }),
    fileName: fileName.optional().meta({ description: 'Another spelling of `filename`' }),
    content: base64.meta({ description: 'The bytes in base64' }),
  })
  .refine((file) => (file.filename ?? file.fileName) !== undefined, wrong)
  .transform(({ filename, fileName: other, content }) => ({ filename: filename ?? other ?? '', content }))
  .meta({ id: 'Attachment' })

/** What comes with a send. */
export const Attachments = z
  .array(Attachment, wrong)
  .meta({ description: 'Files of every mail of the send; 50 of 25 MB in all unless the server is set up otherwise' })
export type Attachments = z.output<typeof Attachments>

/** @throws Refusal `invalid` for more files, or more bytes in all, than a send may have */
export const refuseTooMuch = (
  attachments: Attachments,
  { attachmentFiles, attachmentBytes }: AttachmentLimits,
): void => {
  const bytes = attachments.reduce((sum, { content }) => sum + sizeOf(content), 0)
  const wrongs = [
    ...(attachments.length > attachmentFiles ? [`attachments: expected at most ${attachmentFiles} files`] : []),
    ...(bytes > attachmentBytes
      ? [`attachments: expected at most ${Math.floor(attachmentBytes / megabyte)} MB in all`]
      : []),
  ]
  if (wrongs.length > 0) throw invalid(...wrongs)
}

/** By the file name's extension; what a mail program shows rightly without being told is left out. */
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

const folderOf = (dispatchId: string) => `attachments/${dispatchId}`

const ascii = new TextEncoder()

/** Keeps the files, in base64 as they travel, until `dropAttachments`; durable when it resolves. */
export const keepAttachments = async (
  files: Files,
  dispatchId: string,
  attachments: Attachments,
): Promise<readonly AttachmentRef[]> =>
  Promise.all(
    attachments.map(async ({ filename, content }, index) => {
      const file = `${folderOf(dispatchId)}/${index}`
      await files.put(file, ascii.encode(content))
      return { filename, contentType: contentTypeOf(filename), size: sizeOf(content), file }
    }),
  )

/** The files in base64 again. @throws Error when one is gone */
export const loadAttachments = async (files: Files, refs: readonly AttachmentRef[]) =>
  Promise.all(
    refs.map(async ({ file, filename, contentType }) => {
      const bytes = await files.get(file)
      if (!bytes) throw new Error(`The attachment ${filename} is gone`)
      return { filename, contentType, content: new TextDecoder().decode(bytes) }
    }),
  )

export const dropAttachments = async (files: Files, dispatchId: string) => files.remove(folderOf(dispatchId))
