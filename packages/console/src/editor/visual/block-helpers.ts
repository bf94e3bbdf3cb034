import { childrenOf, isNode, type MjmlNode, nodeAt, type Path, type Span, spliced } from './document.js'

export type HelperKind = 'if' | 'unless' | 'each'

/** What the outline shows: an element, or a condition or loop around its siblings, which `mj-raw` elements open and close. */
export type Item = {
  readonly key: string
  /** The element, or the one that opens the wrapper. */
  readonly path: Path
  readonly span: Span
  readonly node: MjmlNode
  readonly wrapper?: { readonly kind: HelperKind; readonly expression: string }
  readonly children: readonly Item[]
}

const opening = /^\s*\{\{#(if|unless|each)\s+([^{}]*?)\s*\}\}\s*$/
const closing = /^\s*\{\{\/(if|unless|each)\s*\}\}\s*$/

export const keyOf = (path: Path): string => `/${path.join('/')}`

const rawText = (node: unknown) => (isNode(node) && node.tagName === 'mj-raw' ? (node.content ?? '') : '')

const openedBy = (node: unknown): Item['wrapper'] => {
  const [, kind, expression = ''] = opening.exec(rawText(node)) ?? []
  return kind === undefined ? undefined : { kind: kind as HelperKind, expression }
}

/** Index of the sibling that closes a wrapper; undefined if none does. */
const endOf = (siblings: readonly MjmlNode[], start: number): number | undefined => {
  const open: HelperKind[] = []
  for (let index = start; index < siblings.length; index += 1) {
    const wrapper = openedBy(siblings[index])
    if (wrapper) open.push(wrapper.kind)
    const [, closed] = closing.exec(rawText(siblings[index])) ?? []
    if (closed === undefined) continue
    if (open.pop() !== closed) return undefined
    if (open.length === 0) return index
  }
  return undefined
}

const itemsIn = (siblings: readonly MjmlNode[], parent: Path, from: number, to: number): readonly Item[] => {
  const items: Item[] = []
  for (let index = from; index < to; index += 1) {
    const node = siblings[index] as MjmlNode
    const path = [...parent, index]
    const wrapper = openedBy(node)
    const end = wrapper && endOf(siblings, index)
    const common = { key: keyOf(path), path, node }
    if (wrapper && end !== undefined && end < to) {
      items.push({
        ...common,
        wrapper,
        span: { parent, start: index, end: end + 1 },
        children: itemsIn(siblings, parent, index + 1, end),
      })
      index = end
    } else {
      const children = childrenOf(node)
      items.push({
        ...common,
        span: { parent, start: index, end: index + 1 },
        children: itemsIn(children, path, 0, children.length),
      })
    }
  }
  return items
}

export const outlineOf = (root: MjmlNode): readonly Item[] => {
  const children = childrenOf(root)
  return itemsIn(children, [], 0, children.length)
}

export const findItem = (items: readonly Item[], key: string): Item | undefined => {
  for (const item of items) {
    const found = item.key === key ? item : findItem(item.children, key)
    if (found) return found
  }
  return undefined
}

/** The items at the level of one, with itself. */
export const siblingsOf = (items: readonly Item[], key: string): readonly Item[] => {
  if (items.some((item) => item.key === key)) return items
  for (const { children } of items) {
    const found = siblingsOf(children, key)
    if (found.length > 0) return found
  }
  return []
}

const raw = (content: string): MjmlNode => ({ tagName: 'mj-raw', content })

export const wrapInHelper = (root: MjmlNode, span: Span, kind: HelperKind, expression: string): MjmlNode =>
  spliced(root, span, [
    raw(`{{#${kind} ${expression}}}`),
    ...childrenOf(nodeAt(root, span.parent)).slice(span.start, span.end),
    raw(`{{/${kind}}}`),
  ])

/** Takes the wrapper away and keeps what is in it. */
export const unwrapHelper = (root: MjmlNode, { span }: Item): MjmlNode =>
  spliced(root, span, childrenOf(nodeAt(root, span.parent)).slice(span.start + 1, span.end - 1))

export const changeHelper = (root: MjmlNode, { span }: Item, kind: HelperKind, expression: string): MjmlNode =>
  wrapInHelper(unwrapHelper(root, { span } as Item), { ...span, end: span.end - 2 }, kind, expression)
