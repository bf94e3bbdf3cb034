/// <reference types="handlebars" preserve="true" />
import { type RenderBudget, templateStepCost } from './budget.js'
import { feedElementText, inlineHelpers, ownProperty } from './helpers.js'

/** HTML-escaped, or unchanged; `tracked` is HTML with link marks. */
export type TemplateOutputFormat = 'html' | 'text' | 'tracked'

/** `@index`, `@key`, … of a loop; `root` is always set. */
export type LoopVariables = {
  readonly root: unknown
  readonly key?: string | number
  readonly index?: number
  readonly first?: boolean
  readonly last?: boolean
  readonly outer?: LoopVariables
}
/** `../` reads the outer context. */
type Contexts = { readonly context: unknown; readonly outer: Contexts | undefined }
type BlockParams = { readonly values: readonly unknown[]; readonly outer: BlockParams | undefined }

export type TemplateEvaluationFrame = {
  readonly context: unknown
  readonly contexts: Contexts
  readonly data: LoopVariables
  readonly params: BlockParams | undefined
}
/** Charges its work, then writes its output. */
export type CompiledTemplateStatement = (spent: RenderBudget, frame: TemplateEvaluationFrame) => void
/** Charges its work, then returns its value. */
export type CompiledExpression = (spent: RenderBudget, frame: TemplateEvaluationFrame) => unknown
/** Names of block parameters, innermost block first. */
export type CompileScope = { readonly format: TemplateOutputFormat; readonly names: readonly (readonly string[])[] }

export const writeNothing: CompiledTemplateStatement = () => undefined

export const templateEvaluationFrameOf = (context: Readonly<Record<string, unknown>>): TemplateEvaluationFrame => ({
  context,
  contexts: { context, outer: undefined },
  data: { root: context },
  params: undefined,
})

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression
type Expression = hbs.AST.Expression | hbs.AST.PathExpression | hbs.AST.Literal

export const isPathExpression = (node: hbs.AST.Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'
const isCall = (node: hbs.AST.Node): node is hbs.AST.SubExpression => node.type === 'SubExpression'

export const helperCallName = ({ path }: Call): string => ('original' in path ? String(path.original) : '')

/** Own properties only. */
const follow = (start: unknown, parts: readonly string[], from = 0): unknown => {
  let value = start
  for (let i = from; i < parts.length && value !== null && value !== undefined; i += 1)
    value = ownProperty(value, parts[i] as string)
  return value
}

const contextAt = (contexts: Contexts | undefined, depth: number): unknown => {
  let at = contexts
  for (let left = depth; left > 0; left -= 1) at = at?.outer
  return at?.context
}

const dataPath = ({ parts, depth }: hbs.AST.PathExpression): CompiledExpression => {
  const cost = templateStepCost * (parts.length + depth)
  const outer = parts[0] === 'outer'
  return ({ work }, { data }) => {
    work(cost)
    let at: LoopVariables | undefined = data
    for (let left = depth; left > 0; left -= 1) at = at?.outer
    return outer ? undefined : follow(at, parts)
  }
}

const blockParamPath = (parts: readonly string[], block: number, index: number): CompiledExpression => {
  const cost = templateStepCost * (parts.length + block)
  return ({ work }, { params }) => {
    work(cost)
    let at = params
    for (let left = block; left > 0; left -= 1) at = at?.outer
    return follow(at?.values[index], parts, 1)
  }
}

/** Relative paths start at a context, whatever block parameters are named. */
export const isRelativePath = ({ depth, original }: hbs.AST.PathExpression): boolean =>
  depth > 0 || /^\.|this\b/.test(original)

/** A context without `design` uses that of the top level. */
const pathReader = (path: hbs.AST.PathExpression, { names }: CompileScope): CompiledExpression => {
  const { parts, depth } = path
  const [first] = parts
  if (path.data) return dataPath(path)
  const block = isRelativePath(path) ? -1 : names.findIndex((own) => own.includes(first ?? ''))
  if (block >= 0) return blockParamPath(parts, block, names[block]?.indexOf(first ?? '') ?? 0)
  const cost = templateStepCost * (1 + parts.length + depth)
  if (depth > 0)
    return ({ work }, { contexts }) => {
      work(cost)
      return follow(contextAt(contexts, depth), parts)
    }
  const isDesign = first === 'design' && !isRelativePath(path)
  return ({ work }, { context, data }) => {
    work(cost)
    return follow(isDesign && ownProperty(context, first) === undefined ? data.root : context, parts)
  }
}

/** An unknown helper returns undefined. */
const callReader = (call: Call, scope: CompileScope): CompiledExpression => {
  const args = call.params.map((param) => compiledExpression(param, scope))
  const help = inlineHelpers[helperCallName(call)] ?? (() => undefined)
  const takesElements = helperCallName(call) === 'lookup'
  return (spent, frame) => {
    spent.work(templateStepCost)
    return help(
      spent,
      args.map((read) => (takesElements ? read(spent, frame) : feedElementText(read(spent, frame)))),
    )
  }
}

export const compiledExpression = (node: Expression, scope: CompileScope): CompiledExpression => {
  if (isPathExpression(node)) return pathReader(node, scope)
  if (isCall(node)) return callReader(node, scope)
  const value =
    node.type === 'NullLiteral'
      ? null
      : node.type === 'UndefinedLiteral'
        ? undefined
        : (node as hbs.AST.Literal & { value: unknown }).value
  return () => value
}

/** `{{"a name"}}` reads the variable of that name. */
const literalNameReader =
  (name: string): CompiledExpression =>
  ({ work }, { context }) => {
    work(templateStepCost)
    return ownProperty(context, name)
  }

const printed = (spent: RenderBudget, given: unknown): string => {
  const value = feedElementText(given)
  if (typeof value === 'string') return value
  if (value === null || value === undefined || typeof value === 'function') return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return '[object Object]'
  spent.work(templateStepCost * value.length)
  const parts = value.map((one) => printed(spent, one))
  spent.work(parts.reduce((sum, part) => sum + part.length + 1, 0))
  return parts.join(',')
}

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

const escaped = ({ work }: RenderBudget, text: string): string => {
  work(text.length)
  const first = text.search(escapable)
  if (first < 0) return text
  let out = ''
  let from = 0
  for (let i = first; i < text.length; i += 1) {
    const entity = entities[text.charCodeAt(i)]
    if (entity === undefined) continue
    work(templateStepCost)
    out += text.slice(from, i) + entity
    from = i + 1
  }
  return out + text.slice(from)
}

export const compileMustache = (node: hbs.AST.MustacheStatement, scope: CompileScope): CompiledTemplateStatement => {
  const { path } = node
  const called = Object.hasOwn(inlineHelpers, helperCallName(node)) && !(isPathExpression(path) && path.data)
  const read = called
    ? callReader(node, scope)
    : isPathExpression(path)
      ? pathReader(path, scope)
      : literalNameReader(helperCallName(node))
  if (scope.format === 'text' || !node.escaped)
    return (spent, frame) => {
      const text = printed(spent, read(spent, frame))
      spent.work(text.length)
      spent.write(text)
    }
  return (spent, frame) => spent.write(escaped(spent, printed(spent, read(spent, frame))))
}
