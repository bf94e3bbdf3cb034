import { components } from './components.js'
import { childrenOf, everyNode, type MjmlNode, nodeAt, type Path, type Place } from './document.js'
import type { Item } from './wrappers.js'

export const mayContain = (parent: string, child: string): boolean =>
  components[parent]?.children.includes(child) ?? false

const element = (
  tagName: string,
  attributes: MjmlNode['attributes'] = {},
  children: readonly MjmlNode[] = [],
): MjmlNode => ({ tagName, attributes, children })
const leaf = (tagName: string, content: string, attributes: MjmlNode['attributes'] = {}): MjmlNode => ({
  tagName,
  attributes,
  content,
})
const text = (content: string, attributes: MjmlNode['attributes'] = {}) =>
  leaf('mj-text', content, {
    color: '{{design.colors.text}}',
    'font-family': '{{design.fontStacks.body}}',
    'font-size': '16px',
    'line-height': '24px',
    ...attributes,
  })
const button = (content: string, href: string) =>
  leaf('mj-button', content, {
    href,
    'background-color': '{{design.colors.primary}}',
    color: '{{design.colors.onPrimary}}',
    'font-family': '{{design.fontStacks.body}}',
    'font-size': '16px',
    'border-radius': '6px',
  })
const section = (...columns: readonly (readonly MjmlNode[])[]) =>
  element(
    'mj-section',
    { 'background-color': '{{design.colors.surface}}' },
    columns.map((children) => element('mj-column', {}, children)),
  )
const social = (name: string) => leaf('mj-social-element', '', { name, href: `{{design.links.${name}}}`, alt: name })

/** Words of a new element, in the author's language. */
export type Words = {
  readonly text: string
  readonly button: string
  readonly heading: string
  readonly unsubscribe: string
}

export type BlockKind =
  | 'text'
  | 'image'
  | 'button'
  | 'divider'
  | 'spacer'
  | 'social'
  | 'raw'
  | 'hero'
  | 'columns1'
  | 'columns2'
  | 'columns3'
  | 'columns4'

export const blockOf = (kind: BlockKind, words: Words): MjmlNode => {
  switch (kind) {
    case 'text':
      return text(words.text)
    case 'image':
      return leaf('mj-image', '', { src: '{{design.images.header}}', alt: '' })
    case 'button':
      return button(words.button, '{{design.links.website}}')
    case 'divider':
      return leaf('mj-divider', '', { 'border-width': '1px', 'border-color': '{{design.colors.border}}' })
    case 'spacer':
      return leaf('mj-spacer', '', { height: '24px' })
    case 'social':
      return element('mj-social', { mode: 'horizontal' }, ['facebook', 'instagram', 'linkedin'].map(social))
    case 'raw':
      return { tagName: 'mj-raw', content: '<p></p>' }
    case 'hero':
      return element('mj-hero', { 'background-color': '#14211f', padding: '40px 0px' }, [
        text(words.heading, { color: '#ffffff', align: 'center', 'font-size': '28px', 'line-height': '36px' }),
      ])
    default:
      return section(...Array.from({ length: Number(kind.slice(-1)) }, () => [text(words.text)]))
  }
}

/** What a new campaign begins with. */
export const starterDocument = (words: Words): MjmlNode =>
  element('mjml', {}, [
    element('mj-head', {}, [
      leaf('mj-style', '@media (prefers-color-scheme: dark) { .posthorn-page { color-scheme: light dark } }'),
    ]),
    element('mj-body', { 'background-color': '{{design.colors.background}}' }, [
      section([
        leaf('mj-image', '', { src: '{{design.images.logo}}', alt: '{{design.texts.company}}', width: '140px' }),
      ]),
      section([
        text(words.heading, {
          color: '{{design.colors.heading}}',
          'font-family': '{{design.fontStacks.heading}}',
          'font-size': '26px',
          'line-height': '34px',
        }),
        text(words.text),
        button(words.button, '{{design.links.website}}'),
      ]),
      element('mj-section', {}, [
        element('mj-column', {}, [
          text(
            `{{design.texts.company}}<br />{{design.texts.address}}<br /><a href="{{unsubscribeLink}}">${words.unsubscribe}</a>`,
            { align: 'center', color: '{{design.colors.muted}}', 'font-size': '13px', 'line-height': '20px' },
          ),
        ]),
      ]),
    ]),
  ])

export const emptyDocument: MjmlNode = element('mjml', {}, [element('mj-body')])

const bodyPath = (root: MjmlNode): Path | undefined => {
  for (const [node, path] of everyNode(root)) if (node.tagName === 'mj-body') return path
  return undefined
}

export type Insertion = { readonly place: Place; readonly nodes: readonly MjmlNode[] }

const atEnd = (root: MjmlNode, parent: Path): Place => ({ parent, index: childrenOf(nodeAt(root, parent)).length })

/**
 * Where a new element fits best: in the selected element, behind it, or behind the nearest of its parents. An element that fits nowhere
 * gets a section of its own. Undefined without a body.
 */
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
  let index = selected?.span.end ?? 0
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
