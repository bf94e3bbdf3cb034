import { htmlConstructs } from './html-constructs.js'
import { hasNoncharacters, maskCharacter } from './template-marks.js'
import { type TemplateTag, templateTags } from './template-tags.js'

/** The position of a link's target in a template: its `href` value, without quotes. */
export type LinkPlace = {
  readonly start: number
  readonly end: number
  /** The template tags in the target; blocks are complete. */
  readonly tags: readonly TemplateTag[]
  /** True if the link is in a loop, so that it may occur any number of times in a mail. */
  readonly isLooped: boolean
  /** Start and end of the link's HTML tag. */
  readonly tagStart: number
  readonly tagEnd: number
}

/** The links of a template, and the end of its body. In `masked`, a mask character replaces each character of the template's tags. */
export type LinkPlaces = {
  readonly links: readonly LinkPlace[]
  readonly bodyEnd: number
  readonly masked: string
}

const linkTag = /<(?:a|area|v:[a-z]{1,20})(?=[\s/])/iy
const bodyEndTag = /<\/body(?=[\s/>])/iy
/** A conditional comment, whose content Outlook displays. */
const outlookComment = /<!--\[if\b[^\]>]{0,100}\]>/iy

const matchesAt = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

const isSpace = (character: string | undefined) => character !== undefined && /[\s/]/.test(character)
const isBlank = (character: string | undefined) => character !== undefined && /\s/.test(character)

type Value = { readonly name: string; readonly start: number; readonly end: number; readonly isQuoted: boolean }

/** The attributes with values of the HTML tag whose name ends at `from`. */
const valuesIn = (html: string, from: number, end: number): readonly Value[] => {
  const values: Value[] = []
  let at = from
  while (at < end) {
    while (at < end && isSpace(html[at])) at += 1
    const nameStart = at
    while (at < end && html[at] !== '=' && html[at] !== '>' && !isSpace(html[at])) at += 1
    const name = html.slice(nameStart, at).replaceAll(maskCharacter, '').toLowerCase()
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

/** Whether every block that begins in these tags also ends in them. */
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

/** For each tag, whether it is, or may be, inside a loop. */
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
    out += source.slice(at, start) + maskCharacter.repeat(end - start)
    at = end
  }
  return out + source.slice(at)
}

/**
 * Finds the links of an HTML template in one pass: those of `a`, `area` and Outlook's VML shapes, wherever a mail program may show them.
 * Undefined if the ends of the template's tags cannot be determined.
 */
export const linkPlaces = (source: string): LinkPlaces | undefined => {
  if (hasNoncharacters(source)) return undefined
  const tags = templateTags(source)
  if (!tags) return undefined
  const masked = maskedOf(source, tags)
  const loops = loopsAt(source, tags)
  const links: LinkPlace[] = []
  let bodyEnd = source.length
  /** Index of the first tag that begins at or after the last position; places are visited in order. */
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
    for (const { start, end, hidden } of htmlConstructs(html)) {
      if (hidden) {
        const inner = offset === 0 ? matchesAt(outlookComment, html, start) : undefined
        if (inner !== undefined) lookThrough(html.slice(inner, end), inner)
        continue
      }
      if (offset === 0 && matchesAt(bodyEndTag, html, start) !== undefined) bodyEnd = start
      const nameEnd = matchesAt(linkTag, html, start)
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
