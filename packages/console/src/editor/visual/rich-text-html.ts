import { decoded, escapedText, escapedValue, tokensOf } from './markup.js'

/** A document of ProseMirror as JSON. */
export type RichNode = {
  readonly type: string
  readonly attrs?: Readonly<Record<string, string | number | null>>
  readonly content?: readonly RichNode[]
  readonly text?: string
  readonly marks?: readonly RichMark[]
}
type RichMark = { readonly type: string; readonly attrs?: Readonly<Record<string, string | number | null>> }

const blocks: Readonly<Record<string, { readonly type: string; readonly level?: number }>> = {
  p: { type: 'paragraph' },
  h1: { type: 'heading', level: 1 },
  h2: { type: 'heading', level: 2 },
  h3: { type: 'heading', level: 3 },
  ul: { type: 'bulletList' },
  ol: { type: 'orderedList' },
  li: { type: 'listItem' },
}
const marks: Readonly<Record<string, string>> = { strong: 'bold', b: 'bold', em: 'italic', i: 'italic', u: 'underline' }

/** `color: red` alone; undefined for anything else. */
const styleOf = (style: string, property: string): string | undefined => {
  const [name = '', value = '', ...rest] = style.replace(/;\s*$/, '').split(/:(?![^{]*\}\})/)
  return name.trim() === property && rest.length === 0 && value.trim() !== '' && !value.includes(';')
    ? value.trim()
    : undefined
}

const markOf = (name: string, attributes: Readonly<Record<string, string>>): RichMark | undefined => {
  const given = Object.keys(attributes)
  const simple = marks[name]
  if (simple !== undefined && given.length === 0) return { type: simple }
  const { href, style } = attributes
  if (name === 'a' && href !== undefined && given.length === 1) return { type: 'link', attrs: { href: decoded(href) } }
  const colour = name === 'span' && given.length === 1 && style !== undefined ? styleOf(style, 'color') : undefined
  return colour === undefined ? undefined : { type: 'colour', attrs: { colour: decoded(colour) } }
}

