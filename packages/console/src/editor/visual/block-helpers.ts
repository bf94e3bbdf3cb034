import {
  childrenOf,
  inserted,
  isNode,
  type MjmlNode,
  nodesIn,
  type Path,
  type Place,
  replaced,
  type Span,
  spliced,
} from './document.js'

export type HelperKind = 'if' | 'unless' | 'each'

/** Of the outline: an element, or a condition or loop, which `mj-raw` elements open and close. */
export type Item = {
  readonly key: string
  /** The element, or the one that opens the wrapper. */
  readonly path: Path
  readonly span: Span
  readonly node: MjmlNode
  readonly wrapper?: { readonly kind: HelperKind; readonly expression: string }
  /** An `{{else}}` or, with `expression`, an `{{else if}}`; up to the next branch or the wrapper's end. */
  readonly branch?: { readonly expression?: string }
  readonly children: readonly Item[]
}

const opening = /^\s*\{\{#(if|unless|each)\s+([^{}]*?)\s*\}\}\s*$/
const otherwise = /^\s*\{\{(?:\^|else(?:\s+if\s+([^{}]*?))?)\s*\}\}\s*$/
const closing = /^\s*\{\{\/(if|unless|each)\s*\}\}\s*$/

export const keyOf = (path: Path): string => `/${path.join('/')}`

const rawText = (node: unknown) => (isNode(node) && node.tagName === 'mj-raw' ? (node.content ?? '') : '')

const openedBy = (node: unknown): Item['wrapper'] => {
  const [, kind, expression = ''] = opening.exec(rawText(node)) ?? []
  return kind === undefined ? undefined : { kind: kind as HelperKind, expression }
}

const branchOf = (node: unknown): Item['branch'] => {
  const found = otherwise.exec(rawText(node))
  return found ? { ...(found[1] !== undefined && { expression: found[1] }) } : undefined
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
        children: branchesIn(siblings, parent, index + 1, end),
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

/** What a wrapper contains: the items before its first `{{else}}`, then a branch for each. */
const branchesIn = (siblings: readonly MjmlNode[], parent: Path, from: number, to: number): readonly Item[] => {
  const starts: number[] = []
  for (let index = from; index < to; index += 1) {
    if (openedBy(siblings[index])) index = endOf(siblings, index) ?? index
    else if (branchOf(siblings[index])) starts.push(index)
  }
  const branches = starts.map((start, at): Item => {
    const node = siblings[start] as MjmlNode
    const path = [...parent, start]
    const end = starts[at + 1] ?? to
    const children = itemsIn(siblings, parent, start + 1, end)
    return { key: keyOf(path), path, node, branch: branchOf(node) ?? {}, span: { parent, start, end }, children }
  })
  return [...itemsIn(siblings, parent, from, starts[0] ?? to), ...branches]
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

/** All items at the same level, the given one included. */
export const siblingsOf = (items: readonly Item[], key: string): readonly Item[] => {
  if (items.some((item) => item.key === key)) return items
  for (const { children } of items) {
    const found = siblingsOf(children, key)
    if (found.length > 0) return found
  }
  return []
}

const raw = (content: string): MjmlNode => ({ tagName: 'mj-raw', content })
const closed = (kind: HelperKind, expression: string, nodes: readonly MjmlNode[]): readonly MjmlNode[] => [
  raw(`{{#${kind} ${expression}}}`),
  ...nodes,
  raw(`{{/${kind}}}`),
]

export const wrapInHelper = (root: MjmlNode, span: Span, kind: HelperKind, expression: string): MjmlNode =>
  spliced(root, span, closed(kind, expression, nodesIn(root, span)))

const branchesOf = ({ children }: Item) => children.filter(({ branch }) => branch !== undefined)

/** Takes the wrapper away and keeps what is in it, in all its branches. */
export const unwrapHelper = (root: MjmlNode, item: Item): MjmlNode => {
  const { start } = item.span
  const branches = branchesOf(item).map(({ span }) => span.start - start)
  const inside = nodesIn(root, item.span).slice(1, -1)
  return spliced(
    root,
    item.span,
    inside.filter((_, index) => !branches.includes(index + 1)),
  )
}

export const changeHelper = (root: MjmlNode, { span }: Item, kind: HelperKind, expression: string): MjmlNode =>
  spliced(root, span, closed(kind, expression, nodesIn(root, span).slice(1, -1)))

/** At the end of an element or branch; in a wrapper, before its first branch. */
export const placeInside = (item: Item): Place => {
  const { span, wrapper, branch, path, node } = item
  if (wrapper) return { parent: span.parent, index: branchesOf(item)[0]?.span.start ?? span.end - 1 }
  return branch ? { parent: span.parent, index: span.end } : { parent: path, index: childrenOf(node).length }
}

export const hasElse = (item: Item): boolean => branchesOf(item).some(({ branch }) => branch?.expression === undefined)

const elseNode = (expression: string | undefined) =>
  raw(expression === undefined ? '{{else}}' : `{{else if ${expression}}}`)

/** An `{{else if}}` goes before the `{{else}}`. `key`: of the new branch. */
export const addBranch = (root: MjmlNode, item: Item, expression?: string) => {
  const last = branchesOf(item).at(-1)
  const index = hasElse(item) && last ? last.span.start : item.span.end - 1
  const place = { parent: item.span.parent, index }
  return { root: inserted(root, place, [elseNode(expression)]), key: keyOf([...place.parent, index]) }
}

export const changeBranch = (root: MjmlNode, { path }: Item, expression: string): MjmlNode =>
  replaced(root, path, () => elseNode(expression))
