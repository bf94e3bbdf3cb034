import { RenderFailure } from './template/budget.js'

const printable = /^[\x20-\x7e]*$/
const words = /^(?! )(?:[\x21-\x7e]| (?! |$))+$/
/** RFC 5322 atoms: a display name of atoms needs no quotes. */
const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/

const utf8 = new TextEncoder()

/** One space for each run of control characters: no value can end its header. */
export const oneLine = (text: string): string =>
  (printable.test(text) ? text : text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')).trim()

export const base64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return btoa(binary)
}

/** RFC 5322 section 2.1.1, in characters. */
const foldAt = 78
/** RFC 2047 section 2, in characters. */
const foldEncodedAt = 76

/** RFC 2047 section 2: 75 characters at most; 45 bytes become 60 of base64 plus 12 of framing. */
const bytesPerWord = 45
/** Fits in the first line of a header with this name. */
const bytesOfFirstWord = (header: string) =>
  Math.max(6, Math.min(bytesPerWord, Math.floor((foldEncodedAt - header.length - 14) / 4) * 3))

const encodedWords = (header: string, text: string): readonly string[] => {
  const words: string[] = []
  let bytes: number[] = []
  let room = bytesOfFirstWord(header)
  for (const character of text) {
    const encoded = utf8.encode(character)
    if (bytes.length + encoded.length > room) {
      words.push(base64(Uint8Array.from(bytes)))
      bytes = []
      room = bytesPerWord
    }
    bytes.push(...encoded)
  }
  return [...words, base64(Uint8Array.from(bytes))].map((word) => `=?UTF-8?B?${word}?=`)
}

