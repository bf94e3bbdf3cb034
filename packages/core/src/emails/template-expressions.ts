import { step } from './template-budget.js'
import type { Contexts, Data, Read, Scope } from './template-frame.js'
import { elementText, inlineHelpers, property } from './template-helpers.js'

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression
type Expression = hbs.AST.Expression | hbs.AST.PathExpression | hbs.AST.Literal

export const isPath = (node: hbs.AST.Node): node is hbs.AST.PathExpression => node.type === 'PathExpression'
const isCall = (node: hbs.AST.Node): node is hbs.AST.SubExpression => node.type === 'SubExpression'

/** The name of the called helper or of the variable; empty if there is no name. */
export const nameOf = ({ path }: Call): string => ('original' in path ? String(path.original) : '')

/** Follows own properties only; undefined as soon as one is missing. */
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

/** Whether the path starts at a context, even if a block parameter has the name of its first part. */
export const isRelative = ({ depth, original }: hbs.AST.PathExpression): boolean =>
  depth > 0 || /^\.|this\b/.test(original)

/** Compiles a path. A context without `design` uses that of the top level. */
export const pathRead = (path: hbs.AST.PathExpression, { names }: Scope): Read => {
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

/** Compiles the call of an inline helper; an unknown helper returns undefined. */
export const callRead = (call: Call, scope: Scope): Read => {
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

/** Compiles an argument: a path, a call or a literal. */
export const expressionRead = (node: Expression, scope: Scope): Read => {
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

/** `{{"a name"}}` reads the variable of that name. */
export const literalName =
  (name: string): Read =>
  ({ work }, { context }) => {
    work(step)
    return property(context, name)
  }
