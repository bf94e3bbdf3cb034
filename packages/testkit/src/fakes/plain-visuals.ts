import { blocked, type VisualRenderer } from '@posthorn/core/ports/runtime'

type Element = { readonly tagName?: unknown; readonly content?: unknown; readonly children?: readonly Element[] }

const paragraphs = ({ content, children = [] }: Element): string =>
  (typeof content === 'string' ? `<p>${content}</p>` : '') + children.map(paragraphs).join('')

/** Contents one below the other: for tests of a mail's text, not of its layout. */
export const plainVisuals: VisualRenderer = async (document) => {
  if ((document as Element | null)?.tagName !== 'mjml') throw blocked('The visual document cannot be rendered: no mjml')
  return `<html><body>${paragraphs(document as Element)}</body></html>`
}
