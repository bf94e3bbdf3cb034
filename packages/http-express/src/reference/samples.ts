import { Html, html } from '@posthorn/core/ports/transport'
import { ids } from '../examples/index.js'

const samples = new Set<string>(Object.values(ids))

/** Marks sample ids and the server’s address in the code; the page replaces them with the reader’s own. */
export const samplesMarked = (code: string, base: string): Html => {
  const parts = code.split(/([0-9a-f]{24})/)
  const marked = parts.map((part) => {
    if (samples.has(part)) return html`<var data-sample="${part}">${part}</var>`
    const [before = '', ...after] = part.split(base)
    return html`${before}${after.map((rest) => html`<span data-base>${base}</span>${rest}`)}`
  })
  return new Html(marked.map(({ text }) => text).join(''))
}
