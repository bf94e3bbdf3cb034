import { followsBidiRule } from './bidi-rule.js'
import { fromPunycode, toPunycode } from './punycode.js'

/** Characters that the URL parser would interpret as another part of a URL, or drop silently. */
const foreign = /[\s/\\@:?#%[\]\p{Cc}]/u

/** Invisible characters, which UTS #46 rejected before Unicode 16 and ignores since. */
const invisible = /[\u115f\u1160\u17b4\u17b5\u180e\u2061-\u206f\u3164\uffa0\u{1d173}-\u{1d17a}]/u

/** Longest host name, in characters: `<selector>._domainkey.` must fit in front of it within the 253 of RFC 1035. */
const longest = 200

/** Longest text that is parsed, in characters: DNS has no longer names in any spelling. */
const longestText = 253

const name = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

const parsed = (text: string): string | undefined => {
  try {
    return new URL(`http://${text}`).hostname.replace(/\.$/, '')
  } catch {
    return undefined
  }
}

/** Parsers before Unicode 16 reject some capitals and map ẞ to ss. Works letter by letter, because UTS #46 has no final sigma. */
const lowerCase = (text: string) => text.replace(/\p{Lu}/gu, (letter) => letter.toLowerCase())

export const isAscii = (text: string) => /^\p{ASCII}*$/u.test(text)

const toAscii = (label: string) => (isAscii(label) ? label : `xn--${toPunycode(label)}`)

const toUnicode = (label: string): string | undefined => {
  if (!label.startsWith('xn--')) return label
  const text = fromPunycode(label.slice(4))
  return text === undefined || isAscii(text) ? undefined : text
}

/** Each label in Unicode; undefined if the text is not a host. Some parsers do not normalise a letter with two marks. */
const unicodeLabels = (text: string): readonly string[] | undefined => {
  const labels = parsed(text)
    ?.split('.')
    .map((label) => (text.includes(label) ? toUnicode(label) : toUnicode(label)?.normalize('NFC')))
  return labels?.every((label) => label !== undefined) ? labels : undefined
}

/**
 * The host name in lower-case ASCII, without a final dot (IDN by UTS #46); undefined if the text is not one, or has no dot. The result of
 * the URL parser is checked, because parsers differ: some accept any `xn--` label. So all tested versions of Node return the same, except
 * for characters added to Unicode after version 15.
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

/** Normalises a host for storage: with `hostName` if it has letters outside ASCII, otherwise unchanged; undefined if it is not a host. */
export const asciiHost = (text: string): string | undefined => (needsReading(text) ? hostName(text) : text)
