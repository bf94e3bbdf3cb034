import { type Item, placeInside } from './block-helpers.js'
import { section } from './blocks.js'
import { componentOf } from './components.js'
import { childrenOf, everyNode, type MjmlNode, nodeAt, type Path, type Place } from './document.js'

export const mayContain = (parent: string, child: string): boolean =>
  componentOf(parent)?.children.includes(child) ?? false

const bodyPath = (root: MjmlNode): Path | undefined => {
  for (const [node, path] of everyNode(root)) if (node.tagName === 'mj-body') return path
  return undefined
}

export type Insertion = { readonly place: Place; readonly nodes: readonly MjmlNode[] }

const atEnd = (root: MjmlNode, parent: Path): Place => ({ parent, index: childrenOf(nodeAt(root, parent)).length })

/** In the selected item, behind it, or behind the nearest parent that allows it; else in a section of its own. Undefined without a body. */
export const insertionOf = (root: MjmlNode, selected: Item | undefined, node: MjmlNode): Insertion | undefined => {
  const { tagName } = node
  const here = selected && nodeAt(root, selected.path)
  if (selected && here && !selected.wrapper && mayContain(here.tagName, tagName) && tagName !== 'mj-raw')
    return { place: atEnd(root, selected.path), nodes: [node] }
  if (selected && here?.tagName === 'mj-section' && mayContain('mj-column', tagName) && tagName !== 'mj-raw') {
    const column = childrenOf(here).findLastIndex((child) => child.tagName === 'mj-column')
    if (column >= 0) return { place: atEnd(root, [...selected.path, column]), nodes: [node] }
  }
  let parent = selected?.span.parent
  let index = selected?.wrapper ? placeInside(selected).index : (selected?.span.end ?? 0)
  while (parent !== undefined) {
    const into = nodeAt(root, parent)
    if (into && mayContain(into.tagName, tagName) && into.tagName !== 'mj-head' && into.tagName !== 'mjml')
      return { place: { parent, index }, nodes: [node] }
    if (parent.length === 0) break
    index = (parent.at(-1) ?? 0) + 1
    parent = parent.slice(0, -1)
  }
  const body = bodyPath(root)
  if (!body) return undefined
  const nodes = mayContain('mj-body', tagName)
    ? [node]
    : mayContain('mj-column', tagName)
      ? [section([node])]
      : undefined
  return nodes && { place: atEnd(root, body), nodes }
}
