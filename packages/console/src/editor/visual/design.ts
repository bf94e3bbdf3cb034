import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.js'
import type { ResultOf } from '../../api/types.js'
import { useProject } from '../../shell/session.js'
import { blockOf, type Words } from './blocks.js'
import { attributeTypeOf } from './components.js'
import type { MjmlNode } from './document.js'

export type Design = ResultOf<'get', '/design-systems'>['items'][number]

export const useDesign = (): Design | undefined => {
  const { projectId } = useProject()
  const { data } = useQuery({
    queryKey: [projectId, 'design-systems'],
    queryFn: ({ signal }) => call(projectId, 'get', '/design-systems', { signal }),
  })
  return data?.items[0]
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** What MJML knows of a style: `fontSize: 16` becomes `font-size="16px"`. */
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

/** Elements in the styles of the design system, and its images. */
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
      const node = blockOf(kind, words)
      const attributes = { ...node.attributes, ...attributesOf(node.tagName, value) }
      return { name: `${kind}/${name}`, description: description ?? name, node: { ...node, attributes } }
    }),
  )
  const images = variables.images.map(({ name, description }): DesignBlock => {
    const node = blockOf('image', words)
    const attributes = { ...node.attributes, src: `{{design.images.${name}}}` }
    return { name: `images/${name}`, description: description ?? name, node: { ...node, attributes } }
  })
  return [...styled, ...images]
}
