import Handlebars from 'handlebars'
import { helperCallName } from './expressions.js'
import { helperSignatures } from './helpers.js'

/** gaps.md, "The template language". Checked before parsing. */
export const templateLimits = {
  /** In characters. */
  length: 1_000_000,
  lines: 50_000,
  /** `{{…}}` of any kind, including comments and closing tags. */
  tags: 2_000,
  /** Names, values and punctuation in all tags together. */
  tokens: 8_000,
  /** Length of one name or value in a tag, in characters. */
  token: 10_000,
  /** Depth of nested blocks, `else if` included, and separately of nested parentheses. */
  nesting: 50,
} as const

type Token = number | string
type Location = { readonly last_line: number; readonly last_column: number }
type FirstLocation = Location & { readonly first_line: number; readonly first_column: number }
type Lexer = { yy: object; yyleng: number; yylloc: FirstLocation; setInput: (source: string) => void; lex: () => Token }

/** The parser's own lexer: the counts match what the parser reads. */
const { lexer, symbols_: symbols } = (
  Handlebars as unknown as { Parser: { lexer: Lexer; symbols_: Readonly<Record<string, number>> } }
).Parser

const tokens = (...names: readonly string[]): ReadonlySet<Token> =>
  new Set(names.flatMap((name) => [name, ...(symbols[name] === undefined ? [] : [symbols[name]])]))

const ends = new Set<Token>([1, ...tokens('EOF', 'INVALID')])
const opensBlock = tokens('OPEN_BLOCK', 'OPEN_INVERSE', 'OPEN_RAW_BLOCK', 'OPEN_PARTIAL_BLOCK')
const chainsBlock = tokens('OPEN_INVERSE_CHAIN')
const closesBlock = tokens('OPEN_ENDBLOCK', 'END_RAW_BLOCK')
const opensBracket = tokens('OPEN_SEXPR')
const closesBracket = tokens('CLOSE_SEXPR')
const tags = new Set<Token>([
  ...opensBlock,
  ...chainsBlock,
  ...closesBlock,
  ...tokens('OPEN', 'OPEN_UNESCAPED', 'OPEN_PARTIAL', 'INVERSE', 'COMMENT'),
])

const texts = tokens('CONTENT', 'COMMENT')

type TemplateSize = {
  readonly tags: number
  readonly tokens: number
  readonly nesting: number
  readonly token: number
}

/** Start of the token that the parser could not use. */
const parserPosition = () => ({ line: lexer.yylloc.first_line, column: lexer.yylloc.first_column + 1 })

/** Counts each nested `else if`. */
const blockDepth = () => {
  const open: number[] = []
  let depth = 0
  return (token: Token): number => {
    if (opensBlock.has(token)) {
      open.push(1)
      depth += 1
    } else if (chainsBlock.has(token) && open.length > 0) {
      open.push((open.pop() ?? 0) + 1)
      depth += 1
    } else if (closesBlock.has(token)) depth -= open.pop() ?? 0
    return depth
  }
}

const within = (size: TemplateSize) =>
  size.tags <= templateLimits.tags &&
  size.token <= templateLimits.token &&
  size.tokens <= templateLimits.tokens &&
  size.nesting <= templateLimits.nesting

/** Linear time, up to the first invalid token. Never less than what the parser would build. */
export const templateComplexity = (source: string): TemplateSize => {
  const depthOf = blockDepth()
  let size: TemplateSize = { tags: 0, tokens: 0, token: 0, nesting: 0 }
  let brackets = 0
  lexer.yy = {}
  lexer.setInput(source)
  try {
    for (let token = lexer.lex(); !ends.has(token) && within(size); token = lexer.lex()) {
      if (opensBracket.has(token)) brackets += 1
      if (closesBracket.has(token)) brackets -= 1
      size = {
        tags: size.tags + (tags.has(token) ? 1 : 0),
        tokens: size.tokens + 1,
        token: texts.has(token) ? size.token : Math.max(size.token, lexer.yyleng),
        nesting: Math.max(size.nesting, depthOf(token), brackets),
      }
    }
  } catch {
    // An invalid token ends parsing, too.
  }
  return size
}

const linesOf = (source: string): number => {
  let lines = 1
  for (let at = source.search(/[\r\n]/); at >= 0 && at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (code === 10 || code === 13) lines += 1
  }
  return lines
}

