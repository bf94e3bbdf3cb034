import { fileNameParameter } from './header-encoding.js'

const utf8 = new TextEncoder()
const ascii = new TextDecoder()

/** RFC 2045 section 6.7: a line has at most 76 characters, including its soft break. */
const lineLength = 76

const cr = 13
const lf = 10
const equals = 61
const dot = 46

const isBlank = (byte: number | undefined) => byte === 32 || byte === 9
const isBreak = (byte: number | undefined) => byte === cr || byte === lf
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 33 && byte <= 126 && byte !== equals) || isBlank(byte)),
)
const digits = utf8.encode('0123456789ABCDEF')

/** Encodes byte by byte in one pass, using tables. The output has at most three bytes per input byte and per soft break. */
const encodedBytes = (text: string): string => {
  const bytes = utf8.encode(text)
  const out = new Uint8Array(bytes.length * 3 + Math.ceil((bytes.length * 3) / (lineLength - 3)) * 3)
  let length = 0
  let width = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number
    if (isBreak(byte)) {
      if (byte === cr && bytes[i + 1] === lf) i += 1
      out[length++] = cr
      out[length++] = lf
      width = 0
      continue
    }
    const last = i === bytes.length - 1 || isBreak(bytes[i + 1])
    let whole = plain[byte] === 1 && !(last && isBlank(byte)) && !(byte === dot && width === 0)
    if (width + (whole ? 1 : 3) > (last ? lineLength : lineLength - 1)) {
      out[length++] = equals
      out[length++] = cr
      out[length++] = lf
      width = 0
      if (byte === dot) whole = false
    }
    if (whole) out[length++] = byte
    else {
      out[length++] = equals
      out[length++] = digits[byte >> 4] as number
      out[length++] = digits[byte & 15] as number
    }
    width += whole ? 1 : 3
  }
  return ascii.decode(out.subarray(0, length))
}

const hex = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)

/** Runs of characters that are always encoded, except for `=`. */
const special = /[^\t\x20-\x7e]+/g
const isPrintable = /^[\t\x20-\x7e]*$/

const bytesOf = (text: string): string => {
  let out = ''
  for (const byte of utf8.encode(text)) out += hex[byte]
  return out
}

/** Encodes special characters and a trailing blank of a line. */
const written = (line: string): string => {
  const marked = line.includes('=') ? line.replaceAll('=', '=3D') : line
  const text = isPrintable.test(marked) ? marked : marked.replace(special, bytesOf)
  const end = text.length - 1
  return isBlank(text.charCodeAt(end)) ? text.slice(0, end) + hex[text.charCodeAt(end)] : text
}

/** The last position up to `end` that does not split an encoded byte. */
const wholeBytes = (line: string, end: number): number => {
  if (line.charCodeAt(end - 1) === equals) return end - 1
  return line.charCodeAt(end - 2) === equals ? end - 2 : end
}

/** Folds an encoded line at 76 characters; no resulting line begins with a dot. */
const folded = (line: string): string => {
  let out = ''
  for (let from = 0; ; ) {
    const startsWithDot = line.charCodeAt(from) === dot
    const room = startsWithDot ? lineLength - 2 : lineLength
    const isLast = line.length - from <= room
    const end = isLast ? line.length : wholeBytes(line, from + room - 1)
    out += startsWithDot ? hex[dot] + line.slice(from + 1, end) : line.slice(from, end)
    if (isLast) return out
    out += '=\r\n'
    from = end
  }
}

const encodedLine = (line: string): string => folded(written(line))

/** Above this length, the byte encoder is faster than encoding line by line. */
const longText = 256 * 1024

/**
 * Quoted-printable: ASCII, lines of at most 76 characters ended by CRLF; line breaks of the text are kept. Short plain lines, which are the
 * most common, are copied. No line begins with a dot, which SMTP would have to double (RFC 5321, 4.5.2). Takes linear time.
 */
export const quotedPrintable = (text: string): string => {
  if (text.length > longText) return encodedBytes(text)
  if (text.includes('\r'))
    return text
      .split(/\r\n|\r|\n/)
      .map(encodedLine)
      .join('\r\n')
  const end = text.indexOf('\n')
  if (end < 0) return encodedLine(text)
  if (end === text.length - 1) return `${encodedLine(text.slice(0, end))}\r\n`
  return text.split('\n').map(encodedLine).join('\r\n')
}

/**
 * Copies ASCII text into a one-byte string, which halves its memory. V8 keeps a slice of a two-byte string, and everything concatenated
 * with it, in two bytes per character.
 */
export const narrowed = (text: string): string => (/^[\0-\x7f]*$/.test(text) ? ascii.decode(utf8.encode(text)) : text)

/** A text part with its header fields. `encoded` is quoted-printable. */
export const textPart = (subtype: 'plain' | 'html', encoded: string): string =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${encoded}`

/** `=_` cannot occur in quoted-printable text, nor `=` inside base64, so no body contains a boundary (RFC 2045, 6.7). */
const boundaryOf = (kind: string, seed: string) => `=_${kind}_${seed.replace(/[^A-Za-z0-9]/g, '').slice(0, 48)}`

/** Concatenates with `+`, which copies nothing: an attachment may have 34 MB, and each copy would block the thread. */
const multipart = (subtype: 'alternative' | 'mixed', seed: string, parts: readonly string[]): string => {
  const boundary = boundaryOf(subtype, seed)
  const body = parts.reduce((all, part) => `${all}--${boundary}\r\n${part}\r\n`, '')
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--`
}

export type MimeAttachment = {
  readonly filename: string
  readonly contentType: string
  /** Base64, in one line or in lines of 76 characters. */
  readonly content: string
}

/** Base64 in lines of 76 characters, ended by CRLF except for the last one (RFC 2045 section 6.8). */
export const base64Lines = (content: string): string => {
  if (content.length <= lineLength || content.startsWith('\r\n', lineLength)) return content
  const lines: string[] = []
  for (let from = 0; from < content.length; from += lineLength) lines.push(content.slice(from, from + lineLength))
  return lines.join('\r\n')
}

/** Encodes an attachment as a part, once for all mails of a dispatch: header fields and base64 in 76 columns. */
export const attachmentPart = ({ filename, contentType, content }: MimeAttachment): string => {
  const head = [
    `Content-Type: ${contentType};\r\n ${fileNameParameter('name', filename)}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment;\r\n ${fileNameParameter('filename', filename)}`,
  ].join('\r\n')
  return `${head}\r\n\r\n${base64Lines(content)}`
}

/** The body of a message with its content headers: one part or alternatives, followed by attachments. */
export const bodyOf = (seed: string, texts: readonly string[], attachments: readonly string[]): string => {
  const [only = ''] = texts
  const content = texts.length > 1 ? multipart('alternative', seed, texts) : only
  return attachments.length > 0 ? multipart('mixed', seed, [content, ...attachments]) : content
}
