import { type Budget, budget, step } from './template-budget.js'
import { elementText, equal, inlineHelpers, loopOf, property } from './template-helpers.js'
import { type LinkPiece, type MarkedPiece, markedPieces, tokenMark, trackerIn } from './template-marks.js'

/** How values are written: escaped for HTML, or as they are for text and header lines. `tracked` is HTML with marks for a mail's links. */
export type TemplateFormat = 'html' | 'text' | 'tracked'

/** What `@index`, `@key`, … mean in a loop; `root` everywhere. */
type Data = {
  readonly root: unknown
  readonly key?: string | number
  readonly index?: number
  readonly first?: boolean
  readonly last?: boolean
  readonly outer?: Data
}
/** The contexts around: `../` is the second of them. */
type Contexts = { readonly context: unknown; readonly outer: Contexts | undefined }
type BlockParams = { readonly values: readonly unknown[]; readonly outer: BlockParams | undefined }

type Frame = {
  readonly context: unknown
  readonly contexts: Contexts
  readonly data: Data
  readonly params: BlockParams | undefined
}
type Write = (spent: Budget, frame: Frame) => void
type Read = (spent: Budget, frame: Frame) => unknown
/** What is known of a place in the template: names of block parameters, the innermost block's first. */
type Scope = { readonly format: TemplateFormat; readonly names: readonly (readonly string[])[] }

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression
type Expression = hbs.AST.Expression | hbs.AST.PathExpression | hbs.AST.Literal

