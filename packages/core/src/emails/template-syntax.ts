import Handlebars from 'handlebars'
import { nameOf } from './template-expressions.js'
import { callable } from './template-helpers.js'
import { parserPosition, tooLarge } from './template-limits.js'

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression

const at = ({ loc }: hbs.AST.Node) => `line ${loc.start.line}, column ${loc.start.column + 1}`

const givenTo = (n: number) => (n === 0 ? 'none is given' : `${n} ${n === 1 ? 'is' : 'are'} given`)

const takes = (name: string, { params, hash }: Call): string | undefined => {
  const { arity, block, hash: keys } = callable[name] ?? { arity: { exactly: 0 }, block: false, hash: [] }
  if ('exactly' in arity && params.length !== arity.exactly)
    return `${name} takes ${arity.exactly} argument${arity.exactly === 1 ? '' : 's'}, ${givenTo(params.length)}${block && params.length === 0 ? `; write {{#${name} value}}` : ''}`
  if ('atLeast' in arity && params.length < arity.atLeast)
    return `${name} takes at least ${arity.atLeast} argument, ${givenTo(params.length)}`
  const unknown = hash?.pairs.find(({ key }) => !(keys as readonly string[]).includes(key))
  return unknown && `${name} knows no ${unknown.key}=`
}

/** Walks a template and reports everything outside the language: only the helpers in `callable`, with their arguments, are allowed. */
class Checker extends Handlebars.Visitor {
  readonly violations: string[] = []
  /** First parts of the paths that are read from the root or the current context. */
  readonly variables = new Set<string>()
  /** The paths as written; loop variables such as @index are excluded. */
  readonly paths = new Set<string>()

  private refuse(node: hbs.AST.Node, reason: string) {
    this.violations.push(`${at(node)}: ${reason}`)
  }

  /** Checks a call and its arguments; the helper's name is not a variable. */
  private call(node: Call, block: boolean) {
    const name = nameOf(node)
    const known = Object.hasOwn(callable, name) ? callable[name] : undefined
    if (!known)
      this.refuse(node, block ? `unknown block helper ${name}; loop with {{#each ${name}}}` : `unknown helper ${name}`)
    else if (known.block !== block)
      this.refuse(node, block ? `${name} is no block helper` : `${name} needs a block: {{#${name} …}}`)
    else {
      const wrong = takes(name, node)
      if (wrong) this.refuse(node, wrong)
    }
    for (const param of node.params) this.accept(param)
    for (const pair of node.hash?.pairs ?? []) this.accept(pair.value)
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    const called = node.params.length > 0 || (node.hash?.pairs.length ?? 0) > 0
    if (called || Object.hasOwn(callable, nameOf(node)) || node.path.type === 'SubExpression') this.call(node, false)
    else this.accept(node.path)
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.call(node, false)
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.call(node, true)
    this.accept(node.program)
    if (node.inverse) this.accept(node.inverse)
  }

  override PathExpression({ parts, data }: hbs.AST.PathExpression): void {
    const [first, second] = parts
    if (!data && first) this.variables.add(first)
    if (data && first === 'root' && second) this.variables.add(second)
    const path = data ? (first === 'root' ? parts.slice(1) : []) : parts
    if (path.length > 0) this.paths.add(path.join('.'))
  }

  override PartialStatement(node: hbs.AST.PartialStatement): void {
    this.refuse(node, 'partials are not available')
  }

  override PartialBlockStatement(node: hbs.AST.PartialBlockStatement): void {
    this.refuse(node, 'partials are not available')
  }

  override Decorator(node: hbs.AST.Decorator): void {
    this.refuse(node, 'decorators are not available')
  }

  override DecoratorBlock(node: hbs.AST.DecoratorBlock): void {
    this.refuse(node, 'decorators are not available')
  }
}

const parseViolation = (error: unknown): string => {
  const { message, lineNumber, column } = error as { message: string; lineNumber?: number; column?: number }
  if (lineNumber === undefined || column === undefined) {
    const { line, column: at } = parserPosition()
    return `line ${line}, column ${at}: the template cannot be read here`
  }
  return `line ${lineNumber}, column ${column + 1}: ${message.split('\n', 1)[0]?.replace(/ - \d+:\d+$/, '')}`
}

type Parsed = {
  readonly violations: readonly string[]
  /** Absent if the template exceeds its limits or cannot be parsed. */
  readonly program?: hbs.AST.Program
  readonly checker?: Checker
}

/** Parses the template after checking its limits, and returns its violations. Takes linear time. */
export const parsedTemplate = (source: string): Parsed => {
  const tooMuch = tooLarge(source)
  if (tooMuch !== undefined) return { violations: [tooMuch] }
  try {
    const program = Handlebars.parse(source)
    const checker = new Checker()
    checker.accept(program)
    return { program, checker, violations: checker.violations }
  } catch (error) {
    return { violations: [parseViolation(error)] }
  }
}

/** The template's violations, each with line and column; empty if it is valid (gaps.md, section 4). */
export const checkSyntax = (source: string): readonly string[] => parsedTemplate(source).violations

/** Like `checkSyntax`, with the field's name before each violation. */
export const checkTemplate = (field: string, source: string): readonly string[] =>
  checkSyntax(source).map((violation) => `${field}: ${violation}`)

/** Whether the template reads that top-level variable anywhere. False if the template cannot be parsed. */
export const usesVariable = (source: string, name: string): boolean =>
  parsedTemplate(source).checker?.variables.has(name) ?? false

/** The paths that the template reads, such as `contact.name`; undefined if the template cannot be parsed. */
export const pathsIn = (source: string): readonly string[] | undefined => {
  const { checker } = parsedTemplate(source)
  return checker && [...checker.paths]
}