/** RFC 5322 section 2.2.3. */
const foldedHeader = (name: string, words: readonly string[]): string => {
  const longest = words.some((word) => word.startsWith('=?')) ? foldEncodedAt : foldAt
  let line = `${name}:`
  const lines: string[] = []
  for (const word of words) {
    if (line.length + 1 + word.length > longest && line.trim() !== '' && lines.length + line.length > name.length + 1) {
      lines.push(line)
      line = ''
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\r\n')
}

/** Looks like an encoded word, or has a word too long to fold. */
const needsEncoding = (text: string) =>
  !printable.test(text) || text.includes('=?') || text.split(' ').some((word) => word.length > 900)

/** In characters; no mail program shows more. */
const longestText = 10_000

const assertShort = (name: string, text: string): void => {
  if (text.length > longestText) throw new RenderFailure(`The ${name} is longer than ${longestText} characters.`)
}

const inOneLine = (name: string, text: string): string | undefined =>
  name.length + 2 + text.length <= foldAt && words.test(text) && !text.includes('=?') ? `${name}: ${text}` : undefined

/** RFC 2047. @throws RenderFailure above 10,000 characters */
export const textHeader = (name: string, text: string): string => {
  const short = inOneLine(name, text)
  if (short !== undefined) return short
  assertShort(name, text)
  const value = oneLine(text)
  return foldedHeader(
    name,
    needsEncoding(value) ? encodedWords(name, value) : value.split(' ').filter((word) => word !== ''),
  )
}

const displayName = (header: string, name: string): readonly string[] => {
  if (needsEncoding(name)) return encodedWords(header, name)
  const text = atoms.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  return text.split(' ').filter((word) => word !== '')
}

/** In angle brackets without a name, too: spam filters count bare addresses. @throws RenderFailure above 10,000 characters of the name */
export const mailboxHeader = (
  header: string,
  { name, email }: { readonly name: string; readonly email: string },
): string => {
  const short = atoms.test(name) ? inOneLine(header, name === '' ? `<${email}>` : `${name} <${email}>`) : undefined
  if (short !== undefined) return short
  assertShort(header, name)
  const value = oneLine(name)
  return foldedHeader(header, [...displayName(header, value), `<${oneLine(email)}>`])
}

/** In characters: a line has 78 with the parameter's name. */
const longestSection = 60

/** RFC 2231 sections 3 and 4. No section splits a character. */
const extendedParameter = (key: string, value: string): string => {
  const sections: string[] = []
  let section = "UTF-8''"
  for (const character of value) {
    const encoded = encodeURIComponent(character).replace(
      /['()*!]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    if (section.length + encoded.length > longestSection) {
      sections.push(section)
      section = ''
    }
    section += encoded
  }
  if (sections.length === 0) return `${key}*=${section}`
  return [...sections, section].map((text, index) => `${key}*${index}*=${text}`).join(';\r\n ')
}

/**
 * `name`, which RFC 2183 has replaced, is the ASCII fallback. `filename` and `filename*` never stand together: parsers such as Python's
 * take the first.
 */
const fileNameParameters = (fileName: string): { readonly name: string; readonly filename: string } => {
  const clean = oneLine(fileName).replace(/["\\/]/g, '_')
  const fallback = clean.replace(/[^\x20-\x7e]|=\?/gu, '_')
  return {
    name: `name="${fallback}"`,
    filename: fallback === clean ? `filename="${clean}"` : extendedParameter('filename', clean),
  }
}

const ascii = new TextDecoder()

/** RFC 2045 section 6.7. */
const lineLength = 76

const cr = 13
const lf = 10
const equals = 61
const dot = 46

const isBlank = (byte: number | undefined) => byte === 32 || byte === 9
const isBreak = (byte: number | undefined) => byte === cr || byte === lf
const unchanged = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 33 && byte <= 126 && byte !== equals) || isBlank(byte)),
)
const digits = utf8.encode('0123456789ABCDEF')

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
    let whole = unchanged[byte] === 1 && !(last && isBlank(byte)) && !(byte === dot && width === 0)
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

const special = /[^\t\x20-\x7e]+/g
const isPrintable = /^[\t\x20-\x7e]*$/

const bytesOf = (text: string): string => {
  let out = ''
  for (const byte of utf8.encode(text)) out += hex[byte]
  return out
}

const written = (line: string): string => {
  const marked = line.includes('=') ? line.replaceAll('=', '=3D') : line
  const text = isPrintable.test(marked) ? marked : marked.replace(special, bytesOf)
  const end = text.length - 1
  return isBlank(text.charCodeAt(end)) ? text.slice(0, end) + hex[text.charCodeAt(end)] : text
}

const wholeBytes = (line: string, end: number): number => {
  if (line.charCodeAt(end - 1) === equals) return end - 1
  return line.charCodeAt(end - 2) === equals ? end - 2 : end
}

const foldedLine = (line: string): string => {
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

const encodedLine = (line: string): string => foldedLine(written(line))

/** Above this length, encoding byte by byte is faster. */
const longText = 256 * 1024

/** RFC 2045, 6.7. No line begins with a dot, which SMTP would have to double (RFC 5321, 4.5.2). Takes linear time. */
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

/** One-byte copy of ASCII text: V8 keeps slices of two-byte strings in two bytes. */
export const compactAsciiText = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? ascii.decode(utf8.encode(text)) : text

export const textPart = (subtype: 'plain' | 'html', encoded: string): string =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${encoded}`

/** `=_` never occurs in quoted-printable text or base64 (RFC 2045, 6.7). */
const boundaryOf = (kind: string, seed: string) => `=_${kind}_${seed.replace(/[^A-Za-z0-9]/g, '').slice(0, 48)}`

/** `+` copies nothing: an attachment may have 34 MB. */
const multipart = (
  subtype: 'alternative' | 'related' | 'mixed',
  seed: string,
  parts: readonly string[],
  parameter = '',
): string => {
  const boundary = boundaryOf(subtype, seed)
  const body = parts.reduce((all, part) => `${all}--${boundary}\r\n${part}\r\n`, '')
  return `Content-Type: multipart/${subtype};${parameter} boundary="${boundary}"\r\n\r\n${body}--${boundary}--`
}

/** RFC 2387 section 3.1 requires the type of the first part. */
const related = (seed: string, content: string, files: readonly string[]): string => {
  const type = /^Content-Type: ([^;\r]+)/.exec(content)?.[1] ?? 'text/html'
  return multipart('related', seed, [content, ...files], ` type="${type}";\r\n`)
}

export type MimeAttachment = {
  readonly filename: string
  readonly contentType: string
  readonly content: string
  /** The HTML shows the file by `cid:` and this (RFC 2392). */
  readonly contentId?: string | undefined
}

/** RFC 2045 section 6.8. */
export const base64Lines = (content: string): string => {
  if (content.length <= lineLength || content.startsWith('\r\n', lineLength)) return content
  const lines: string[] = []
  for (let from = 0; from < content.length; from += lineLength) lines.push(content.slice(from, from + lineLength))
  return lines.join('\r\n')
}

const inlineMark = 'Content-ID: <'

/** A file with a Content-ID is shown where the HTML refers to it. */
export const attachmentPart = ({ filename, contentType, content, contentId }: MimeAttachment): string => {
  const parameters = fileNameParameters(filename)
  const head = [
    ...(contentId === undefined ? [] : [`${inlineMark}${contentId}>`]),
    `Content-Type: ${contentType};\r\n ${parameters.name}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: ${contentId === undefined ? 'attachment' : 'inline'};\r\n ${parameters.filename}`,
  ].join('\r\n')
  return `${head}\r\n\r\n${base64Lines(content)}`
}

/** Files that the HTML shows stand beside it (RFC 2387), others beside all of it. */
export const mimeBody = (seed: string, texts: readonly string[], attachments: readonly string[]): string => {
  const [only = ''] = texts
  const content = texts.length > 1 ? multipart('alternative', seed, texts) : only
  if (attachments.length === 0) return content
  const shown = attachments.filter((part) => part.startsWith(inlineMark))
  const attached = attachments.filter((part) => !part.startsWith(inlineMark))
  const shownContent = shown.length > 0 ? related(seed, content, shown) : content
  return attached.length > 0 ? multipart('mixed', seed, [shownContent, ...attached]) : shownContent
}
