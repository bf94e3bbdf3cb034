import { type MjmlNode, withAttribute } from './document.js'
import { socialNetworks } from './names.js'

export const element = (
  tagName: string,
  attributes: MjmlNode['attributes'] = {},
  children: readonly MjmlNode[] = [],
): MjmlNode => ({ tagName, attributes, children })
export const leaf = (tagName: string, content: string, attributes: MjmlNode['attributes'] = {}): MjmlNode => ({
  tagName,
  attributes,
  content,
})
export const text = (content: string, attributes: MjmlNode['attributes'] = {}) =>
  leaf('mj-text', content, {
    color: '{{design.colors.text}}',
    'font-family': '{{design.fontStacks.body}}',
    'font-size': '16px',
    'line-height': '24px',
    ...attributes,
  })
export const button = (content: string, href: string) =>
  leaf('mj-button', content, {
    href,
    'background-color': '{{design.colors.primary}}',
    color: '{{design.colors.onPrimary}}',
    'font-family': '{{design.fontStacks.body}}',
    'font-size': '16px',
    'border-radius': '6px',
  })
export const section = (...columns: readonly (readonly MjmlNode[])[]) =>
  element(
    'mj-section',
    { 'background-color': '{{design.colors.surface}}' },
    columns.map((children) => element('mj-column', {}, children)),
  )

const socialLink = (network: string) => ({
  name: `${network}-noshare`,
  href: `{{design.links.${network}}}`,
  alt: socialNetworks[network] ?? network,
})
const social = (network: string) => leaf('mj-social-element', '', socialLink(network))

const networkOf = (name: string): string => name.replace(/-noshare$/, '')

/** Link and alternative text follow the network, unless the author wrote others. Without a link of the design, it has none. */
export const withSocialNetwork = (node: MjmlNode, name: string, designLinks: readonly string[]): MjmlNode => {
  const { href, alt } = node.attributes ?? {}
  const [before, network] = [socialLink(networkOf(String(node.attributes?.name ?? ''))), networkOf(name)]
  const after = socialLink(network)
  const isLinkOwn = href !== undefined && href !== before.href
  const named = withAttribute(node, 'name', name)
  const linked = isLinkOwn ? named : withAttribute(named, 'href', designLinks.includes(network) ? after.href : '')
  return alt === before.alt ? withAttribute(linked, 'alt', after.alt) : linked
}

/** Words of a new element, in the author's language. */
export type Words = {
  readonly text: string
  readonly button: string
  readonly heading: string
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

export const createBlock = (kind: BlockKind, words: Words): MjmlNode => {
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

export const emptyDocument: MjmlNode = element('mjml', {}, [element('mj-body')])
