import { setImmediate as othersTurn } from 'node:timers/promises'
import { invalid, Refusal, type YieldToEventLoop } from '@posthorn/core/ports/runtime'
import { mostJsonLevels, mostJsonValues, type UploadedFile } from '@posthorn/core/ports/transport'
import express, { type Request, type RequestHandler, type Response } from 'express'
import multer, { MulterError, type StorageEngine } from 'multer'
import { HttpRefusal } from './errors.js'

type Value = string | readonly string[]

const filterKey = /^filter\[([^[\]]+)\]$/

const added = (to: Record<string, Value>, key: string, value: string) => {
  const before = to[key]
  to[key] = before === undefined ? value : [before, value].flat()
}

/** A repeated key becomes an array, which schemas refuse. Node passes null without a query. */
export const parseQueryString = (text: string | null | undefined): Readonly<Record<string, unknown>> => {
  const query: Record<string, Value> = Object.create(null)
  const filter: Record<string, Value> = Object.create(null)
  for (const [key, value] of new URLSearchParams(text ?? '')) {
    const field = filterKey.exec(key)?.[1]
    if (field === undefined) added(query, key, value)
    else added(filter, field, value)
  }
  return query.filter !== undefined || Object.keys(filter).length === 0 ? query : { ...query, filter }
}

/** Bytes. */
export type RequestBodyLimits = {
  readonly json: number
  /** 25 MB of attachments make 34 MB of JSON. */
  readonly withAttachments: number
  /** Rows of contacts or subscribers. */
  readonly bulk: number
}

const megabyte = 1024 * 1024

/** From gaps.md. */
export const standardBodyLimits: RequestBodyLimits = {
  json: megabyte,
  withAttachments: 40 * megabyte,
  bulk: 10 * megabyte,
}

/** Bytes. For visitors, and not charged by `bodyBudget`, so strangers cannot block sends or events. */
export const smallBodyLimit = 16 * 1024

const backslash = 0x5c
const quote = 0x22

/** Or the length of `bytes`. */
export const jsonStringEnd = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at
  }
  return bytes.length
}

/** Before parsing: refuses deep nesting, which exhausts the stack, and too many values. */
export const assertJsonWithinLimits = (bytes: Buffer): void => {
  let depth = 0
  let values = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]
    if (byte === quote) i = jsonStringEnd(bytes, i + 1)
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > mostJsonLevels) throw invalid(`The body is nested more than ${mostJsonLevels} levels deep.`)
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    else if (byte === 0x2c) {
      values += 1
      if (values > mostJsonValues) throw invalid(`The body contains more than ${mostJsonValues} values.`)
    }
  }
}

const bodyReaders = new Map<number, RequestHandler>()

/** Callers check the type. */
const bodyReader = (limit: number): RequestHandler => {
  const known = bodyReaders.get(limit)
  if (known) return known
  const reader = express.raw({ limit, type: () => true })
  bodyReaders.set(limit, reader)
  return reader
}

export const hasRequestBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

type ReadingError = { readonly type?: string }

const bodyRefusal = (error: ReadingError, limit: number): Error => {
  if (error.type === 'entity.too.large' || error.type === 'parameters.too.many')
    return new HttpRefusal('too-large', `The body is larger than ${limit} bytes.`)
  return invalid('The body cannot be read.')
}

const read = (reader: RequestHandler, limit: number, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) =>
    reader(request, response, (error?: unknown) =>
      error ? reject(bodyRefusal(error as ReadingError, limit)) : resolve(),
    ),
  )

const jsonType = 'application/json'

/** RFC 8259 section 8.1 permits no other. */
export const isUtf8Request = ({ headers }: Request) =>
  (/;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8').toLowerCase() === 'utf-8'

/** Bytes. Each step over more takes tens of ms, so `parseJsonBody` pauses between steps. */
const largeBody = megabyte

export const noJson = () => invalid('The body is not valid JSON.')
export const noJsonObject = () => invalid('The body must be a JSON object.')

export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw noJson()
  }
}

const byteOrderMark = /^\ufeff/

/** No bytes give an empty object. @throws Refusal `invalid` */
export const parseJsonBody = async (bytes: Buffer, pause: YieldToEventLoop): Promise<unknown> => {
  const isLarge = bytes.length > largeBody
  if (isLarge) await pause()
  assertJsonWithinLimits(bytes)
  const text = bytes.toString('utf8').replace(byteOrderMark, '')
  if (isLarge) await pause()
  const value = text === '' ? {} : parsedJson(text)
  if (typeof value !== 'object' || value === null) throw noJsonObject()
  if (isLarge) await pause()
  return value
}

/** Undefined if compressed or chunked. */
const plainLength = ({ headers }: Request): number | undefined =>
  headers['transfer-encoding'] === undefined && (headers['content-encoding'] ?? 'identity') === 'identity'
    ? Number(headers['content-length'])
    : undefined

export const hasBodyArrived = (request: Request): boolean =>
  request.readableLength > 0 && request.readableLength === plainLength(request)

/** Resumes the request if its end is still to come. */
const readArrived = (request: Request): Buffer => {
  const bytes: Buffer = request.read(request.readableLength)
  if (!request.complete) request.resume()
  return bytes
}

