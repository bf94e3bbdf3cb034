import { isUrl } from '../kernel/is-url.js'

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
/** A reference of at most so many characters is looked at. */
const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));/g

const characterOf = (code: number): string | undefined =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined

/**
 * What an attribute's text means (HTML, "Character reference"), where it says so by numbers or by the names that every writer of HTML
 * uses; undefined for other names.
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

/** Longer ones are no link that is followed, in characters. */
export const longestTarget = 8_000

/** The link with its host in ASCII: a host in Unicode may look like another (`раура1.example`), its `xn--` name does not. */
export const withAsciiHost = (target: string): string => {
  const [, before = '', host = ''] = /^(https?:\/\/(?:[^/?#\\@]*@)?)([^/?#\\:]*)/i.exec(target) ?? []
  return /^\p{ASCII}*$/u.test(host) || !isUrl(target)
    ? target
    : before + new URL(target).hostname + target.slice(before.length + host.length)
}

/**
 * Where a link leads, as a browser reads it (URL, "basic URL parser"), if that is a place in the web: `http:` or `https:` with a host.
 * Undefined for every other, such as `mailto:`, `tel:`, `javascript:`, an anchor or a path.
 */
export const webTarget = (text: string): string | undefined => {
  if (text.length > longestTarget) return undefined
  const target = text.replace(invisible, '').trim()
  return web.test(target) && isUrl(target) ? target : undefined
}
