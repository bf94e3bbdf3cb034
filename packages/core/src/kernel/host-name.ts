import { followsBidiRule } from './bidi-rule.js'
import { fromPunycode, toPunycode } from './punycode.js'

/** What the URL parser would read as something else than a host, or leave out in silence. */
const foreign = /[\s/\\@:?#%[\]\p{Cc}]/u

/** Characters without a look, which UTS #46 refused before Unicode 16 and leaves out since. */
const invisible = /[\u115f\u1160\u17b4\u17b5\u180e\u2061-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}]/u

/** Longer names leave no room for `<selector>._domainkey.` within the 253 characters of RFC 1035. */
const longest = 200

/** What is longer before it is read has no place in DNS, however it is spelled. */
const longestText = 253

const name = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const parsed = (text: string): string | undefined => {
  try {
    return new URL(`http://${text}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

/** Parsers of before Unicode 16 refuse some capitals and write ẞ as ss. Letter by letter: UTS #46 knows no sigma at the end of a word. */
const lowerCase = (text: string) => text.replace(/\p{Lu}/gu, (letter) => letter.toLowerCase())

export const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

const toAscii = (label: string) => (isAscii(label) ? label : `xn--${toPunycode(label)}`)

const toUnicode = (label: string): string | undefined => {
  if (!label.startsWith('xn--')) return label
  const text = fromPunycode(label.slice(4))
  return text === undefined || isAscii(text) ? undefined : text
}

/** Each label in Unicode; undefined where the text is no host. Some parsers leave a letter with two marks out of its normal form. */
const unicodeLabels = (text: string): readonly string[] | undefined => {
  const labels = parsed(text)
    ?.split('.')
    .map((label) => (text.includes(label) ? toUnicode(label) : toUnicode(label)?.normalize('NFC')))
  return labels?.every((label) => label !== undefined) ? labels : undefined
}

/**
 * The host name in lower-case ASCII, without a final dot (IDN by UTS #46); undefined where the text is not one, or has no dot. What
 * the URL parser says is checked, since parsers differ: some take any `xn--` label for granted. So every Node that is tested answers
 * the same, but for characters that Unicode has taken in since version 15.
 */
export const hostName = (text: string): string | undefined => {
  if (text.length > longestText || foreign.test(text) || invisible.test(text)) return undefined
  const labels = unicodeLabels(lowerCase(text))
  if (!labels) return undefined
  const host = labels.map(toAscii).join('.')
  if (host.length > longest || !name.test(host)) return undefined
  const unicode = labels.join('.')
  return followsBidiRule(labels) && unicodeLabels(unicode)?.join('.') === unicode ? host : undefined
}

const needsReading = (text: string) => !isAscii(text) || /(?:^|\.)xn--/i.test(text)

/** A host as it is kept: as `hostName` reads one with letters outside ASCII, any other as it is written; undefined where it is none. */
export const asciiHost = (text: string): string | undefined => (needsReading(text) ? hostName(text) : text)
