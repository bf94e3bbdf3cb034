import { RenderFailure } from './template-budget.js'

/** Printable ASCII without line breaks, which a header value may contain unchanged. */
const plain = /^[\x20-\x7e]*$/
/** Printable ASCII without leading, trailing or double spaces. */
const words = /^(?! )(?:[\x21-\x7e]| (?! |$))+$/
/** RFC 5322 atoms: a display name of atoms needs no quotes. */
const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/

const utf8 = new TextEncoder()

/** Replaces runs of line breaks, NUL and other control characters by one space, so that no value can end its header. */
export const oneLine = (text: string): string =>
  (plain.test(text) ? text : text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')).trim()

export const base64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return btoa(binary)
}

/** RFC 2047 section 2: an encoded word has at most 75 characters; 45 bytes of UTF-8 become 60 characters of base64 plus 12 of framing. */
const bytesPerWord = 45

const encodedWords = (text: string): readonly string[] => {
  const words: string[] = []
  let bytes: number[] = []
  for (const character of text) {
    const encoded = utf8.encode(character)
    if (bytes.length + encoded.length > bytesPerWord) {
      words.push(base64(Uint8Array.from(bytes)))
      bytes = []
    }
    bytes.push(...encoded)
  }
  return [...words, base64(Uint8Array.from(bytes))].map((word) => `=?UTF-8?B?${word}?=`)
}

/** RFC 5322 section 2.1.1: recommended length of a line, in characters. */
const foldAt = 78
/** RFC 2047 section 2: maximum length of a line with encoded words, in characters. */
const foldEncodedAt = 76

/** RFC 5322 section 2.2.3: folds at spaces, so that lines stay within their length where the text allows. */
const folded = (name: string, words: readonly string[]): string => {
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

/** Whether the text looks like an encoded word, or cannot be folded within 998 characters. */
const needsEncoding = (text: string) =>
  !plain.test(text) || text.includes('=?') || text.split(' ').some((word) => word.length > 900)

/** Longest header text, in characters; no mail program shows more. */
const longestText = 10_000

const assertShort = (name: string, text: string): void => {
  if (text.length > longestText) throw new RenderFailure(`The ${name} is longer than ${longestText} characters.`)
}

/** Fast path: printable ASCII words with single spaces that fit into one line. */
const inOneLine = (name: string, text: string): string | undefined =>
  name.length + 2 + text.length <= foldAt && words.test(text) && !text.includes('=?') ? `${name}: ${text}` : undefined

/** A free-text header with its name, encoded and folded (RFC 2047). @throws RenderFailure above 10,000 characters */
export const textHeader = (name: string, text: string): string => {
  const short = inOneLine(name, text)
  if (short !== undefined) return short
  assertShort(name, text)
  const value = oneLine(text)
  return folded(name, needsEncoding(value) ? encodedWords(value) : value.split(' ').filter((word) => word !== ''))
}

const displayName = (name: string): readonly string[] => {
  if (needsEncoding(name)) return encodedWords(name)
  const text = atoms.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  return text.split(' ').filter((word) => word !== '')
}

/** A header with one mailbox: an optional display name, and an address validated as `EmailAddress`. @throws like `textHeader` */
export const mailboxHeader = (
  header: string,
  { name, email }: { readonly name: string; readonly email: string },
): string => {
  const short = atoms.test(name) ? inOneLine(header, `${name} <${email}>`) : undefined
  if (short !== undefined) return short
  assertShort(header, name)
  const value = oneLine(name)
  return folded(header, value === '' ? [oneLine(email)] : [...displayName(value), `<${oneLine(email)}>`])
}

/** RFC 2231 section 4: a parameter of any text in percent-encoded UTF-8, with an ASCII fallback. */
export const fileNameParameter = (key: string, value: string): string => {
  const clean = oneLine(value).replace(/["\\/]/g, '_')
  const ascii = clean.replace(/[^\x20-\x7e]/g, '_')
  const extended = encodeURIComponent(clean).replace(
    /['()*!]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return ascii === clean ? `${key}="${ascii}"` : `${key}="${ascii}";\r\n ${key}*=UTF-8''${extended}`
}
