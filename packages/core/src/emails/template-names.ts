import Handlebars from 'handlebars'
import { isRelative, nameOf } from './template-expressions.js'
import { callable } from './template-helpers.js'
import { parsedTemplate } from './template-syntax.js'

/** A name that a template reads from its top level, with its first position. */
export type TemplateName = { readonly name: string; readonly line: number; readonly column: number }

/** Walks a template as rendering does and collects names read from the top level, but not from inside a loop or `with`. */
class NameFinder extends Handlebars.Visitor {
  readonly found = new Map<string, TemplateName>()
  /** Whether each context is the top level; innermost first. */
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
    if (Object.hasOwn(callable, nameOf(node)) || node.params.length > 0) return
    if (node.path.type === 'PathExpression' || node.path.type === 'SubExpression') this.accept(node.path)
    else if (this.contexts[0]) this.note(nameOf(node), node)
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.values(node)
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.values(node)
    const enters = nameOf(node) === 'each' || nameOf(node) === 'with'
    this.within(node.program, enters ? [false, ...this.contexts] : this.contexts)
    this.within(node.inverse, this.contexts)
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    const [first = '', second] = path.parts
    if (path.data) {
      if (first === 'root') this.note(second, path)
      return
    }
    if (path.parts.length === 0 || (!isRelative(path) && this.params.includes(first))) return
    if (this.contexts[path.depth]) this.note(first, path)
  }
}

/** The names that the template reads from its top level, in order; undefined if the template cannot be parsed. */
export const topLevelNames = (source: string): readonly TemplateName[] | undefined => {
  const { program } = parsedTemplate(source)
  if (!program) return undefined
  const finder = new NameFinder()
  finder.accept(program)
  return [...finder.found.values()]
}
