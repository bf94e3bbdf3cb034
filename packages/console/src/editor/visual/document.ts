/** An element of MJML's JSON form. Other properties are kept as they are. */
export type MjmlNode = {
  readonly tagName: string
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  readonly children?: readonly MjmlNode[]
  readonly content?: string
}

/** Indexes from the root down. */
export type Path = readonly number[]

/** Neighbouring siblings: an element, or a condition or loop with what it contains. `end` is not included. */
export type Span = { readonly parent: Path; readonly start: number; readonly end: number }

export type Place = { readonly parent: Path; readonly index: number }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Other values cannot be edited, and stay as they are. */
export const isNode = (value: unknown): value is MjmlNode =>
  isObject(value) &&
  typeof value.tagName === 'string' &&
  (value.content === undefined || typeof value.content === 'string') &&
  (value.children === undefined || Array.isArray(value.children)) &&
  (value.attributes === undefined ||
    (isObject(value.attributes) && Object.values(value.attributes).every((one) => typeof one !== 'object')))

const isTree = (value: unknown): boolean => isNode(value) && (value.children ?? []).every(isTree)

/** Whether the visual editor can open it; anything else is edited as source. */
export const isVisualDocument = (value: unknown): value is MjmlNode =>
  isNode(value) && value.tagName === 'mjml' && isTree(value)

export const childrenOf = (node: unknown): readonly MjmlNode[] => (isNode(node) ? (node.children ?? []) : [])

export const nodeAt = (root: MjmlNode, path: Path): MjmlNode | undefined =>
  path.reduce<MjmlNode | undefined>((node, index) => childrenOf(node)[index], root)

/** The same document with another element at the path; all other elements stay the same objects. */
export const replaced = (root: MjmlNode, path: Path, change: (node: MjmlNode) => MjmlNode): MjmlNode => {
  const [index, ...rest] = path
  if (index === undefined) return change(root)
  const children = childrenOf(root)
  const child = children[index]
  if (child === undefined) return root
  const next = replaced(child, rest, change)
  return next === child ? root : { ...root, children: children.with(index, next) }
}

export const spliced = (root: MjmlNode, { parent, start, end }: Span, nodes: readonly MjmlNode[]): MjmlNode =>
  replaced(root, parent, (node) => ({
    ...node,
    children: [...childrenOf(node).slice(0, start), ...nodes, ...childrenOf(node).slice(end)],
  }))

export const inserted = (root: MjmlNode, { parent, index }: Place, nodes: readonly MjmlNode[]): MjmlNode =>
  spliced(root, { parent, start: index, end: index }, nodes)

export const removed = (root: MjmlNode, span: Span): MjmlNode => spliced(root, span, [])

export const nodesIn = (root: MjmlNode, { parent, start, end }: Span): readonly MjmlNode[] =>
  childrenOf(nodeAt(root, parent)).slice(start, end)

export const spanAt = (path: Path): Span => {
  const index = path.at(-1) ?? 0
  return { parent: path.slice(0, -1), start: index, end: index + 1 }
}

const startsWith = (path: Path, beginning: Path) => beginning.every((index, depth) => path[depth] === index)

/** The place once the span has been removed; undefined inside of it. */
const placeWithout = ({ parent, index }: Place, span: Span): Place | undefined => {
  const count = span.end - span.start
  if (!startsWith(parent, span.parent)) return { parent, index }
  const depth = span.parent.length
  const step = parent[depth]
  if (step === undefined) {
    if (index <= span.start) return { parent, index }
    return index < span.end ? undefined : { parent, index: index - count }
  }
  if (step < span.start) return { parent, index }
  return step < span.end ? undefined : { parent: parent.with(depth, step - count), index }
}

/** `path`: where the span begins now. Undefined for a place inside the span. */
export const moved = (
  root: MjmlNode,
  span: Span,
  place: Place,
): { readonly root: MjmlNode; readonly path: Path } | undefined => {
  const to = placeWithout(place, span)
  if (!to) return undefined
  const nodes = nodesIn(root, span)
  return { root: inserted(removed(root, span), to, nodes), path: [...to.parent, to.index] }
}

export const withAttribute = (node: MjmlNode, name: string, value: string): MjmlNode => {
  const { [name]: _, ...others } = node.attributes ?? {}
  if (value === '') return { ...node, attributes: others }
  return { ...node, attributes: { ...node.attributes, [name]: value } }
}

/** All elements with their paths, parents first. */
export function* everyNode(root: MjmlNode, path: Path = []): Generator<readonly [MjmlNode, Path]> {
  yield [root, path]
  for (const [index, child] of childrenOf(root).entries()) if (isNode(child)) yield* everyNode(child, [...path, index])
}

const markClass = 'posthorn-element-'

/** For selection in the preview: elements of the body get a class with their number among all elements. */
export const withElementClasses = (
  root: MjmlNode,
): { readonly document: MjmlNode; readonly paths: readonly Path[] } => {
  const paths: Path[] = []
  const mark = (node: MjmlNode, path: Path, isInBody: boolean): MjmlNode => {
    if (!isNode(node)) return node
    const number = paths.push(path) - 1
    const isMarked = isInBody && node.tagName !== 'mj-raw'
    const css = node.attributes?.['css-class']
    return {
      ...node,
      ...(isMarked && {
        attributes: { ...node.attributes, 'css-class': `${css === undefined ? '' : `${css} `}${markClass}${number}` },
      }),
      ...(node.children && {
        children: node.children.map((child, index) =>
          mark(child, [...path, index], isInBody || node.tagName === 'mj-body'),
        ),
      }),
    }
  }
  return { document: mark(root, [], false), paths }
}
