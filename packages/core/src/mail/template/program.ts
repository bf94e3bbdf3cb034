/// <reference types="handlebars" preserve="true" />
import { byteBoundedCache, textMemoryBytes } from '../../kernel/byte-bounded-cache.js'
import { compileBlockStatement } from './blocks.js'
import { type RenderBudget, RenderFailure, renderBudget, templateStepCost } from './budget.js'
import {
  type CompiledTemplateStatement,
  type CompileScope,
  compileMustache,
  type TemplateEvaluationFrame,
  type TemplateOutputFormat,
  templateEvaluationFrameOf,
  writeNothing,
} from './expressions.js'
import {
  type LinkPiece,
  longestTarget,
  type PieceBetweenMarks,
  piecesBetweenMarks,
  tokenMark,
  trackerOfTemplateContext,
} from './marks.js'
import { parsedTemplate } from './syntax.js'

const isText = (node: hbs.AST.Statement | undefined): node is hbs.AST.ContentStatement =>
  node?.type === 'ContentStatement'

/** A million one-character nodes would take thirty times their length in memory. */
const withoutComments = (body: readonly hbs.AST.Statement[]): readonly hbs.AST.Statement[] => {
  const statements: hbs.AST.Statement[] = []
  for (const node of body) {
    if (node.type === 'CommentStatement') continue
    const last = statements.at(-1)
    if (isText(last) && isText(node))
      statements[statements.length - 1] = { ...last, value: last.value + node.value } as hbs.AST.ContentStatement
    else statements.push(node)
  }
  return statements
}

const block = (program: hbs.AST.Program | undefined, { format, names }: CompileScope): CompiledTemplateStatement =>
  program
    ? sequence(program, { format, names: program.blockParams ? [program.blockParams, ...names] : names })
    : writeNothing

const statement = (node: hbs.AST.Statement, scope: CompileScope): CompiledTemplateStatement => {
  if (node.type === 'MustacheStatement') return compileMustache(node as hbs.AST.MustacheStatement, scope)
  if (node.type === 'BlockStatement') return compileBlockStatement(node as hbs.AST.BlockStatement, scope, block)
  if (node.type !== 'ContentStatement') return writeNothing
  const text = (node as hbs.AST.ContentStatement).value
  return text === '' ? writeNothing : ({ write }) => write(text)
}

/** A link is parsed several times, even if it does not end up in the mail. */
const linkWork = { least: 50 * templateStepCost, perCharacter: 10 }

const trackedLink = ({ link, texts, values }: LinkPiece, scope: CompileScope): CompiledTemplateStatement => {
  const writes = values.map((node) => statement(node, scope))
  return (spent, frame) => {
    spent.work(linkWork.least)
    const written = texts.flatMap((text, i) => {
      const write = writes[i]
      return write ? [text, spent.capture(() => write(spent, frame))] : [text]
    })
    const length = written.reduce((sum, text) => sum + text.length, 0)
    spent.work(Math.max(0, linkWork.perCharacter * length - linkWork.least))
    const tracker = length <= longestTarget ? trackerOfTemplateContext(frame.data.root) : undefined
    spent.write(tracker?.link(link, written) ?? written.join(''))
  }
}

const textWithTokens = (text: string): CompiledTemplateStatement => {
  const [first = '', ...others] = text.split(tokenMark)
  if (others.length === 0) return ({ write }) => write(first)
  return ({ write }, { data: { root } }) => {
    const token = trackerOfTemplateContext(root)?.token ?? ''
    write(first)
    for (const other of others) write(token + other)
  }
}

const markedWrite = (piece: PieceBetweenMarks, scope: CompileScope): CompiledTemplateStatement => {
  if (typeof piece === 'string') return textWithTokens(piece)
  if ('statement' in piece) return statement(piece.statement, scope)
  if ('link' in piece) return trackedLink(piece, scope)
  return ({ write }, { data: { root } }) =>
    write(String(trackerOfTemplateContext(root)?.occurrence(piece.occurrenceOf) ?? 1))
}

const writesOf = (body: readonly hbs.AST.Statement[], scope: CompileScope): readonly CompiledTemplateStatement[] =>
  scope.format === 'tracked'
    ? piecesBetweenMarks(body).map((piece) => markedWrite(piece, scope))
    : withoutComments(body).map((node) => statement(node, scope))

