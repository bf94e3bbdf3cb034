/** Text that is already HTML. */
export type Html = { readonly html: string }

type Part = string | number | Html | readonly Html[] | undefined

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For elements and quoted attribute values. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)

const rendered = (part: Part): string => {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map(({ html }) => html).join('')
}

/** Escapes its values, unless they are `Html`. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((text, piece, index) => text + rendered(parts[index - 1]) + piece),
})