/** @throws HttpRefusal `too-large`, Refusal `invalid` if they cannot be decompressed */
export const readRequestBytes = async (request: Request, response: Response, limit: number): Promise<Buffer> => {
  if (!hasRequestBody(request)) return Buffer.alloc(0)
  if (request.readableLength <= limit && hasBodyArrived(request)) return readArrived(request)
  await read(bodyReader(limit), limit, request, response)
  const bytes: Buffer = request.body
  request.body = undefined
  return bytes
}

/** Undefined without a body. @throws Refusal `invalid` for another type or invalid JSON, HttpRefusal `too-large` */
export const readJsonBody = async (request: Request, response: Response, limit: number): Promise<unknown> => {
  if (!hasRequestBody(request)) return undefined
  if (request.headers['content-type'] !== jsonType) {
    if (!request.is(jsonType)) throw invalid('The body must be JSON, with Content-Type: application/json.')
    if (!isUtf8Request(request)) throw invalid('The body must be encoded in UTF-8.')
  }
  return parseJsonBody(await readRequestBytes(request, response, limit), othersTurn)
}

const formReader = express.urlencoded({ extended: false, limit: smallBodyLimit })

/** Empty for another type. @throws Refusal `invalid`, HttpRefusal `too-large` */
export const readForm = async (request: Request, response: Response): Promise<Readonly<Record<string, unknown>>> => {
  await read(formReader, smallBodyLimit, request, response)
  return request.body ?? {}
}

const limits = {
  files: 1,
  fields: 10,
  parts: 11,
  fieldSize: 10 * 1024,
  fieldNameSize: 100,
  fieldNestingDepth: 0,
  headerPairs: 50,
}

export const mostUploadBodyBytesFor = (maxBytes: number) => maxBytes + 2 * limits.fields * limits.fieldSize

const uploadReaders = new Map<string, RequestHandler>()

const newUploadReader = (part: string, maxBytes: number, storage: StorageEngine): RequestHandler =>
  multer({ storage, defParamCharset: 'utf8', limits: { ...limits, fileSize: maxBytes } }).single(part)

const uploadReader = (part: string, maxBytes: number): RequestHandler => {
  const key = `${maxBytes} ${part}`
  const known = uploadReaders.get(key)
  if (known) return known
  const reader = newUploadReader(part, maxBytes, multer.memoryStorage())
  uploadReaders.set(key, reader)
  return reader
}

type FileReceiver = {
  readonly receive: (fileName: string, bytes: AsyncIterable<Uint8Array>) => Promise<object>
  readonly discard: (received: object) => Promise<void>
}

type Received = { readonly received?: object }

const received = ({ receive, discard }: FileReceiver): StorageEngine => ({
  _handleFile: (_request, { originalname, stream }, done) => {
    receive(originalname, stream).then(
      (result) => done(null, { received: result } as Partial<Express.Multer.File>),
      (error) => done(error),
    )
  },
  _removeFile: (_request, file, done) => {
    const { received: result } = file as Received
    if (result) discard(result).then(() => done(null), done)
    else done(null)
  },
})

const sentences: Readonly<Record<string, (field: string) => string>> = {
  LIMIT_UNEXPECTED_FILE: (field) => `Unexpected field: ${field}`,
  LIMIT_FIELD_NESTING: (field) => `Unexpected field: ${field}`,
  INVALID_FIELD_NAME: (field) => `Unexpected field: ${field}`,
  LIMIT_FIELD_VALUE: (field) => `${field}: longer than ${limits.fieldSize} bytes`,
  LIMIT_FILE_COUNT: () => 'More than one file',
  LIMIT_FIELD_COUNT: () => 'More fields than the endpoint accepts',
  LIMIT_PART_COUNT: () => 'More fields than the endpoint accepts',
  LIMIT_FIELD_KEY: () => 'The name of a field is too long',
  MISSING_FIELD_NAME: () => 'A field has no name',
}

const uploadRefusal = (error: unknown, maxBytes: number): Error => {
  if (error instanceof Refusal) return error
  if (!(error instanceof MulterError)) return invalid('The multipart body cannot be read.')
  if (error.code === 'LIMIT_FILE_SIZE')
    return new HttpRefusal('too-large', `The file is larger than ${maxBytes} bytes.`)
  return invalid(sentences[error.code]?.(error.field ?? '') ?? 'The multipart body cannot be read.')
}

/**
 * RFC 7578. The file is in memory unless there is a receiver.
 * @throws Refusal `invalid` for another type, another file or an unreadable body; HttpRefusal `too-large`
 */
export const readUpload = async (
  request: Request,
  response: Response,
  part: string,
  maxBytes: number,
  receiver?: FileReceiver,
): Promise<Readonly<Record<string, unknown>>> => {
  if (!hasRequestBody(request)) return {}
  if (!request.is('multipart/form-data')) throw invalid('The body must be multipart/form-data.')
  const reader = receiver ? newUploadReader(part, maxBytes, received(receiver)) : uploadReader(part, maxBytes)
  await new Promise<void>((resolve, reject) => {
    reader(request, response, (error?: unknown) => (error ? reject(uploadRefusal(error, maxBytes)) : resolve()))
  })
  const { file } = request
  if (receiver) return { ...request.body, ...(file && { [part]: (file as Received).received }) }
  const sent: UploadedFile | undefined = file && {
    filename: file.originalname,
    contentType: file.mimetype,
    bytes: file.buffer,
  }
  return { ...request.body, ...(sent && { [part]: sent }) }
}