const sequence = ({ body }: hbs.AST.Program, scope: CompileScope): CompiledTemplateStatement => {
  const writes = writesOf(body, scope).filter((write) => write !== writeNothing)
  return (spent, frame) => {
    for (const write of writes) write(spent, frame)
  }
}

/** A text that is no template, as one node. */
export const literalProgram = (text: string): hbs.AST.Program =>
  ({ type: 'Program', body: [{ type: 'ContentStatement', value: text }] }) as unknown as hbs.AST.Program

/** Generates no code. Every node charges its work first. */
const programOf = (
  program: hbs.AST.Program,
  format: TemplateOutputFormat,
): ((context: Readonly<Record<string, unknown>>) => string) => {
  const write = block(program, { format, names: [] })
  return (context) => {
    const spent = renderBudget()
    trackerOfTemplateContext(context)?.begin()
    write(spent, templateEvaluationFrameOf(context))
    return spent.output()
  }
}

/** A shared text with token marks, or a function that writes the piece. */
export type ProgramPart = string | ((spent: RenderBudget, context: Readonly<Record<string, unknown>>) => void)

export const templateProgramParts = (
  { body }: hbs.AST.Program,
  format: TemplateOutputFormat,
): readonly ProgramPart[] => {
  let last: { readonly context: Readonly<Record<string, unknown>>; readonly frame: TemplateEvaluationFrame } | undefined
  const frameFor = (context: Readonly<Record<string, unknown>>): TemplateEvaluationFrame => {
    if (last?.context !== context) last = { context, frame: templateEvaluationFrameOf(context) }
    return last.frame
  }
  const scope = { format, names: [] }
  const written = (write: CompiledTemplateStatement): readonly ProgramPart[] =>
    write === writeNothing ? [] : [(spent, context) => write(spent, frameFor(context))]
  if (format === 'tracked')
    return piecesBetweenMarks(body).flatMap((piece) =>
      typeof piece === 'string' ? [piece] : written(markedWrite(piece, scope)),
    )
  return withoutComments(body).flatMap((node): readonly ProgramPart[] =>
    node.type === 'ContentStatement' ? [(node as hbs.AST.ContentStatement).value] : written(statement(node, scope)),
  )
}

/** @throws RenderFailure if it exceeds its budget or does not fit the values */
export type CompiledTemplate = (context: Readonly<Record<string, unknown>>) => string

const compiled = (source: string, format: TemplateOutputFormat, isLiteral: boolean): CompiledTemplate => {
  if (isLiteral || !source.includes('{{'))
    return format === 'tracked'
      ? (context) => source.replaceAll(tokenMark, trackerOfTemplateContext(context)?.token ?? '')
      : () => source
  const parsed = parsedTemplate(source)
  const [violation] = parsed.violations
  if (!parsed.program || violation !== undefined) throw new RenderFailure(violation ?? 'The template cannot be read.')
  const run = programOf(parsed.program, format)
  return (context) => {
    try {
      return run(context)
    } catch (error) {
      if (error instanceof RenderFailure) throw error
      throw new RenderFailure(error instanceof Error ? error.message : String(error))
    }
  }
}

/** In memory, in addition to the source. */
const bytesOfTag = 2_000

const recent = byteBoundedCache<string, CompiledTemplate>({
  maxBytes: 16 * 1024 * 1024,
  largestEntry: 4 * 1024 * 1024,
  sizeOf: (key) => textMemoryBytes(key) * 2 + (key.split('{{').length - 1) * bytesOfTag,
})

/**
 * Mails of the same email share the cached result.
 * @param isLiteral the text is no template: `{{` is written as it is
 * @throws RenderFailure with line and column for an invalid template
 */
export const compileTemplate = (source: string, format: TemplateOutputFormat, isLiteral = false): CompiledTemplate => {
  const key = `${isLiteral ? 'literal-' : ''}${format}:${source}`
  const found = recent.get(key)
  if (found) return found
  const template = compiled(source, format, isLiteral)
  recent.set(key, template)
  return template
}
