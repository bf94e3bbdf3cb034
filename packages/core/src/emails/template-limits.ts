import Handlebars from 'handlebars'

/** Limits of a template (gaps.md, "The template language"). All are checked before parsing. */
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

/** The parser's own lexer, so that the counts match what the parser reads. */
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

export type TemplateSize = {
  readonly tags: number
  readonly tokens: number
  readonly nesting: number
  /** Length of the longest name or value in a tag. */
  readonly token: number
}

/** Where the parser is, or stopped: the start of the token that it could not use. */
export const parserPosition = () => ({ line: lexer.yylloc.first_line, column: lexer.yylloc.first_column + 1 })

/** Tracks the depth of open blocks, counting each nested `else if`. */
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

/**
 * The size of the template, counted token by token in linear time. Stops at the first token that exceeds a limit or is invalid. Never less
 * than what the parser would build.
 */
export const templateSize = (source: string): TemplateSize => {
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
    // An invalid token ends counting here as it ends parsing.
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

/** Which limit the template exceeds, and where; undefined if none. */
export const tooLarge = (source: string): string | undefined => {
  const { length, lines, tags: mostTags, token, tokens: mostTokens, nesting } = templateLimits
  if (source.length > length) return `the template has more than ${number(length)} characters`
  if (linesOf(source) > lines) return `the template has more than ${number(lines)} lines`
  const size = templateSize(source)
  if (within(size)) return undefined
  const { line, column } = parserPosition()
  const at = `line ${line}, column ${column}`
  if (size.nesting > nesting) return `${at}: nested more than ${nesting} levels deep`
  if (size.token > token) return `${at}: a name or value is longer than ${number(token)} characters`
  if (size.tags > mostTags) return `${at}: the template has more than ${number(mostTags)} tags`
  return `${at}: the tags have more than ${number(mostTokens)} names, values and signs`
}
