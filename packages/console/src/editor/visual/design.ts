import type { ResponseOf } from '../../api/types.js'
import { createBlock, type Words } from './blocks.js'
import { attributeTypeOf } from './components.js'
import type { MjmlNode } from './document.js'

export type Design = ResponseOf<'get', '/design-systems'>['items'][number]

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `fontSize: 16` becomes `font-size="16px"`; drops what MJML does not know. */
const attributesOf = (tagName: string, style: Readonly<Record<string, unknown>>): MjmlNode['attributes'] =>
  Object.fromEntries(
    Object.entries(style).flatMap(([property, value]) => {
      const name = kebab(property)
      const type = attributeTypeOf(tagName, name)?.[0]
      if (type === undefined) return []
      return [[name, typeof value === 'number' && type.includes('px') ? `${value}px` : String(value)]]
    }),
  )

export type DesignBlock = {
  /** Its place in the design system, such as `button/primary`. */
  readonly id: string
  readonly name: string
  /** Undefined unless somebody wrote it: the server has its own in English only. */
  readonly description: string | undefined
  readonly node: MjmlNode
}

/** `hasDescriptions`: also those of the server itself. */
export const designBlocks = (
  design: Design | undefined,
  words: Words,
  hasDescriptions: boolean,
): readonly DesignBlock[] => {
  if (!design) return []
  const shown = (description: string | undefined, isOwn = false) => (hasDescriptions || isOwn ? description : undefined)
  const { components: styles, variables } = design
  const kinds = [
    ['button', styles.buttons],
    ['text', styles.texts],
    ['image', styles.images],
    ['divider', styles.dividers],
  ] as const
  const styled = kinds.flatMap(([kind, entries]) =>
    entries.map(({ name, description, overridden, value }): DesignBlock => {
      const node = createBlock(kind, words)
      const attributes = { ...node.attributes, ...attributesOf(node.tagName, value) }
      return { id: `${kind}/${name}`, name, description: shown(description, overridden), node: { ...node, attributes } }
    }),
  )
  const images = variables.images.map(({ name, description, overridden }): DesignBlock => {
    const node = createBlock('image', words)
    const attributes = { ...node.attributes, src: `{{design.images.${name}}}` }
    return { id: `images/${name}`, name, description: shown(description, overridden), node: { ...node, attributes } }
  })
  return [...styled, ...images]
}
