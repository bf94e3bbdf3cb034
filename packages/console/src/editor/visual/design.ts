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

export type DesignBlock = { readonly name: string; readonly description: string; readonly node: MjmlNode }

export const designBlocks = (design: Design | undefined, words: Words): readonly DesignBlock[] => {
  if (!design) return []
  const { components: styles, variables } = design
  const kinds = [
    ['button', styles.buttons],
    ['text', styles.texts],
    ['image', styles.images],
    ['divider', styles.dividers],
  ] as const
  const styled = kinds.flatMap(([kind, entries]) =>
    entries.map(({ name, description, value }): DesignBlock => {
      const node = createBlock(kind, words)
      const attributes = { ...node.attributes, ...attributesOf(node.tagName, value) }
      return { name: `${kind}/${name}`, description: description ?? name, node: { ...node, attributes } }
    }),
  )
  const images = variables.images.map(({ name, description }): DesignBlock => {
    const node = createBlock('image', words)
    const attributes = { ...node.attributes, src: `{{design.images.${name}}}` }
    return { name: `images/${name}`, description: description ?? name, node: { ...node, attributes } }
  })
  return [...styled, ...images]
}
