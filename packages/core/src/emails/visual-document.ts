import { textBytes } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { VisualRenderer } from './ports.js'
import { pathsIn } from './template-syntax.js'

/** Of HTML that was made lately. One document makes two million characters at the most, four megabytes. */
const maxBytes = 16 * 1024 * 1024

/** The renderer, asked once for each distinct document of a project; the latest answers are kept, failures are not. */
export const onceRendered = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const rendered = cachedAnswers({ maxBytes, largestEntry: maxBytes / 4, sizeOf: textBytes })
  return (document, projectId) =>
    rendered(`${projectId}:${digest(JSON.stringify(document))}`, () => render(document, projectId))
}

/** What a visual document is made of, whatever editor made it: its texts in their order, and the names of its components. */
const contentsOf = (document: unknown) => {
  const texts: string[] = []
  const components = new Set<string>()
  const waiting: { readonly value: unknown; readonly key: string }[] = [{ value: document, key: '' }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, key } = next
    if (typeof value === 'string') texts.push(value)
    if (typeof value !== 'object' || value === null) continue
    const { tagName, type } = value as { readonly tagName?: unknown; readonly type?: unknown }
    const component = typeof tagName === 'string' ? tagName : type
    if (typeof component === 'string' && component !== '' && key !== 'attributes') components.add(component)
    for (const [name, one] of Object.entries(value).reverse()) waiting.push({ value: one, key: name })
  }
  return { texts, components }
}

/** In one order, whatever the order in the document. */
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()

/**
 * The merge-tag paths that a visual document's texts read. A block may begin in one text and end in another, so they are read
 * together; where that makes no template, each by itself, and what cannot be read then uses nothing.
 */
const variablesIn = (texts: readonly string[]): readonly string[] => {
  const tagged = texts.filter((text) => text.includes('{{'))
  return pathsIn(tagged.join('\n')) ?? tagged.flatMap((text) => pathsIn(text) ?? [])
}

/** What a visual document uses: paths such as `contact.name`, and the names of its components (`tagName`, else `type`). */
export const usesOf = (
  document: unknown,
): { readonly usedVariables: readonly string[]; readonly usedComponents: readonly string[] } => {
  const { texts, components } = contentsOf(document)
  return { usedVariables: sorted(variablesIn(texts)), usedComponents: sorted(components) }
}
