/** Text that is HTML already. */
export type Html = { readonly html: string }

type Part = string | number | Html | readonly Html[] | undefined

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Fit for text, and for attribute values in quotes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)

const rendered = (part: Part): string => {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map(({ html }) => html).join('')
}

/** A template whose values are escaped, unless they are HTML already. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((text, piece, index) => text + rendered(parts[index - 1]) + piece),
})
