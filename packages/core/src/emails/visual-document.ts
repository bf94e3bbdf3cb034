import { blocked } from '../kernel/refusal.js'
import type { VisualRenderer } from './ports.js'
import { checkTemplate } from './template-language.js'
import { pathsIn } from './template-syntax.js'

const kept = 200

/**
 * The renderer, asked once for each distinct document; the latest few hundred answers are kept, failures are not. What it makes has
 * to be a template that can be sent.
 * @throws Refusal `blocked` with the reason, from the renderer or of the template
 */
export const onceRendered = (render: VisualRenderer, digest: (text: string) => string): VisualRenderer => {
  const known = new Map<string, Promise<string>>()

  const rendered = async (document: unknown): Promise<string> => {
    const html = await render(document)
    const [violation] = checkTemplate('The visual document makes no template that can be sent', html)
    if (violation) throw blocked(violation)
    return html
  }

  return (document) => {
    const key = digest(JSON.stringify(document))
    const found = known.get(key)
    if (found) return found
    const made = rendered(document)
    known.set(key, made)
    made.catch(() => known.delete(key))
    const [oldest] = known.keys()
    if (known.size > kept && oldest !== undefined) known.delete(oldest)
    return made
  }
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