const isPath = (node: hbs.AST.Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'
const isCall = (node: hbs.AST.Node): node is hbs.AST.SubExpression => node.type === 'SubExpression'

export const nameOf = ({ path }: Call): string => ('original' in path ? String(path.original) : '')

/** Own properties only, one after the other; nothing of nothing. */
const follow = (start: unknown, parts: readonly string[], from = 0): unknown => {
  let value = start
  for (let i = from; i < parts.length && value !== null && value !== undefined; i += 1)
    value = property(value, parts[i] as string)
  return value
}

const contextAt = (contexts: Contexts | undefined, depth: number): unknown => {
  let at = contexts
  for (let left = depth; left > 0; left -= 1) at = at?.outer
  return at?.context
}

const dataPath = ({ parts, depth }: hbs.AST.PathExpression): Read => {
  const cost = step * (parts.length + depth)
  const outer = parts[0] === 'outer'
  return ({ work }, { data }) => {
    work(cost)
    let at: Data | undefined = data
    for (let left = depth; left > 0; left -= 1) at = at?.outer
    return outer ? undefined : follow(at, parts)
  }
}

const blockParamPath = (parts: readonly string[], block: number, index: number): Read => {
  const cost = step * (parts.length + block)
  return ({ work }, { params }) => {
    work(cost)
    let at = params
    for (let left = block; left > 0; left -= 1) at = at?.outer
    return follow(at?.values[index], parts, 1)
  }
}

/** Whether the path begins at a context, whatever block parameter is called like its first name. */
export const isRelative = ({ depth, original }: hbs.AST.PathExpression): boolean =>
  depth > 0 || /^\.|this\b/.test(original)

/** What has no `design` of its own sees that of the top level. */
const pathRead = (path: hbs.AST.PathExpression, { names }: Scope): Read => {
  const { parts, depth } = path
  const [first] = parts
  if (path.data) return dataPath(path)
  const block = isRelative(path) ? -1 : names.findIndex((own) => own.includes(first ?? ''))
  if (block >= 0) return blockParamPath(parts, block, names[block]?.indexOf(first ?? '') ?? 0)
  const cost = step * (1 + parts.length + depth)
  if (depth > 0)
    return ({ work }, { contexts }) => {
      work(cost)
      return follow(contextAt(contexts, depth), parts)
    }
  const isDesign = first === 'design' && !isRelative(path)
  return ({ work }, { context, data }) => {
    work(cost)
    return follow(isDesign && property(context, first) === undefined ? data.root : context, parts)
  }
}

const callRead = (call: Call, scope: Scope): Read => {
  const args = call.params.map((param) => expressionRead(param, scope))
  const help = inlineHelpers[nameOf(call)] ?? (() => undefined)
  const takesElements = nameOf(call) === 'lookup'
  return (spent, frame) => {
    spent.work(step)
    return help(
      spent,
      args.map((read) => (takesElements ? read(spent, frame) : elementText(read(spent, frame)))),
    )
  }
}

const expressionRead = (node: Expression, scope: Scope): Read => {
  if (isPath(node)) return pathRead(node, scope)
  if (isCall(node)) return callRead(node, scope)
  const value =
    node.type === 'NullLiteral'
      ? null
      : node.type === 'UndefinedLiteral'
        ? undefined
        : (node as hbs.AST.Literal & { value: unknown }).value
  return () => value
}

/** What a value is where it is printed, charged before it is made. */
const printed = (spent: Budget, given: unknown): string => {
  const value = elementText(given)
  if (typeof value === 'string') return value
  if (value === null || value === undefined || typeof value === 'function') return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return '[object Object]'
  spent.work(step * value.length)
  const parts = value.map((one) => printed(spent, one))
  spent.work(parts.reduce((sum, part) => sum + part.length + 1, 0))
  return parts.join(',')
}

/** As Handlebars escapes; by character code. */
const entities: readonly (string | undefined)[] = Array.from({ length: 128 }, (_, code) =>
  new Map([
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
    ["'", '&#x27;'],
    ['`', '&#x60;'],
    ['=', '&#x3D;'],
  ]).get(String.fromCharCode(code)),
)
const escapable = /[&<>"'`=]/

const escaped = ({ work }: Budget, text: string): string => {
  work(text.length)
  const first = text.search(escapable)
  if (first < 0) return text
  let out = ''
  let from = 0
  for (let i = first; i < text.length; i += 1) {
    const entity = entities[text.charCodeAt(i)]
    if (entity === undefined) continue
    work(step)
    out += text.slice(from, i) + entity
    from = i + 1
  }
  return out + text.slice(from)
}

const mustache = (node: hbs.AST.MustacheStatement, scope: Scope): Write => {
  const { path } = node
  const called = Object.hasOwn(inlineHelpers, nameOf(node)) && !(isPath(path) && path.data)
  const read = called ? callRead(node, scope) : isPath(path) ? pathRead(path, scope) : literalName(nameOf(node))
  if (scope.format === 'text' || !node.escaped)
    return (spent, frame) => {
      const text = printed(spent, read(spent, frame))
      spent.work(text.length)
      spent.write(text)
    }
  return (spent, frame) => spent.write(escaped(spent, printed(spent, read(spent, frame))))
}

/** `{{"a name"}}` reads the variable of that name. */
const literalName =
  (name: string): Read =>
  ({ work }, { context }) => {
    work(step)
    return property(context, name)
  }

const nothing: Write = () => undefined

const block = (program: hbs.AST.Program | undefined, { format, names }: Scope): Write =>
  program
    ? sequence(program, { format, names: program.blockParams ? [program.blockParams, ...names] : names })
    : nothing

const isSimple = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const isNothing = (value: unknown) => value === null || value === undefined

/** Whether `..` leads past both at once: Handlebars compares contexts loosely, so that 1 within true is no level of its own. */
const isSameLevel = (spent: Budget, a: unknown, b: unknown): boolean => {
  if (typeof a === typeof b || !isSimple(a) || !isSimple(b)) return equal(spent, a, b) || (isNothing(a) && isNothing(b))
  spent.work(String(a).length + String(b).length)
  return Number(a) === Number(b)
}

/** The frame of a block of its own context. */
const entered = (
  spent: Budget,
  program: hbs.AST.Program | undefined,
  { contexts, params }: Frame,
  context: unknown,
  data: Data,
  ...values: readonly unknown[]
): Frame => {
  const same = isSameLevel(spent, context, contexts.context)
  return {
    context,
    contexts: same ? contexts : { context, outer: contexts },
    data,
    params: program?.blockParams ? { values, outer: params } : params,
  }
}

type Parts = {
  readonly node: hbs.AST.BlockStatement
  readonly argument: Read
  readonly hash: readonly (readonly [key: string, value: Read])[]
  readonly body: Write
  readonly otherwise: Write
}

const none: Readonly<Record<string, unknown>> = {}

/**
 * Within `if`, `unless` and every `else` all is as around them; a block parameter of theirs is nothing, and where there is nothing
 * around them an empty object is, as in Handlebars.
 */
const unchanged =
  (program: hbs.AST.Program | undefined, write: Write): Write =>
  (spent, frame) => {
    const here = frame.context === null || frame.context === undefined ? { ...frame, context: none } : frame
    write(spent, program?.blockParams ? { ...here, params: { values: [], outer: frame.params } } : here)
  }

const valuesOf = (hash: Parts['hash'], spent: Budget, frame: Frame): Readonly<Record<string, unknown>> =>
  hash.length === 0 ? none : Object.fromEntries(hash.map(([key, read]) => [key, read(spent, frame)]))

const isEmpty = (value: unknown) => (!value && value !== 0) || (Array.isArray(value) && value.length === 0)

const condition =
  (negated: boolean) =>
  ({ node, argument, hash, body, otherwise }: Parts): Write => {
    const [yes, no] = [unchanged(node.program, body), unchanged(node.inverse, otherwise)]
    return (spent, frame) => {
      spent.work(step)
      const value = elementText(argument(spent, frame))
      const { includeZero } = valuesOf(hash, spent, frame)
      const fulfilled = !((!includeZero && !value) || isEmpty(value))
      ;(fulfilled === negated ? no : yes)(spent, frame)
    }
  }

const blockHelpers: Readonly<Record<string, (parts: Parts) => Write>> = {
  if: condition(false),
  unless: condition(true),
  with: ({ node, argument, body, otherwise }) => {
    const no = unchanged(node.inverse, otherwise)
    return (spent, frame) => {
      spent.work(step)
      const context = argument(spent, frame)
      if (isEmpty(context)) no(spent, frame)
      else body(spent, entered(spent, node.program, frame, context, frame.data, context))
    }
  },
  each: ({ node, argument, hash, body, otherwise }) => {
    const no = unchanged(node.inverse, otherwise)
    return (spent, frame) => {
      spent.work(step)
      const items = argument(spent, frame)
      const { count, keyOf } = loopOf(spent, items, valuesOf(hash, spent, frame))
      if (count === 0) no(spent, frame)
      const { root } = frame.data
      for (let index = 0; index < count; index += 1) {
        spent.turn()
        const key = keyOf(index)
        const item = property(items, key)
        const data = { root, key, index, first: index === 0, last: index === count - 1, outer: frame.data }
        body(spent, entered(spent, node.program, frame, item, data, item, key))
      }
    }
  },
}

const blockStatement = (node: hbs.AST.BlockStatement, scope: Scope): Write => {
  const [param] = node.params
  return (
    blockHelpers[nameOf(node)]?.({
      node,
      argument: param ? expressionRead(param, scope) : () => undefined,
      hash: (node.hash?.pairs ?? []).map(({ key, value }) => [key, expressionRead(value, scope)]),
      body: block(node.program, scope),
      otherwise: block(node.inverse, scope),
    }) ?? nothing
  )
}

const statement = (node: hbs.AST.Statement, scope: Scope): Write => {
  if (node.type === 'MustacheStatement') return mustache(node as hbs.AST.MustacheStatement, scope)
  if (node.type === 'BlockStatement') return blockStatement(node as hbs.AST.BlockStatement, scope)
  if (node.type !== 'ContentStatement') return nothing
  const text = (node as hbs.AST.ContentStatement).value
  return text === '' ? nothing : ({ write }) => write(text)
}

/** What the tracking of a link costs beside what it writes. */
const linkWork = 50 * step

/** A link with tags: its values are written aside, and the mail's tracker makes the link of them. */
const trackedLink = ({ link, texts, values }: LinkPiece, scope: Scope): Write => {
  const writes = values.map((node) => statement(node, scope))
  return (spent, frame) => {
    spent.work(linkWork)
    const written = texts.flatMap((text, i) => {
      const write = writes[i]
      return write ? [text, spent.capture(() => write(spent, frame))] : [text]
    })
    spent.write(trackerIn(frame.data.root)?.link(link, written) ?? written.join(''))
  }
}

const textWithTokens = (text: string): Write => {
  const [first = '', ...others] = text.split(tokenMark)
  if (others.length === 0) return ({ write }) => write(first)
  return ({ write }, { data: { root } }) => {
    const token = trackerIn(root)?.token ?? ''
    write(first)
    for (const other of others) write(token + other)
  }
}

const markedWrite = (piece: MarkedPiece, scope: Scope): Write => {
  if (typeof piece === 'string') return textWithTokens(piece)
  if ('statement' in piece) return statement(piece.statement, scope)
  if ('link' in piece) return trackedLink(piece, scope)
  return ({ write }, { data: { root } }) => write(String(trackerIn(root)?.occurrence(piece.occurrenceOf) ?? 1))
}

const writesOf = (body: readonly hbs.AST.Statement[], scope: Scope): readonly Write[] =>
  scope.format === 'tracked'
    ? markedPieces(body).map((piece) => markedWrite(piece, scope))
    : body.map((node) => statement(node, scope))

const sequence = ({ body }: hbs.AST.Program, scope: Scope): Write => {
  const writes = writesOf(body, scope).filter((write) => write !== nothing)
  return (spent, frame) => {
    for (const write of writes) write(spent, frame)
  }
}

const frameOf = (context: Readonly<Record<string, unknown>>): Frame => ({
  context,
  contexts: { context, outer: undefined },
  data: { root: context },
  params: undefined,
})

/**
 * What a checked template writes, for any context: its parts are walked, no code is made of them. Every part charges what it
 * touches before it does.
 */
export const programOf = (
  program: hbs.AST.Program,
  format: TemplateFormat,
): ((context: Readonly<Record<string, unknown>>) => string) => {
  const write = block(program, { format, names: [] })
  return (context) => {
    const spent = budget()
    trackerIn(context)?.begin()
    write(spent, frameOf(context))
    return spent.output()
  }
}

/**
 * A piece of a program in the order of the template: a text that every context gets alike, but for the tokens that its marks stand for,
 * or what writes the rest.
 */
export type ProgramPart = string | ((spent: Budget, context: Readonly<Record<string, unknown>>) => void)

/** As `programOf`, piece by piece: together they write what the program does. */
export const partsOf = ({ body }: hbs.AST.Program, format: TemplateFormat): readonly ProgramPart[] => {
  let last: { readonly context: Readonly<Record<string, unknown>>; readonly frame: Frame } | undefined
  const frameFor = (context: Readonly<Record<string, unknown>>): Frame => {
    if (last?.context !== context) last = { context, frame: frameOf(context) }
    return last.frame
  }
  const scope = { format, names: [] }
  const written = (write: Write): readonly ProgramPart[] =>
    write === nothing ? [] : [(spent, context) => write(spent, frameFor(context))]
  if (format === 'tracked')
    return markedPieces(body).flatMap((piece) =>
      typeof piece === 'string' ? [piece] : written(markedWrite(piece, scope)),
    )
  return body.flatMap((node): readonly ProgramPart[] =>
    node.type === 'ContentStatement' ? [(node as hbs.AST.ContentStatement).value] : written(statement(node, scope)),
  )
}
