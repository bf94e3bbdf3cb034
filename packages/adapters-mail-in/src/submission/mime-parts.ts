import { setImmediate as othersTurn } from 'node:timers/promises'
import {
  decodedCharset,
  type HeaderField,
  headerFieldParameters,
  headerFields,
  headerFieldValue,
  type ParameterisedHeader,
} from './header-fields.js'

export type MimeLimits = {
  /** Bytes of all headers of the message and its parts. */
  readonly headers: number
  readonly parts: number
  readonly depth: number
  /** Bytes of all texts, encoded. */
  readonly texts: number
}

/** Programs' mails have some KB of headers, five parts, three levels and under 100 KB of text. */
export const standardMimeLimits: MimeLimits = { headers: 128 * 1024, parts: 200, depth: 10, texts: 2 * 1024 * 1024 }

/** The message exceeds a limit, or contradicts RFC 2045. The text is for the client. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** A part without parts. `body` is still encoded. */
export type MimeLeaf = {
  readonly fields: readonly HeaderField[]
  readonly type: ParameterisedHeader
  readonly disposition: ParameterisedHeader
  readonly encoding: string
  readonly body: Buffer
  /** Of the multipart that contains it, as `multipart/related`; undefined for the whole message. */
  readonly within: string | undefined
}

export type MimeOutline = { readonly fields: readonly HeaderField[]; readonly leaves: readonly MimeLeaf[] }

const breaks = Buffer.from('\r\n')
const blankLine = Buffer.from('\r\n\r\n')
const dash = 0x2d

/** A part without a header begins with the blank line. */
const headOf = (part: Buffer): readonly [head: Buffer, body: Buffer] => {
  if (part.subarray(0, 2).equals(breaks)) return [part.subarray(0, 0), part.subarray(2)]
  const end = part.indexOf(blankLine)
  return end < 0 ? [part, part.subarray(part.length)] : [part.subarray(0, end), part.subarray(end + 4)]
}

/** Only blanks may follow a delimiter on its line (RFC 2046 section 5.1.1). */
const lineEndAfter = (bytes: Buffer, from: number): number | undefined => {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
  if (at >= bytes.length) return bytes.length
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : undefined
}

const mostLookalikes = 10_000

/** Between the delimiter lines; what precedes the first and follows the last is left out. @throws MalformedMessage */
function* partsOf(body: Buffer, boundary: string): Generator<Buffer, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'utf8')
  const startsWith = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  let begin: number | undefined
  let lookalikes = 0
  let at = startsWith ? -2 : body.indexOf(delimiter)
  for (; at >= -2 && at !== -1; at = body.indexOf(delimiter, Math.max(0, at + 2))) {
    let end = at + delimiter.length
    const isLast = body[end] === dash && body[end + 1] === dash
    if (isLast) end += 2
    const next = lineEndAfter(body, end)
    if (next === undefined) {
      lookalikes += 1
      if (lookalikes > mostLookalikes)
        throw new MalformedMessage(`More than ${mostLookalikes} lines of the message begin like its boundary`)
      continue
    }
    if (begin !== undefined) yield body.subarray(begin, Math.max(begin, at))
    if (isLast) return
    begin = next
    // A delimiter's line end may also begin the next: an empty part.
    at = next - 4
  }
  if (begin !== undefined) yield body.subarray(begin)
}

/**
 * Checks limits before reading on; other work runs between parts. `message/rfc822` is one part.
 * @throws MalformedMessage
 */
export const parseMimeOutline = async (raw: Buffer, limits: MimeLimits = standardMimeLimits): Promise<MimeOutline> => {
  const leaves: MimeLeaf[] = []
  let headerBytes = 0
  let parts = 0

  const walk = async (
    part: Buffer,
    depth: number,
    within: string | undefined,
    typeInside: string,
  ): Promise<readonly HeaderField[]> => {
    const [head, body] = headOf(part)
    headerBytes += head.length
    parts += 1
    if (headerBytes > limits.headers) throw new MalformedMessage(`The headers have more than ${limits.headers} bytes`)
    if (parts > limits.parts) throw new MalformedMessage(`The message has more than ${limits.parts} parts`)
    if (depth > limits.depth) throw new MalformedMessage(`The parts are nested deeper than ${limits.depth} levels`)
    const fields = headerFields(head)
    const type = headerFieldParameters(headerFieldValue(fields, 'content-type') ?? typeInside)
    const boundary = type.value.startsWith('multipart/') ? type.parameters.get('boundary') : undefined
    if (boundary === undefined || boundary === '') {
      leaves.push({
        fields,
        type,
        disposition: headerFieldParameters(headerFieldValue(fields, 'content-disposition') ?? ''),
        encoding: (headerFieldValue(fields, 'content-transfer-encoding') ?? '7bit').toLowerCase(),
        body,
        within,
      })
      return fields
    }
    for (const inner of partsOf(body, boundary)) {
      await othersTurn()
      await walk(inner, depth + 1, type.value, type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain')
    }
    return fields
  }

  return { fields: await walk(raw, 0, undefined, 'text/plain'), leaves }
}

const hexDigit = (byte: number | undefined): number => {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** RFC 2045 section 6.7; invalid escapes stay as they are. */
const fromQuotedPrintable = (body: Buffer): Buffer => {
  const out = Buffer.allocUnsafe(body.length)
  let length = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number
    if (byte !== 0x3d) {
      out[length++] = byte
      continue
    }
    const softBreak = lineEndAfter(body, at + 1)
    if (softBreak !== undefined) {
      at = softBreak - 1
      continue
    }
    const [high, low] = [hexDigit(body[at + 1]), hexDigit(body[at + 2])]
    if (high < 0 || low < 0) out[length++] = byte
    else {
      out[length++] = high * 16 + low
      at += 2
    }
  }
  return out.subarray(0, length)
}

export const decodedBody = ({ encoding, body }: Pick<MimeLeaf, 'encoding' | 'body'>): Buffer => {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  return encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body
}

/** CRLF becomes LF. A string replacement would take seconds for millions of short lines. */
const withoutReturns = (bytes: Buffer): Buffer => {
  const out = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1)
    if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) out[length++] = bytes[at] as number
  return out.subarray(0, length)
}

/** Line ends are LF, as in templates. */
export const decodedTextOf = (leaf: MimeLeaf): string => {
  const charset = leaf.type.parameters.get('charset')?.toLowerCase()
  const bytes = decodedBody(leaf)
  return decodedCharset(charset?.startsWith('utf-16') ? bytes : withoutReturns(bytes), charset)
}
