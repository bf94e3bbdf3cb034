import { textBytes } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { VisualRenderer } from './ports.js'
import { type TemplateName, topLevelNames } from './template-names.js'
import { pathsIn } from './template-syntax.js'

/** Cache size in bytes for rendered HTML. One document yields at most two million characters, or 4 MB. */
const maxBytes = 8 * 1024 * 1024

/** Renders each distinct document of a project once; recent results are cached, failures are not. */
export const onceRendered = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const rendered = cachedAnswers({ maxBytes, largestEntry: maxBytes / 2, sizeOf: textBytes })
  return (document, projectId) =>
    rendered(`${projectId}:${digest(JSON.stringify(document))}`, () => render(document, projectId))
}

/** The texts of a visual document, in order, and the names of its components, for any editor's format. */
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

/** Sorted, so that the result does not depend on the document's order. */
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()

/**
 * Applies `read` to a document's texts. A block may begin in one text and end in another, so they are read together; if that is no valid
 * template, each is read separately, and invalid ones are skipped.
 */
const readIn = <T>(texts: readonly string[], read: (source: string) => readonly T[] | undefined): readonly T[] => {
  const tagged = texts.filter((text) => text.includes('{{'))
  return read(tagged.join('\n')) ?? tagged.flatMap((text) => read(text) ?? [])
}

/** The top-level names that a visual document reads. */
export const namesIn = (document: unknown): readonly TemplateName[] => readIn(contentsOf(document).texts, topLevelNames)

/** What a visual document uses: paths such as `contact.name`, and the names of its components (`tagName`, else `type`). */
export const usesOf = (
  document: unknown,
): { readonly usedVariables: readonly string[]; readonly usedComponents: readonly string[] } => {
  const { texts, components } = contentsOf(document)
  return { usedVariables: sorted(readIn(texts, pathsIn)), usedComponents: sorted(components) }
}
