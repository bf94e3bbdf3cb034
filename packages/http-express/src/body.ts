import { deepestJson, invalid } from '@posthorn/core'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { HttpRefusal } from './errors.js'

/** Refuses JSON whose brackets go deeper than any honest body's: recursion over it could exhaust the stack. */
const assertShallow = (bytes: Buffer): void => {
  let depth = 0
  let inText = false
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]
    if (inText) {
      if (byte === 0x5c) i += 1
      else if (byte === 0x22) inText = false
    } else if (byte === 0x22) inText = true
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > deepestJson) throw invalid(`The body is nested more than ${deepestJson} levels deep.`)
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
  }
}

const readers = new Map<number, RequestHandler>()

const readerOf = (limit: number): RequestHandler => {
  const known = readers.get(limit)
  if (known) return known
  const reader = express.json({ limit, verify: (_request, _response, bytes) => assertShallow(bytes) })
  readers.set(limit, reader)
  return reader
}

/** Whether the request has a body at all. */
export const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

type ReadingError = { readonly type?: string; readonly message?: string }

const asRefusal = (error: ReadingError, limit: number): Error => {
  if (error.type === 'entity.too.large' || error.type === 'parameters.too.many')
    return new HttpRefusal('too-large', `The body is larger than ${limit} bytes.`)
  if (error.type === 'entity.parse.failed') return invalid('The body is not valid JSON.')
  if (error.type === 'entity.verify.failed') return invalid(error.message ?? 'The body cannot be read.')
  return invalid('The body cannot be read.')
}

const read = (reader: RequestHandler, limit: number, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) =>
    reader(request, response, (error?: unknown) =>
      error ? reject(asRefusal(error as ReadingError, limit)) : resolve(),
    ),
  )

/** RFC 8259 section 8.1 knows no other encoding, and the bytes are looked at as such. */
const isUtf8 = ({ headers }: Request) =>
  (/;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8').toLowerCase() === 'utf-8'

/**
 * The JSON of the body; undefined where there is none.
 * @throws Refusal `invalid` for another content type or what is no JSON, HttpRefusal `too-large`
 */
export const readBody = async (request: Request, response: Response, limit: number): Promise<unknown> => {
  if (!hasBody(request)) return undefined
  if (!request.is('application/json')) throw invalid('The body has to be JSON, with Content-Type: application/json.')
  if (!isUtf8(request)) throw invalid('The body has to be encoded in UTF-8.')
  await read(readerOf(limit), limit, request, response)
  return request.body
}

const largestForm = 10 * 1024
const formReader = express.urlencoded({ extended: false, limit: largestForm })

/**
 * The fields of a posted form; none where the body is something else.
 * @throws Refusal `invalid`, HttpRefusal `too-large`
 */
export const readForm = async (request: Request, response: Response): Promise<Readonly<Record<string, unknown>>> => {
  await read(formReader, largestForm, request, response)
  return request.body ?? {}
}