const tag = /(\{\{\{?[^{}]*\}?\}\})/
const controls = /^\{\{\{?\s*(?:[#/^]|else\b)/

/** Text with merge tags as nodes of their own. */
const inlines = (text: string, active: readonly RichMark[]): readonly RichNode[] =>
  text
    .split(tag)
    .map((part, index): RichNode | undefined => {
      const common = active.length > 0 ? { marks: active } : {}
      if (index % 2 === 1) return { type: 'mergeTag', attrs: { source: part }, ...common }
      return part === '' ? undefined : { type: 'text', text: decoded(part), ...common }
    })
    .filter((node) => node !== undefined)

type Open = { readonly name: string; readonly node: RichNode & { readonly content: RichNode[] } }

const isBlock = ({ type }: RichNode) => ['paragraph', 'heading', 'bulletList', 'orderedList'].includes(type)
const paragraph = (content: readonly RichNode[]): RichNode => ({ type: 'paragraph', content })

/** Inline nodes become a paragraph; undefined for a mixture with blocks. */
const inParagraphs = (nodes: readonly RichNode[]): readonly RichNode[] | undefined => {
  const isBlank = ({ type, text = '' }: RichNode) => type === 'text' && text.trim() === ''
  if (nodes.every((node) => isBlock(node) || isBlank(node))) {
    const found = nodes.filter(isBlock)
    return found.length > 0 ? found : [paragraph([])]
  }
  return nodes.some(isBlock) ? undefined : [paragraph(nodes)]
}

const closed = ({ node }: Open): RichNode | undefined => {
  const { type, content } = node
  if (type === 'bulletList' || type === 'orderedList') {
    const items = content.filter((child) => child.type === 'listItem')
    return items.length > 0 && content.every((child) => child.type === 'listItem' || child.text?.trim() === '')
      ? { ...node, content: items }
      : undefined
  }
  if (type !== 'listItem')
    return content.some((child) => isBlock(child) || child.type === 'listItem') ? undefined : node
  // A list in an item may stand behind its text without a paragraph.
  const list = content.findIndex(isBlock)
  const isTextFirst = list > 0 && content[list]?.type !== 'paragraph'
  const inside = isTextFirst
    ? [paragraph(content.slice(0, list)), ...content.slice(list).filter(isBlock)]
    : inParagraphs(content)
  return inside && { ...node, content: inside }
}

/** Undefined if the rich text could not write the same HTML again. */
export const fromTextHtml = (html: string): RichNode | undefined => {
  const root: Open = { name: '', node: { type: 'doc', content: [] } }
  const open: Open[] = [root]
  const active: { readonly name: string; readonly mark: RichMark }[] = []
  for (const token of tokensOf(html.trim())) {
    const inner = open.at(-1) as Open
    if (token.kind === 'comment') return undefined
    if (token.kind === 'text')
      inner.node.content.push(
        ...inlines(
          token.text.replace(/[ \t\r\n]+/g, ' '),
          active.map(({ mark }) => mark),
        ),
      )
    else if (token.kind === 'open') {
      const block = blocks[token.name]
      if (token.name === 'br' && Object.keys(token.attributes).length === 0)
        inner.node.content.push({ type: 'hardBreak' })
      else if (block) {
        const { style, ...others } = token.attributes
        const align = style === undefined ? undefined : styleOf(style, 'text-align')
        if (Object.keys(others).length > 0 || active.length > 0 || (style !== undefined && align === undefined))
          return undefined
        const attrs = { ...(block.level !== undefined && { level: block.level }), ...(align && { align }) }
        open.push({ name: token.name, node: { type: block.type, attrs, content: [] } })
      } else {
        const mark = token.isEmpty ? undefined : markOf(token.name, token.attributes)
        if (!mark || active.some(({ mark: { type } }) => type === mark.type)) return undefined
        active.push({ name: token.name, mark })
      }
    } else if (blocks[token.name]) {
      if (inner.name !== token.name || active.length > 0) return undefined
      const node = closed(inner)
      if (!node) return undefined
      open.pop()
      open.at(-1)?.node.content.push(node)
    } else if (active.pop()?.name !== token.name) return undefined
  }
  if (open.length > 1 || active.length > 0) return undefined
  const { content } = root.node
  const inside = inParagraphs(content)
  const isSplit = content.some(isBlock) && content.some(({ attrs }) => controls.test(String(attrs?.source ?? '')))
  return inside && !isSplit ? { type: 'doc', content: inside } : undefined
}

const openTag: Readonly<Record<string, (mark: RichMark) => readonly [string, string]>> = {
  bold: () => ['<strong>', '</strong>'],
  italic: () => ['<em>', '</em>'],
  underline: () => ['<u>', '</u>'],
  link: ({ attrs }) => [`<a href="${escapedValue(String(attrs?.href ?? ''))}">`, '</a>'],
  colour: ({ attrs }) => [`<span style="color: ${escapedValue(String(attrs?.colour ?? ''))}">`, '</span>'],
}

const sameMark = (a: RichMark | undefined, b: RichMark | undefined) => JSON.stringify(a) === JSON.stringify(b)

const inlineHtml = (nodes: readonly RichNode[]): string => {
  let html = ''
  let open: readonly RichMark[] = []
  const close = (to: number) => {
    for (const mark of open.slice(to).reverse()) html += openTag[mark.type]?.(mark)[1] ?? ''
    open = open.slice(0, to)
  }
  for (const { type, text = '', attrs, marks: given = [] } of nodes) {
    let same = 0
    while (same < open.length && sameMark(open[same], given[same])) same += 1
    close(same)
    for (const mark of given.slice(same)) html += openTag[mark.type]?.(mark)[0] ?? ''
    open = given
    html += type === 'hardBreak' ? '<br />' : type === 'mergeTag' ? String(attrs?.source ?? '') : escapedText(text)
  }
  close(0)
  return html
}

const blockHtml = ({ type, attrs, content = [] }: RichNode): string => {
  const style = typeof attrs?.align === 'string' ? ` style="text-align: ${escapedValue(attrs.align)}"` : ''
  if (type === 'paragraph') return `<p${style}>${inlineHtml(content)}</p>`
  if (type === 'heading') return `<h${String(attrs?.level)}${style}>${inlineHtml(content)}</h${String(attrs?.level)}>`
  const name = type === 'orderedList' ? 'ol' : type === 'bulletList' ? 'ul' : 'li'
  if (type !== 'listItem') return `<${name}>${content.map(blockHtml).join('')}</${name}>`
  // No paragraph, and so no margin, if only lists follow.
  const [first, ...rest] = content
  const isPlain = first?.type === 'paragraph' && !first.attrs?.align && rest.every((one) => one.type.endsWith('List'))
  return `<li>${isPlain ? inlineHtml(first.content ?? []) + rest.map(blockHtml).join('') : content.map(blockHtml).join('')}</li>`
}

/** A single paragraph has no element around it, and so no margin. */
export const toTextHtml = ({ content = [] }: RichNode): string => {
  const [only] = content
  if (content.length === 1 && only?.type === 'paragraph' && !only.attrs?.align) return inlineHtml(only.content ?? [])
  return content.map(blockHtml).join('')
}
