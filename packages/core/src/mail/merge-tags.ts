import Handlebars from 'handlebars'
import { firstViolationSentences } from '../kernel/refusal.js'
import type { EmailContent } from './content.js'
import { builtInMergeTags } from './merge-context.js'
import { helperCallName, isRelativePath } from './template/expressions.js'
import { helperSignatures } from './template/helpers.js'
import { parsedTemplate, variablePathsIn } from './template/syntax.js'

type VariableUse = { readonly name: string; readonly line: number; readonly column: number }

class NameFinder extends Handlebars.Visitor {
  readonly found = new Map<string, VariableUse>()
  private contexts: readonly boolean[] = [true]
  private params: readonly string[] = []

  private note(name: string | undefined, { loc: { start } }: hbs.AST.Node) {
    if (name === undefined || this.found.has(name)) return
    this.found.set(name, { name, line: start.line, column: start.column + 1 })
  }

  private within(program: hbs.AST.Program | undefined, contexts: readonly boolean[]) {
    if (!program) return
    const outer = { contexts: this.contexts, params: this.params }
    this.contexts = contexts
    this.params = [...(program.blockParams ?? []), ...this.params]
    this.accept(program)
    this.contexts = outer.contexts
    this.params = outer.params
  }

  private values({ params, hash }: Pick<hbs.AST.MustacheStatement, 'params' | 'hash'>) {
    for (const param of params) this.accept(param)
    for (const { value } of hash?.pairs ?? []) this.accept(value)
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    this.values(node)
    if (Object.hasOwn(helperSignatures, helperCallName(node)) || node.params.length > 0) return
    if (node.path.type === 'PathExpression' || node.path.type === 'SubExpression') this.accept(node.path)
    else if (this.contexts[0]) this.note(helperCallName(node), node)
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.values(node)
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.values(node)
    const enters = helperCallName(node) === 'each' || helperCallName(node) === 'with'
    this.within(node.program, enters ? [false, ...this.contexts] : this.contexts)
    this.within(node.inverse, this.contexts)
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    const [first = '', second] = path.parts
    if (path.data) {
      if (first === 'root') this.note(second, path)
      return
    }
    if (path.parts.length === 0 || (!isRelativePath(path) && this.params.includes(first))) return
    if (this.contexts[path.depth]) this.note(first, path)
  }
}

export const usedTopLevelVariables = (source: string): readonly VariableUse[] | undefined => {
  const { program } = parsedTemplate(source)
  if (!program) return undefined
  const finder = new NameFinder()
  finder.accept(program)
  return [...finder.found.values()]
}

/** Works for any editor's format. */
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

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort()

/** A block may begin in one text and end in another: reads texts together, else separately. */
const readIn = <T>(texts: readonly string[], read: (source: string) => readonly T[] | undefined): readonly T[] => {
  const tagged = texts.filter((text) => text.includes('{{'))
  return read(tagged.join('\n')) ?? tagged.flatMap((text) => read(text) ?? [])
}

export const documentVariables = (document: unknown): readonly VariableUse[] =>
  readIn(contentsOf(document).texts, usedTopLevelVariables)

export const variablesAndComponentsIn = (
  document: unknown,
): { readonly usedVariables: readonly string[]; readonly usedComponents: readonly string[] } => {
  const { texts, components } = contentsOf(document)
  return { usedVariables: sorted(readIn(texts, variablePathsIn)), usedComponents: sorted(components) }
}

type Templates = Pick<EmailContent, 'subject'> &
  Partial<Pick<EmailContent, 'previewText' | 'document' | 'type' | 'feeds'>>

type Place = VariableUse & { readonly at: string }

const placed = (field: string, source: unknown): readonly Place[] =>
  typeof source === 'string'
    ? (usedTopLevelVariables(source) ?? []).map((one) => ({
        ...one,
        at: `${field}: line ${one.line}, column ${one.column}`,
      }))
    : []

const placesIn = ({ subject, previewText, document, type = 'visual' }: Templates): readonly Place[] => [
  ...placed('subject', subject),
  ...placed('previewText', previewText),
  ...(type === 'visual'
    ? documentVariables(document).map((one) => ({ ...one, at: 'document' }))
    : placed('document', document)),
]

/**
 * Names inside a loop or `with` are not checked.
 * @param data of a test or preview
 */
export const unknownMergeTags = (email: Templates, data?: Readonly<Record<string, unknown>>): readonly string[] => {
  const known = new Set<string>([
    ...builtInMergeTags,
    ...(email.feeds ?? []).map(({ variableName }) => variableName),
    ...Object.keys(data ?? {}),
  ])
  const otherwise = data === undefined ? ' unless the data of the send contains it' : ''
  return firstViolationSentences(
    placesIn(email)
      .filter(({ name }) => !known.has(name))
      .map(({ at, name }) => `${at}: ${name} has no value, so it stays empty${otherwise}`),
  )
}

export const withMergeTagWarnings = <V extends object>(
  view: V,
  email: Templates,
): V & { readonly warnings?: string[] } => {
  const warnings = [...unknownMergeTags(email)]
  return warnings.length > 0 ? { ...view, warnings } : view
}
