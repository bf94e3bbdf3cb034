import { addressParser, decodeWords } from 'postal-mime'

/** Unfolded, by lower-case name, in order. */
export type HeaderField = { readonly name: string; readonly key: string; readonly value: string }

const colon = 0x3a

/** In two steps: decoding windows-1252 at once, Node 20 leaves out € and typographic quotes. @throws RangeError, TypeError */
const decoded = (bytes: Uint8Array, charset: string, fatal = false): string => {
  const decoder = new TextDecoder(charset, { fatal })
  return decoder.decode(bytes, { stream: true }) + decoder.decode()
}

/** UTF-8 (RFC 6532); a header that is no UTF-8 is read as windows-1252. */
const textOf = (bytes: Uint8Array): string => {
  try {
    return decoded(bytes, 'utf-8', true)
  } catch {
    return decoded(bytes, 'windows-1252')
  }
}

/** RFC 5322 section 2.2. Skips lines without a field name. */
export const headerFields = (block: Buffer): readonly HeaderField[] => {
  const fields: HeaderField[] = []
  const lines = textOf(block)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
  for (const line of lines) {
    const at = line.indexOf(String.fromCharCode(colon))
    const name = line.slice(0, Math.max(0, at)).trimEnd()
    if (/^[\x21-\x7e]+$/.test(name)) fields.push({ name, key: name.toLowerCase(), value: line.slice(at + 1).trim() })
  }
  return fields
}

export const headerFieldValue = (fields: readonly HeaderField[], key: string): string | undefined =>
  fields.find((field) => field.key === key)?.value

const windows1252Word = /=\?(?:windows-1252|cp1252|iso-8859-1|latin1)(?:\*[^?]{0,40})?\?([bq])\?([^?]*)\?=/gi

const bytesOfWord = (kind: string, text: string): Buffer =>
  kind.toLowerCase() === 'b'
    ? Buffer.from(text, 'base64')
    : percentDecoded(text.replaceAll('%', '%25').replaceAll('_', ' ').replaceAll('=', '%'))

/** Encoded words (RFC 2047) decoded. */
export const decodedHeaderText = (value: string): string =>
  decodeWords(
    value.replaceAll(windows1252Word, (_, kind: string, text: string) => {
      const utf8 = Buffer.from(decoded(bytesOfWord(kind, text), 'windows-1252'))
      return `=?UTF-8?B?${utf8.toString('base64')}?=`
    }),
  )

export type HeaderMailbox = { readonly name: string; readonly address: string }

/** Includes groups. Parsing takes quadratic time: limit the length first. */
export const mailboxesOf = (value: string): readonly HeaderMailbox[] =>
  addressParser(value, { flatten: true }).flatMap((one) =>
    one.address === undefined ? [] : [{ name: decodeWords(one.name), address: one.address }],
  )

export type ParameterisedHeader = {
  /** Lower-case, without parameters. */
  readonly value: string
  /** By lower-case name, decoded (RFC 2231, RFC 2047). */
  readonly parameters: ReadonlyMap<string, string>
}

const parameter = /;\s*([^\s;=]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** Joins by number; a star marks percent-encoding (RFC 2231 section 4.1). A character may span two sections. */
const joinedSections = (sections: ReadonlyMap<number, readonly [text: string, isEncoded: boolean]>): string => {
  const ordered = [...sections].toSorted(([a], [b]) => a - b).map(([, section]) => section)
  const [[first, isEncoded] = ['', false] as const] = ordered
  const [prefix = '', charset] = (isEncoded && /^([^']*)'[^']*'/.exec(first)) || []
  const bytes = ordered.map(([text, isPercent], n) => {
    const given = n === 0 ? text.slice(prefix.length) : text
    return isPercent ? percentDecoded(given) : Buffer.from(given)
  })
  return decodedCharset(Buffer.concat(bytes), charset)
}

/** RFC 2045 section 5.1 and RFC 2231. */
export const headerFieldParameters = (field: string): ParameterisedHeader => {
  const plain = new Map<string, string>()
  const extended = new Map<string, Map<number, readonly [string, boolean]>>()
  for (const [, name = '', quoted, token] of field.matchAll(parameter)) {
    const text = quoted === undefined ? (token ?? '') : quoted.replaceAll(/\\(.)/g, '$1')
    const [, key = '', number, star] = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(name.toLowerCase()) ?? []
    if (key === '') continue
    if (number === undefined && star === undefined) {
      if (!plain.has(key)) plain.set(key, decodedHeaderText(text))
      continue
    }
    const sections = extended.get(key) ?? new Map<number, readonly [string, boolean]>()
    sections.set(Number(number ?? 0), [text, star !== undefined])
    extended.set(key, sections)
  }
  for (const [key, sections] of extended) plain.set(key, joinedSections(sections))
  return { value: (field.split(';')[0] ?? '').trim().toLowerCase(), parameters: plain }
}

/** An unknown charset is read as UTF-8 if the bytes are, else as windows-1252. */
export const decodedCharset = (bytes: Uint8Array, charset: string | undefined): string => {
  try {
    return charset === undefined || charset === 'us-ascii' ? decoded(bytes, 'utf-8', true) : decoded(bytes, charset)
  } catch {
    return textOf(bytes)
  }
}
