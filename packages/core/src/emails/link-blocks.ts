import { linkPlaces } from './link-places.js'
import { attributeText } from './link-target.js'

/** A link of a visual document, with its component. */
export type DocumentLink = { readonly href: string; readonly position: string; readonly name: string }

/** Maximum number of links with a known component; further ones are named by their position in the HTML. */
const mostLinks = 2_000
const deepest = 60

type Element = { readonly [key: string]: unknown }

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const nameOf = ({ tagName, type }: Element): string =>
  (textIn(tagName) || textIn(type)).replace(/^mj-/, '').slice(0, 100)

const childrenOf = ({ children }: Element): readonly Element[] =>
  Array.isArray(children) ? children.filter(isElement) : []

/** Targets as written in the component's own link and in the links of its text. */
const hrefsOf = ({ attributes, content }: Element): readonly string[] => {
  const own = isElement(attributes) ? textIn(attributes.href) : ''
  const html = textIn(content)
  const links = html === '' ? [] : (linkPlaces(html)?.links ?? [])
  return [...(own === '' ? [] : [own]), ...links.map(({ start, end }) => html.slice(start, end))]
}

/** Key to compare targets, independent of how quotes are encoded. */
export const hrefKey = (href: string): string => attributeText(href) ?? href

/**
 * The links of a visual document: the position of their component, counted from 1 in each level below the body (`1.2.1`), and its name.
 * Empty for a document without elements.
 */
export const documentLinks = (document: unknown): readonly DocumentLink[] => {
  const found: DocumentLink[] = []
  const look = (element: Element, path: readonly number[], depth: number): void => {
    const position = path.join('.')
    for (const href of hrefsOf(element))
      if (found.length < mostLinks) found.push({ href: hrefKey(href), position, name: nameOf(element) })
    if (depth < deepest)
      for (const [i, child] of childrenOf(element).entries()) look(child, [...path, i + 1], depth + 1)
  }
  if (!isElement(document)) return []
  const body = childrenOf(document).find((child) => nameOf(child) === 'body') ?? document
  for (const [i, child] of childrenOf(body).entries()) look(child, [i + 1], 0)
  return found
}
