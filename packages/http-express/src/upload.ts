import { invalid } from '@posthorn/core/ports/runtime'
import type { UploadedFile } from '@posthorn/core/ports/transport'
import type { Request, RequestHandler, Response } from 'express'
import multer, { MulterError } from 'multer'
import { hasBody } from './body.js'
import { HttpRefusal } from './errors.js'

const limits = {
  files: 1,
  fields: 10,
  parts: 11,
  fieldSize: 10 * 1024,
  fieldNameSize: 100,
  fieldNestingDepth: 0,
  headerPairs: 50,
}

/** Upper bound of a multipart body with a file of `maxBytes`, in bytes. */
export const mostUploadBytes = (maxBytes: number) => maxBytes + 2 * limits.fields * limits.fieldSize

const readers = new Map<string, RequestHandler>()

const readerOf = (part: string, maxBytes: number): RequestHandler => {
  const key = `${maxBytes} ${part}`
  const known = readers.get(key)
  if (known) return known
  const reader = multer({
    storage: multer.memoryStorage(),
    defParamCharset: 'utf8',
    limits: { ...limits, fileSize: maxBytes },
  }).single(part)
  readers.set(key, reader)
  return reader
}

const sentences: Readonly<Record<string, (field: string) => string>> = {
  LIMIT_UNEXPECTED_FILE: (field) => `Unexpected field: ${field}`,
  LIMIT_FIELD_NESTING: (field) => `Unexpected field: ${field}`,
  INVALID_FIELD_NAME: (field) => `Unexpected field: ${field}`,
  LIMIT_FIELD_VALUE: (field) => `${field}: longer than ${limits.fieldSize} bytes`,
  LIMIT_FILE_COUNT: () => 'More than one file',
  LIMIT_FIELD_COUNT: () => 'More fields than the endpoint takes',
  LIMIT_PART_COUNT: () => 'More fields than the endpoint takes',
  LIMIT_FIELD_KEY: () => 'A field has a longer name than any that the endpoint takes',
  MISSING_FIELD_NAME: () => 'A field has no name',
}

const asRefusal = (error: unknown, maxBytes: number): Error => {
  if (!(error instanceof MulterError)) return invalid('The multipart body cannot be read.')
  if (error.code === 'LIMIT_FILE_SIZE')
    return new HttpRefusal('too-large', `The file is larger than ${maxBytes} bytes.`)
  return invalid(sentences[error.code]?.(error.field ?? '') ?? 'The multipart body cannot be read.')
}

/**
 * The fields of a multipart body (RFC 7578), with the file of the named part; none if there is no body. The file is in memory, at most
 * `maxBytes` of it.
 * @throws Refusal `invalid` for another content type, another file, or an unreadable body; HttpRefusal `too-large`
 */
export const readUpload = async (
  request: Request,
  response: Response,
  part: string,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> => {
  if (!hasBody(request)) return {}
  if (!request.is('multipart/form-data')) throw invalid('The body has to be multipart/form-data.')
  await new Promise<void>((resolve, reject) => {
    readerOf(part, maxBytes)(request, response, (error?: unknown) =>
      error ? reject(asRefusal(error, maxBytes)) : resolve(),
    )
  })
  const { file } = request
  const sent: UploadedFile | undefined = file && {
    filename: file.originalname,
    contentType: file.mimetype,
    bytes: file.buffer,
  }
  return { ...request.body, ...(sent && { [part]: sent }) }
}