const number = (n: number) => n.toLocaleString('en-US')

export const templateComplexityProblem = (source: string): string | undefined => {
  const { length, lines, tags: mostTags, token, tokens: mostTokens, nesting } = templateLimits
  if (source.length > length) return `the template has more than ${number(length)} characters`
  if (linesOf(source) > lines) return `the template has more than ${number(lines)} lines`
  const size = templateComplexity(source)
  if (within(size)) return undefined
  const { line, column } = parserPosition()
  const at = `line ${line}, column ${column}`
  if (size.nesting > nesting) return `${at}: nested more than ${nesting} levels deep`
  if (size.token > token) return `${at}: a name or value is longer than ${number(token)} characters`
  if (size.tags > mostTags) return `${at}: the template has more than ${number(mostTags)} tags`
  return `${at}: the tags have more than ${number(mostTokens)} names, values and punctuation marks`
}

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression

const at = ({ loc }: hbs.AST.Node) => `line ${loc.start.line}, column ${loc.start.column + 1}`

const givenTo = (n: number) => (n === 0 ? 'none is given' : `${n} ${n === 1 ? 'is' : 'are'} given`)

const takes = (name: string, { params, hash }: Call): string | undefined => {
  const { arity, block, hash: keys } = helperSignatures[name] ?? { arity: { exactly: 0 }, block: false, hash: [] }
  if ('exactly' in arity && params.length !== arity.exactly)
    return `${name} takes ${arity.exactly} argument${arity.exactly === 1 ? '' : 's'}, ${givenTo(params.length)}${block && params.length === 0 ? `; write {{#${name} value}}` : ''}`
  if ('atLeast' in arity && params.length < arity.atLeast)
    return `${name} takes at least ${arity.atLeast} argument, ${givenTo(params.length)}`
  const unknown = hash?.pairs.find(({ key }) => !(keys as readonly string[]).includes(key))
  return unknown && `${name} has no option ${unknown.key}=`
}

class Checker extends Handlebars.Visitor {
  readonly violations: string[] = []
  readonly variables = new Set<string>()
  /** Without loop variables such as @index. */
  readonly paths = new Set<string>()

  private refuse(node: hbs.AST.Node, reason: string) {
    this.violations.push(`${at(node)}: ${reason}`)
  }

  private call(node: Call, block: boolean) {
    const name = helperCallName(node)
    const known = Object.hasOwn(helperSignatures, name) ? helperSignatures[name] : undefined
    if (!known)
      this.refuse(node, block ? `unknown block helper ${name}; loop with {{#each ${name}}}` : `unknown helper ${name}`)
    else if (known.block !== block)
      this.refuse(
        node,
        block ? `${name} is not a block helper; write {{${name} …}}` : `${name} needs a block: {{#${name} …}}`,
      )
    else {
      const wrong = takes(name, node)
      if (wrong) this.refuse(node, wrong)
    }
    for (const param of node.params) this.accept(param)
    for (const pair of node.hash?.pairs ?? []) this.accept(pair.value)
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    const called = node.params.length > 0 || (node.hash?.pairs.length ?? 0) > 0
    if (called || Object.hasOwn(helperSignatures, helperCallName(node)) || node.path.type === 'SubExpression')
      this.call(node, false)
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
    return `line ${line}, column ${at}: the template has a syntax error here`
  }
  return `line ${lineNumber}, column ${column + 1}: ${message.split('\n', 1)[0]?.replace(/ - \d+:\d+$/, '')}`
}

type Parsed = {
  readonly violations: readonly string[]
  /** Absent if the template exceeds its limits or cannot be parsed. */
  readonly program?: hbs.AST.Program
  readonly checker?: Checker
}

export const parsedTemplate = (source: string): Parsed => {
  const tooMuch = templateComplexityProblem(source)
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

const checkSyntax = (source: string): readonly string[] => parsedTemplate(source).violations

export const templateProblems = (field: string, source: string): readonly string[] =>
  checkSyntax(source).map((violation) => `${field}: ${violation}`)

export const usesVariable = (source: string, name: string): boolean =>
  parsedTemplate(source).checker?.variables.has(name) ?? false

/** Such as `contact.name`; undefined if the template cannot be parsed. */
export const variablePathsIn = (source: string): readonly string[] | undefined => {
  const { checker } = parsedTemplate(source)
  return checker && [...checker.paths]
}
