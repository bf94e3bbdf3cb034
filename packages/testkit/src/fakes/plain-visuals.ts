import { blocked, type PlainTextConverter, type VisualRenderer } from '@posthorn/core/ports/runtime'

type Element = { readonly tagName?: unknown; readonly content?: unknown; readonly children?: readonly Element[] }

const paragraphs = ({ content, children = [] }: Element): string =>
  (typeof content === 'string' ? `<p>${content}</p>` : '') + children.map(paragraphs).join('')

/** Contents one below the other: for tests of a mail's text, not of its layout. */
export const plainVisuals: VisualRenderer = async (document) => {
  if ((document as Element | null)?.tagName !== 'mjml') throw blocked('The visual document cannot be rendered: no mjml')
  return `<html><body>${paragraphs(document as Element)}</body></html>`
}

/** The text without tags, one line per block: enough for tests of a mail's text, not of its layout. */
export const htmlWithoutTags: PlainTextConverter = async (html) =>
  html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/<br\s*\/?>|<\/(?:p|div|h[1-6]|li|tr)>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
