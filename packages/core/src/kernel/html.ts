/** Safe HTML, made by `html`, which escapes every value that is not an `Html`. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

type Value = string | number | Html | readonly Html[] | undefined | false

const textOf = (value: Value): string => {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escaped(String(value))
}

/** Escapes every value; absent and false values become ''. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.reduce((text, part, index) => `${text}${textOf(values[index - 1])}${part}`))
