import { setImmediate as othersTurn } from 'node:timers/promises'
import { invalid, type Pause } from '@posthorn/core/ports/runtime'
import { deepestJson, widestJson } from '@posthorn/core/ports/transport'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { HttpRefusal } from './errors.js'

/** Maximum sizes of request bodies, in bytes. */
export type BodyLimits = {
  readonly json: number
  /** For sends: attachments come in base64, and 25 MB of them make 34 MB of JSON. */
  readonly withAttachments: number
}

const megabyte = 1024 * 1024

/** The values of gaps.md. */
export const standardBodyLimits: BodyLimits = { json: megabyte, withAttachments: 40 * megabyte }

/**
 * Largest body of a visitor, and largest that `bodyBudget` does not charge, in bytes; only the limit of connections bounds how many there
 * are. So visitors cannot block a project's sends, and strangers cannot block a provider's events.
 */
export const smallBody = 16 * 1024

const backslash = 0x5c
const quote = 0x22

/**
 * Index of the closing quote of the JSON string that begins at `from`: the first quote after an even number of backslashes. Without one,
 * the length of `bytes`.
 */
const endOfText = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at
  }
  return bytes.length
}

/**
 * Refuses JSON that is nested too deeply, which could exhaust the stack of recursive code, or has too many values, before it is parsed.
 * Skips strings: 40 MB of them take a few milliseconds.
 */
const assertModest = (bytes: Buffer): void => {
  let depth = 0
  let values = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]
    if (byte === quote) i = endOfText(bytes, i + 1)
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > deepestJson) throw invalid(`The body is nested more than ${deepestJson} levels deep.`)
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    else if (byte === 0x2c) {
      values += 1
      if (values > widestJson) throw invalid(`The body holds more than ${widestJson} values.`)
    }
  }
}

const readers = new Map<number, RequestHandler>()

/** Reads the bytes of a body of any type; callers check the type before. */
const readerOf = (limit: number): RequestHandler => {
  const known = readers.get(limit)
  if (known) return known
  const reader = express.raw({ limit, type: () => true })
  readers.set(limit, reader)
  return reader
}

export const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

type ReadingError = { readonly type?: string }

const asRefusal = (error: ReadingError, limit: number): Error => {
  if (error.type === 'entity.too.large' || error.type === 'parameters.too.many')
    return new HttpRefusal('too-large', `The body is larger than ${limit} bytes.`)
  return invalid('The body cannot be read.')
}

const read = (reader: RequestHandler, limit: number, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) =>
    reader(request, response, (error?: unknown) =>
      error ? reject(asRefusal(error as ReadingError, limit)) : resolve(),
    ),
  )

const jsonType = 'application/json'

/** RFC 8259 section 8.1 permits no other encoding, and `assertModest` reads the bytes as UTF-8. */
const isUtf8 = ({ headers }: Request) =>
  (/;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8').toLowerCase() === 'utf-8'

/** Bytes. Each step over a larger body takes tens of milliseconds, so `jsonOf` pauses between steps. */
const largeBody = megabyte

const noJson = () => invalid('The body is not valid JSON.')

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw noJson()
  }
}

const byteOrderMark = /^\ufeff/

/**
 * Parses an object or array; no bytes give an empty object. With a large body, other requests get a turn before each step and at the end.
 * @throws Refusal `invalid`
 */
export const jsonOf = async (bytes: Buffer, pause: Pause): Promise<unknown> => {
  const isLarge = bytes.length > largeBody
  if (isLarge) await pause()
  assertModest(bytes)
  const text = bytes.toString('utf8').replace(byteOrderMark, '')
  if (isLarge) await pause()
  const value = text === '' ? {} : parsedJson(text)
  if (typeof value !== 'object' || value === null) throw noJson()
  if (isLarge) await pause()
  return value
}

/** The declared length of a body that is neither compressed nor chunked; otherwise undefined. */
const plainLength = ({ headers }: Request): number | undefined =>
  headers['transfer-encoding'] === undefined && (headers['content-encoding'] ?? 'identity') === 'identity'
    ? Number(headers['content-length'])
    : undefined

/** Whether the whole body is buffered already, which is usual for a small request when its turn comes. */
export const hasArrived = (request: Request): boolean =>
  request.readableLength > 0 && request.readableLength === plainLength(request)

/** Takes the whole buffered body, even if another listener reads it as it flows. Resumes the request if its end is still to come. */
const readArrived = (request: Request): Buffer => {
  const bytes: Buffer = request.read(request.readableLength)
  if (!request.complete) request.resume()
  return bytes
}

/** The bytes of the body; empty if there is none. @throws HttpRefusal `too-large`, Refusal `invalid` if they cannot be decompressed */
export const readBytes = async (request: Request, response: Response, limit: number): Promise<Buffer> => {
  if (!hasBody(request)) return Buffer.alloc(0)
  if (request.readableLength <= limit && hasArrived(request)) return readArrived(request)
  await read(readerOf(limit), limit, request, response)
  const bytes: Buffer = request.body
  request.body = undefined
  return bytes
}

/**
 * The JSON of the body; undefined if there is none.
 * @throws Refusal `invalid` for another content type or invalid JSON, HttpRefusal `too-large`
 */
export const readBody = async (request: Request, response: Response, limit: number): Promise<unknown> => {
  if (!hasBody(request)) return undefined
  if (request.headers['content-type'] !== jsonType) {
    if (!request.is(jsonType)) throw invalid('The body has to be JSON, with Content-Type: application/json.')
    if (!isUtf8(request)) throw invalid('The body has to be encoded in UTF-8.')
  }
  return jsonOf(await readBytes(request, response, limit), othersTurn)
}

const formReader = express.urlencoded({ extended: false, limit: smallBody })

/**
 * The fields of a posted form; none for another content type.
 * @throws Refusal `invalid`, HttpRefusal `too-large`
 */
export const readForm = async (request: Request, response: Response): Promise<Readonly<Record<string, unknown>>> => {
  await read(formReader, smallBody, request, response)
  return request.body ?? {}
}
