export type TemplateTag = {
  readonly start: number
  readonly end: number
  readonly kind: 'open' | 'else' | 'close' | 'other'
}

/** A `}}` within a string or brackets does not end the tag. */
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

/** `pattern` is sticky or global. */
export const endOfMatch = (pattern: RegExp, source: string, from: number): number | undefined => {
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
  if (first === '^') return endOfMatch(bareCaret, source, at) ? 'else' : 'open'
  return endOfMatch(elseTag, source, at) ? 'else' : 'other'
}

/** As Handlebars; undefined if it does not end, or starts a raw block. */
const tagAt = (source: string, start: number): TemplateTag | undefined => {
  if (source.startsWith('{{{{', start)) return undefined
  const inside = start + (source[start + 2] === '~' ? 3 : 2)
  const other = (end: number | undefined): TemplateTag | undefined =>
    end === undefined ? undefined : { start, end, kind: 'other' }
  if (source.startsWith('!--', inside)) return other(endOfMatch(commentEnd, source, inside + 3))
  if (source[inside] === '!') return other(endOfMatch(braces, source, inside))
  const end = endOf(source, inside)
  if (!end) return undefined
  if (source[inside] === '{') return other(source[end] === '}' ? end + 1 : end)
  return { start, end, kind: kindAt(source, inside) }
}

/** Undefined if a tag does not end or there are raw blocks. A backslash before a tag is part of it. */
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

/** `hidden`: a comment, or an element that is not displayed. */
type HtmlConstruct = { readonly start: number; readonly end: number; readonly hidden: boolean }

/** A `>` in a quoted value does not end the tag. */
const tagEnd = (html: string, from: number): number => {
  for (let at = from; at < html.length; at += 1) {
    const character = html[at]
    if (character === '>') return at + 1
    if (character !== '=') continue
    while (/\s/.test(html[at + 1] ?? '')) at += 1
    const quote = html[at + 1]
    if (quote !== '"' && quote !== "'") continue
    const end = html.indexOf(quote, at + 2)
    if (end === -1) return html.length
    at = end
  }
  return html.length
}

const endTags = new Map<string, RegExp>(
  ['head', 'style', 'script', 'title'].map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]),
)
const tagName = /[a-z][a-z0-9]*/iy

const nameAt = (html: string, at: number): string => {
  tagName.lastIndex = at
  return tagName.exec(html)?.[0].toLowerCase() ?? ''
}

export const findTagsAndHiddenParts = (html: string): readonly HtmlConstruct[] => {
  const found: HtmlConstruct[] = []
  const endless = new Set<string>()

  const hiddenEnd = (name: string, from: number): number | undefined => {
    const pattern = endTags.get(name)
    if (!pattern || endless.has(name)) return undefined
    pattern.lastIndex = from
    const end = pattern.exec(html)
    if (end) return tagEnd(html, end.index + 2)
    endless.add(name)
    return name === 'head' ? undefined : html.length
  }

  const constructAt = (start: number): HtmlConstruct | undefined => {
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start + 4)
      return { start, end: end === -1 ? html.length : end + 3, hidden: true }
    }
    if (!/[a-z/!?]/i.test(html[start + 1] ?? '')) return undefined
    const end = tagEnd(html, start + 1)
    const hidden = hiddenEnd(nameAt(html, start + 1), end)
    return { start, end: hidden ?? end, hidden: hidden !== undefined }
  }

  for (let start = html.indexOf('<'); start !== -1; ) {
    const construct = constructAt(start)
    if (construct) found.push(construct)
    start = html.indexOf('<', construct?.end ?? start + 1)
  }
  return found
}
