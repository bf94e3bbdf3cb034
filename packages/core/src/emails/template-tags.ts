/** A template tag with its position: a block's start, `else` or end, or any other tag. */
export type TemplateTag = {
  readonly start: number
  readonly end: number
  readonly kind: 'open' | 'else' | 'close' | 'other'
}

/** The end of the tag whose content starts at `from`. A `}}` within a string or brackets does not end it. */
const endOf = (source: string, from: number): number | undefined => {
  for (let at = from; at < source.length; at += 1) {
    const character = source[at]
    if (character === '}' && source[at + 1] === '}') return at + 2
    if (character !== '"' && character !== "'" && character !== '[') continue
    const closing = character === '[' ? ']' : character
    do at = source.indexOf(closing, at + 1)
    while (at !== -1 && source[at - 1] === '\\')
    if (at === -1) return undefined
  }
  return undefined
}

const after = (pattern: RegExp, source: string, from: number): number | undefined => {
  pattern.lastIndex = from
  return pattern.test(source) ? pattern.lastIndex : undefined
}

const braces = /\}\}/g
const commentEnd = /--~?\}\}/g
const elseTag = /\s*else\b/y
const bareCaret = /\^\s*~?\}\}/y

const kindAt = (source: string, at: number): TemplateTag['kind'] => {
  const first = source[at]
  if (first === '#') return 'open'
  if (first === '/') return 'close'
  if (first === '^') return after(bareCaret, source, at) ? 'else' : 'open'
  return after(elseTag, source, at) ? 'else' : 'other'
}

/** The tag that starts at `start`, as Handlebars reads it; undefined if it does not end, or starts a raw block. */
const tagAt = (source: string, start: number): TemplateTag | undefined => {
  if (source.startsWith('{{{{', start)) return undefined
  const inside = start + (source[start + 2] === '~' ? 3 : 2)
  const other = (end: number | undefined): TemplateTag | undefined =>
    end === undefined ? undefined : { start, end, kind: 'other' }
  if (source.startsWith('!--', inside)) return other(after(commentEnd, source, inside + 3))
  if (source[inside] === '!') return other(after(braces, source, inside))
  const end = endOf(source, inside)
  if (!end) return undefined
  if (source[inside] === '{') return other(source[end] === '}' ? end + 1 : end)
  return { start, end, kind: kindAt(source, inside) }
}

/** All tags of a template, in one pass; undefined if a tag does not end or there are raw blocks. A backslash before a tag is part of it. */
export const templateTags = (source: string): readonly TemplateTag[] | undefined => {
  const tags: TemplateTag[] = []
  for (let at = source.indexOf('{{'); at !== -1; ) {
    const escaped = source[at - 1] === '\\'
    const tag: TemplateTag | undefined =
      escaped && source[at - 2] !== '\\' ? { start: at, end: at + 2, kind: 'other' } : tagAt(source, at)
    if (!tag) return undefined
    const start = escaped ? tag.start - (source[at - 2] === '\\' ? 2 : 1) : tag.start
    tags.push({ ...tag, start })
    at = source.indexOf('{{', tag.end)
  }
  return tags
}
