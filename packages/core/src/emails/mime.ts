import { fileNameParameter } from './header-encoding.js'

const hex = '0123456789ABCDEF'
const escaped = Array.from({ length: 256 }, (_, byte) => `=${hex[byte >> 4]}${hex[byte & 15]}`)
const utf8 = new TextEncoder()

/** RFC 2045 section 6.7: a line has at most 76 characters, its soft break included. */
const lineLength = 76

const isPlain = (byte: number) => (byte >= 33 && byte <= 126 && byte !== 61) || byte === 32 || byte === 9

/**
 * Quoted-printable: ASCII, lines of at most 76 characters ended by CRLF, any line break of the text kept as one. A line that is
 * plain and short is copied whole, which most lines of most mails are.
 */
export const quotedPrintable = (text: string): string =>
  (text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n')).map(encodedLine).join('\r\n')

const simple = /^[\x20-\x3c\x3e-\x7e]{0,76}$/

/** Lines encoded lately: most lines of a mail stand in every other mail of its dispatch, too. */
const recent = new Map<string, string>()
const mostRecent = 2000

const encodedLine = (line: string): string => {
  if (simple.test(line) && !line.endsWith(' ')) return line
  const known = recent.get(line)
  if (known !== undefined) return known
  const made = encoded(line)
  if (recent.size >= mostRecent) recent.clear()
  recent.set(line, made)
  return made
}

const encoded = (line: string): string => {
  const bytes = utf8.encode(line)
  let out = ''
  let width = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] as number
    const last = i === bytes.length - 1
    const atEnd = last && (byte === 32 || byte === 9)
    const unit = isPlain(byte) && !atEnd ? String.fromCharCode(byte) : (escaped[byte] as string)
    if (width + unit.length > (last ? lineLength : lineLength - 1)) {
      out += '=\r\n'
      width = 0
    }
    out += unit
    width += unit.length
  }
  return out
}

/** A part of text, its header fields included. */
export const textPart = (subtype: 'plain' | 'html', text: string): string =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(text)}`

/** `=_` cannot occur in quoted-printable text, nor `=` inside base64: no body can be taken for a boundary (RFC 2045, 6.7). */
const boundaryOf = (kind: string, seed: string) => `=_${kind}_${seed.replace(/[^A-Za-z0-9]/g, '').slice(0, 48)}`

const multipart = (subtype: 'alternative' | 'mixed', seed: string, parts: readonly string[]): string => {
  const boundary = boundaryOf(subtype, seed)
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n${body}--${boundary}--`
}

export type MimeAttachment = {
  readonly filename: string
  readonly contentType: string
  /** In base64, in one line. */
  readonly content: string
}

/** An attachment as a part, once for all mails of a dispatch: 76 columns of base64 under its header fields. */
export const attachmentPart = ({ filename, contentType, content }: MimeAttachment): string =>
  [
    `Content-Type: ${contentType};\r\n ${fileNameParameter('name', filename)}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment;\r\n ${fileNameParameter('filename', filename)}`,
    '',
    content.replace(/.{1,76}/g, '$&\r\n').trimEnd(),
  ].join('\r\n')

/** The body of a message with its content headers: one part, alternatives, and attachments behind them. */
export const bodyOf = (seed: string, texts: readonly string[], attachments: readonly string[]): string => {
  const [only = ''] = texts
  const content = texts.length > 1 ? multipart('alternative', seed, texts) : only
  return attachments.length > 0 ? multipart('mixed', seed, [content, ...attachments]) : content
}
