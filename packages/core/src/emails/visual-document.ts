import { textBytes } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { VisualRenderer } from './ports.js'
import { type TemplateName, topLevelNames } from './template-names.js'
import { pathsIn } from './template-syntax.js'

/** Of HTML that was made lately. One document makes two million characters at the most, four megabytes. */
const maxBytes = 8 * 1024 * 1024

/** The renderer, asked once for each distinct document of a project; the latest answers are kept, failures are not. */
export const onceRendered = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const rendered = cachedAnswers({ maxBytes, largestEntry: maxBytes / 2, sizeOf: textBytes })
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
 * What a visual document's texts read. A block may begin in one text and end in another, so they are read together; where that makes
 * no template, each by itself, and what cannot be read then uses nothing.
 */
const readIn = <T>(texts: readonly string[], read: (source: string) => readonly T[] | undefined): readonly T[] => {
  const tagged = texts.filter((text) => text.includes('{{'))
  return read(tagged.join('\n')) ?? tagged.flatMap((text) => read(text) ?? [])
}

/** The names that a visual document reads from the top level of its mails' values. */
export const namesIn = (document: unknown): readonly TemplateName[] => readIn(contentsOf(document).texts, topLevelNames)

/** What a visual document uses: paths such as `contact.name`, and the names of its components (`tagName`, else `type`). */
export const usesOf = (
  document: unknown,
): { readonly usedVariables: readonly string[]; readonly usedComponents: readonly string[] } => {
  const { texts, components } = contentsOf(document)
  return { usedVariables: sorted(readIn(texts, pathsIn)), usedComponents: sorted(components) }
}
