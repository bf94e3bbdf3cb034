/// <reference types="handlebars" preserve="true" />
import { type RenderBudget, templateStepCost } from './budget.js'
import {
  type CompiledExpression,
  type CompiledTemplateStatement,
  type CompileScope,
  compiledExpression,
  helperCallName,
  type LoopVariables,
  type TemplateEvaluationFrame,
  writeNothing,
} from './expressions.js'
import { eachHelperLoop, equalWithinBudget, feedElementText, ownProperty } from './helpers.js'

const isSimple = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const isNothing = (value: unknown) => value === null || value === undefined

/** `..` skips a level with an equal context. Handlebars compares loosely, so 1 within true adds no level. */
const isSameLevel = (spent: RenderBudget, a: unknown, b: unknown): boolean => {
  if (typeof a === typeof b || !isSimple(a) || !isSimple(b))
    return equalWithinBudget(spent, a, b) || (isNothing(a) && isNothing(b))
  spent.work(String(a).length + String(b).length)
  return Number(a) === Number(b)
}

const entered = (
  spent: RenderBudget,
  program: hbs.AST.Program | undefined,
  { contexts, params }: TemplateEvaluationFrame,
  context: unknown,
  data: LoopVariables,
  ...values: readonly unknown[]
): TemplateEvaluationFrame => {
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
  readonly argument: CompiledExpression
  readonly hash: readonly (readonly [key: string, value: CompiledExpression])[]
  readonly body: CompiledTemplateStatement
  readonly otherwise: CompiledTemplateStatement
}

const none: Readonly<Record<string, unknown>> = {}

/** As in Handlebars, a missing context becomes an empty object. */
const unchanged =
  (program: hbs.AST.Program | undefined, write: CompiledTemplateStatement): CompiledTemplateStatement =>
  (spent, frame) => {
    const here = frame.context === null || frame.context === undefined ? { ...frame, context: none } : frame
    write(spent, program?.blockParams ? { ...here, params: { values: [], outer: frame.params } } : here)
  }

const valuesOf = (
  hash: Parts['hash'],
  spent: RenderBudget,
  frame: TemplateEvaluationFrame,
): Readonly<Record<string, unknown>> =>
  hash.length === 0 ? none : Object.fromEntries(hash.map(([key, read]) => [key, read(spent, frame)]))

const isEmpty = (value: unknown) => (!value && value !== 0) || (Array.isArray(value) && value.length === 0)

const condition =
  (negated: boolean) =>
  ({ node, argument, hash, body, otherwise }: Parts): CompiledTemplateStatement => {
    const [yes, no] = [unchanged(node.program, body), unchanged(node.inverse, otherwise)]
    return (spent, frame) => {
      spent.work(templateStepCost)
      const value = feedElementText(argument(spent, frame))
      const { includeZero } = valuesOf(hash, spent, frame)
      const fulfilled = !((!includeZero && !value) || isEmpty(value))
      ;(fulfilled === negated ? no : yes)(spent, frame)
    }
  }

const blockHelpers: Readonly<Record<string, (parts: Parts) => CompiledTemplateStatement>> = {
  if: condition(false),
  unless: condition(true),
  with: ({ node, argument, body, otherwise }) => {
    const no = unchanged(node.inverse, otherwise)
    return (spent, frame) => {
      spent.work(templateStepCost)
      const context = argument(spent, frame)
      if (isEmpty(context)) no(spent, frame)
      else body(spent, entered(spent, node.program, frame, context, frame.data, context))
    }
  },
  each: ({ node, argument, hash, body, otherwise }) => {
    const no = unchanged(node.inverse, otherwise)
    return (spent, frame) => {
      spent.work(templateStepCost)
      const items = argument(spent, frame)
      const { count, keyOf } = eachHelperLoop(spent, items, valuesOf(hash, spent, frame))
      if (count === 0) no(spent, frame)
      const { root } = frame.data
      for (let index = 0; index < count; index += 1) {
        spent.turn()
        const key = keyOf(index)
        const item = ownProperty(items, key)
        const data = { root, key, index, first: index === 0, last: index === count - 1, outer: frame.data }
        body(spent, entered(spent, node.program, frame, item, data, item, key))
      }
    }
  },
}

type CompileBody = (program: hbs.AST.Program | undefined, scope: CompileScope) => CompiledTemplateStatement

/** An unknown helper writes nothing. */
export const compileBlockStatement = (
  node: hbs.AST.BlockStatement,
  scope: CompileScope,
  compileBody: CompileBody,
): CompiledTemplateStatement => {
  const [param] = node.params
  return (
    blockHelpers[helperCallName(node)]?.({
      node,
      argument: param ? compiledExpression(param, scope) : () => undefined,
      hash: (node.hash?.pairs ?? []).map(({ key, value }) => [key, compiledExpression(value, scope)]),
      body: compileBody(node.program, scope),
      otherwise: compileBody(node.inverse, scope),
    }) ?? writeNothing
  )
}
