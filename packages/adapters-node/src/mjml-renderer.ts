import type { Refusal } from '@posthorn/core'
import { blocked, type VisualRenderer } from '@posthorn/core/ports/runtime'
import type { SandboxProcesses } from './sandbox/sandbox-processes.js'

export type MjmlElement = {
  readonly tagName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly MjmlElement[]
  readonly content: string
}

const mostElements = 5000
const deepest = 40

const notRendered = (...reasons: readonly string[]): Refusal =>
  blocked(`The visual document cannot be rendered: ${reasons.join('; ')}`.slice(0, 1000))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const entities: Readonly<Record<string, string>> = { '"': '&quot;', '<': '&lt;' }
const escaped = (text: string) => text.replace(/["<]/g, (character) => entities[character] ?? character)

/** Escapes HTML, except in merge tags, which belong to the template language. */
const attributeValue = (value: string): string => {
  const [before = '', ...tagged] = value.split('{{')
  const parts = tagged.map((part) => {
    const end = part.indexOf('}}') + 2
    return part.slice(0, end) + escaped(part.slice(end))
  })
  return [escaped(before), ...parts].join('{{')
}

const isAttribute = (name: string) => /^[a-z][a-z-]{0,49}$/.test(name) && !Object.hasOwn(Object.prototype, name)

const attributesOf = (tagName: string, given: unknown): MjmlElement['attributes'] => {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) throw notRendered(`the attributes of ${tagName} are not an object`)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!isAttribute(name)) throw notRendered(`${tagName} has an invalid attribute name`)
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
        throw notRendered(`the attribute ${name} of ${tagName} is not text`)
      return [name, attributeValue(String(value))]
    }),
  )
}

const isTag = (name: unknown): name is string => typeof name === 'string' && /^mj(?:ml|-[a-z-]{1,40})$/.test(name)

/**
 * Drops what MJML does not read, such as editors' file paths.
 * @throws Refusal `blocked` if the document is not MJML in JSON form, too large or too deep
 */
const mjmlDocument = (document: unknown): MjmlElement => {
  let count = 0
  const element = (given: unknown, depth: number): MjmlElement => {
    count += 1
    if (count > mostElements) throw notRendered(`it has more than ${mostElements} elements`)
    if (depth > deepest) throw notRendered(`its elements are nested more than ${deepest} levels deep`)
    if (!isObject(given)) throw notRendered('an element is not an object')
    const { tagName, attributes, children, content } = given
    if (!isTag(tagName)) throw notRendered('an element has a tagName that MJML does not know')
    if (content !== undefined && content !== null && typeof content !== 'string')
      throw notRendered(`the content of ${tagName} is not text`)
    if (children !== undefined && children !== null && !Array.isArray(children))
      throw notRendered(`the children of ${tagName} are not an array`)
    return {
      tagName,
      attributes: attributesOf(tagName, attributes),
      children: (children ?? []).map((child: unknown) => element(child, depth + 1)),
      content: content ?? '',
    }
  }
  if (!isObject(document) || document.tagName !== 'mjml')
    throw notRendered('expected MJML in JSON, with the root { "tagName": "mjml", … }')
  return element(document, 1)
}

/**
 * MJML as JSON (https://documentation.mjml.io); merge tags stay. Sandboxed: mjml-core applies regular expressions to tenants' content.
 * @param icons URL below which the HTTP adapter serves the icons of social networks, carousels and accordions
 */
export const mjmlRenderer =
  ({ run }: SandboxProcesses, icons: string): VisualRenderer =>
  async (document, projectId) => {
    const input = JSON.stringify({ document: mjmlDocument(document), icons })
    const { output, problems } = await run('visual-document', input, projectId)
    if (output === undefined) throw notRendered(...problems)
    return output
  }
