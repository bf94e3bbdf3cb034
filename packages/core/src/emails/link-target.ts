import { isUrl } from '../kernel/is-url.js'

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
/** Matches character references up to a maximum length. */
const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));/g

const characterOf = (code: number): string | undefined =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined

/**
 * Decodes the character references of an attribute (HTML, "Character reference"), numeric ones and the most common names; undefined if it
 * contains other names.
 */
export const attributeText = (raw: string): string | undefined => {
  if (!raw.includes('&')) return raw
  let isKnown = true
  const text = raw.replace(reference, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    const character =
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
        : Object.hasOwn(named, name)
          ? named[name]
          : undefined
    if (character === undefined) isKnown = false
    return character ?? ''
  })
  return isKnown ? text : undefined
}

const invisible = /[\t\r\n]/g
const web = /^https?:\/\/[^/?#\\]/i

/** Longer links are not tracked, in characters. */
export const longestTarget = 8_000

/** Converts the link's host to ASCII: a Unicode host may look like another one (`раура1.example`), its `xn--` name does not. */
export const withAsciiHost = (target: string): string => {
  const [, before = '', host = ''] = /^(https?:\/\/(?:[^/?#\\@]*@)?)([^/?#\\:]*)/i.exec(target) ?? []
  return /^\p{ASCII}*$/u.test(host) || !isUrl(target)
    ? target
    : before + new URL(target).hostname + target.slice(before.length + host.length)
}

/**
 * Normalizes a link as a browser reads it (URL, "basic URL parser"). Undefined unless it is `http:` or `https:` with a host: for `mailto:`,
 * `tel:`, `javascript:`, anchors and paths.
 */
export const webTarget = (text: string): string | undefined => {
  if (text.length > longestTarget) return undefined
  const target = text.replace(invisible, '').trim()
  return web.test(target) && isUrl(target) ? target : undefined
}
