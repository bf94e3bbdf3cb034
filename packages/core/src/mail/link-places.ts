import { isUrl } from '../kernel/is-url.js'
import { endOfMatch, findTagsAndHiddenParts, type TemplateTag, templateTags } from './markup.js'
import { hasNoncharacters, longestTarget, tagMaskCharacter } from './template/marks.js'

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));/g

const characterOf = (code: number): string | undefined =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined

/** Undefined for names other than the most common ones. */
export const decodedAttribute = (raw: string): string | undefined => {
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

/** A Unicode host may look like another one (`раура1.example`); its `xn--` name does not. */
export const withAsciiHost = (target: string): string => {
  const [, before = '', host = ''] = /^(https?:\/\/(?:[^/?#\\@]*@)?)([^/?#\\:]*)/i.exec(target) ?? []
  return /^\p{ASCII}*$/u.test(host) || !isUrl(target)
    ? target
    : before + new URL(target).hostname + target.slice(before.length + host.length)
}

/** Undefined unless `http:` or `https:` with a host. */
export const webLinkTarget = (text: string): string | undefined => {
  if (text.length > longestTarget) return undefined
  const target = text.replace(invisible, '').trim()
  return web.test(target) && isUrl(target) ? target : undefined
}

/** Position of a link's `href` value, without quotes. */
export type LinkPlace = {
  readonly start: number
  readonly end: number
  readonly tags: readonly TemplateTag[]
  readonly isLooped: boolean
  readonly tagStart: number
  readonly tagEnd: number
}

/** A mask character replaces each character of the template's tags. */
type LinkPlaces = {
  readonly links: readonly LinkPlace[]
  readonly bodyEnd: number
  readonly masked: string
}

const linkTag = /<(?:a|area|v:[a-z]{1,20})(?=[\s/])/iy
const bodyEndTag = /<\/body(?=[\s/>])/iy
/** Outlook displays its content. */
const outlookComment = /<!--\[if\b[^\]>]{0,100}\]>/iy

const isSpace = (character: string | undefined) => character !== undefined && /[\s/]/.test(character)
const isBlank = (character: string | undefined) => character !== undefined && /\s/.test(character)

type Value = { readonly name: string; readonly start: number; readonly end: number; readonly isQuoted: boolean }

const valuesIn = (html: string, from: number, end: number): readonly Value[] => {
  const values: Value[] = []
  let at = from
  while (at < end) {
    while (at < end && isSpace(html[at])) at += 1
    const nameStart = at
    while (at < end && html[at] !== '=' && html[at] !== '>' && !isSpace(html[at])) at += 1
    const name = html.slice(nameStart, at).replaceAll(tagMaskCharacter, '').toLowerCase()
    while (at < end && isBlank(html[at])) at += 1
    if (html[at] !== '=') {
      if (at === nameStart) at += 1
      continue
    }
    at += 1
    while (at < end && isBlank(html[at])) at += 1
    const quote = html[at]
    if (quote === '"' || quote === "'") {
      const close = html.indexOf(quote, at + 1)
      if (close === -1 || close >= end) break
      values.push({ name, start: at + 1, end: close, isQuoted: true })
      at = close + 1
    } else {
      const start = at
      while (at < end && html[at] !== '>' && !isBlank(html[at])) at += 1
      values.push({ name, start, end: at, isQuoted: false })
    }
  }
  return values
}

const areWhole = (tags: readonly TemplateTag[]): boolean => {
  let depth = 0
  for (const { kind } of tags) {
    if (kind === 'open') depth += 1
    else if (kind !== 'other' && depth === 0) return false
    if (kind === 'close') depth -= 1
  }
  return depth === 0
}

const each = /\beach\b/

const loopsAt = (source: string, tags: readonly TemplateTag[]): readonly boolean[] => {
  const open: boolean[] = []
  return tags.map(({ start, end, kind }) => {
    const isLoop = kind !== 'other' && each.test(source.slice(start, end))
    if (kind === 'open') open.push(isLoop)
    else if (kind === 'else' && isLoop) open[open.length - 1] = true
    else if (kind === 'close') open.pop()
    return open.includes(true)
  })
}

const maskedOf = (source: string, tags: readonly TemplateTag[]): string => {
  let out = ''
  let at = 0
  for (const { start, end } of tags) {
    out += source.slice(at, start) + tagMaskCharacter.repeat(end - start)
    at = end
  }
  return out + source.slice(at)
}

/**
 * Links of `a`, `area` and Outlook's VML shapes. Undefined if a tag does not end.
 * @param isLiteral the HTML is no template
 */
export const linkPlaces = (source: string, isLiteral = false): LinkPlaces | undefined => {
  if (hasNoncharacters(source)) return undefined
  const tags = isLiteral ? [] : templateTags(source)
  if (!tags) return undefined
  const masked = maskedOf(source, tags)
  const loops = loopsAt(source, tags)
  const links: LinkPlace[] = []
  let bodyEnd = source.length
  let next = 0

  const place = ({ start, end, isQuoted }: Value, tag: Pick<LinkPlace, 'tagStart' | 'tagEnd'>): void => {
    while (next < tags.length && (tags[next]?.start ?? 0) < start) next += 1
    let last = next
    while (last < tags.length && (tags[last]?.end ?? 0) <= end) last += 1
    const inside = tags.slice(next, last)
    if (!areWhole(inside) || (inside.length > 0 && !isQuoted)) return
    links.push({ start, end, tags: inside, isLooped: next > 0 && loops[next - 1] === true, ...tag })
  }

  const lookThrough = (html: string, offset: number): void => {
    for (const { start, end, hidden } of findTagsAndHiddenParts(html)) {
      if (hidden) {
        const inner = offset === 0 ? endOfMatch(outlookComment, html, start) : undefined
        if (inner !== undefined) lookThrough(html.slice(inner, end), inner)
        continue
      }
      if (offset === 0 && endOfMatch(bodyEndTag, html, start) !== undefined) bodyEnd = start
      const nameEnd = endOfMatch(linkTag, html, start)
      if (nameEnd === undefined) continue
      for (const value of valuesIn(html, nameEnd, end))
        if (value.name === 'href')
          place(
            { ...value, start: value.start + offset, end: value.end + offset },
            { tagStart: start + offset, tagEnd: end + offset },
          )
    }
  }
  lookThrough(masked, 0)
  return { links, bodyEnd, masked }
}

type DocumentLink = { readonly href: string; readonly position: string; readonly name: string }

/** Further links are named by their position in the HTML. */
const mostLinks = 2_000
const deepest = 60

type Element = { readonly [key: string]: unknown }

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const nameOf = ({ tagName, type }: Element): string =>
  (textIn(tagName) || textIn(type)).replace(/^mj-/, '').slice(0, 100)

const childrenOf = ({ children }: Element): readonly Element[] =>
  Array.isArray(children) ? children.filter(isElement) : []

const hrefsOf = ({ attributes, content }: Element): readonly string[] => {
  const own = isElement(attributes) ? textIn(attributes.href) : ''
  const html = textIn(content)
  const links = html === '' ? [] : (linkPlaces(html)?.links ?? [])
  return [...(own === '' ? [] : [own]), ...links.map(({ start, end }) => html.slice(start, end))]
}

export const hrefKey = (href: string): string => decodedAttribute(href) ?? href

/** `position` counts components from 1 in each level below the body (`1.2.1`). */
export const visualDocumentLinks = (document: unknown): readonly DocumentLink[] => {
  const found: DocumentLink[] = []
  const look = (element: Element, path: readonly number[], depth: number): void => {
    const position = path.join('.')
    for (const href of hrefsOf(element))
      if (found.length < mostLinks) found.push({ href: hrefKey(href), position, name: nameOf(element) })
    if (depth < deepest)
      for (const [i, child] of childrenOf(element).entries()) look(child, [...path, i + 1], depth + 1)
  }
  if (!isElement(document)) return []
  const body = childrenOf(document).find((child) => nameOf(child) === 'body') ?? document
  for (const [i, child] of childrenOf(body).entries()) look(child, [i + 1], 0)
  return found
}
