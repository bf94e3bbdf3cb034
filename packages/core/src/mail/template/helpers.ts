import { type RenderBudget, templateStepCost } from './budget.js'

/** Up to this length, `String.prototype.includes` is fast enough. */
const shortText = 16

/** Knuth, Morris, Pratt 1977. */
const borders = (what: string): Int32Array => {
  const table = new Int32Array(what.length)
  let matched = 0
  for (let i = 1; i < what.length; i += 1) {
    while (matched > 0 && what.charCodeAt(i) !== what.charCodeAt(matched)) matched = table[matched - 1] ?? 0
    if (what.charCodeAt(i) === what.charCodeAt(matched)) matched += 1
    table[i] = matched
  }
  return table
}

/** Linear, where `String.prototype.includes` is quadratic for repetitive texts. */
export const includesInLinearTime = (text: string, what: string): boolean => {
  if (what.length <= shortText) return text.includes(what)
  if (what.length > text.length) return false
  const table = borders(what)
  let matched = 0
  for (let i = 0; i < text.length; i += 1) {
    while (matched > 0 && text.charCodeAt(i) !== what.charCodeAt(matched)) matched = table[matched - 1] ?? 0
    if (text.charCodeAt(i) === what.charCodeAt(matched)) matched += 1
    if (matched === what.length) return true
  }
  return false
}

/** The text of a feed element with attributes; other values unchanged. */
export const feedElementText = (value: unknown): unknown => {
  const text = typeof value === 'object' && !Array.isArray(value) ? ownProperty(value, '#text') : undefined
  return typeof text === 'string' ? text : value
}

const truthy = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))

const text = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** A surrogate pair counts as one. */
const truncated = ({ work }: RenderBudget, value: string, length: unknown): string => {
  const n = Number(length)
  if (!Number.isInteger(n) || n < 0) return value
  work(Math.min(value.length, n + 1))
  let end = 0
  for (let taken = 0; taken < n && end < value.length; taken += 1) end += (value.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end < value.length ? `${value.slice(0, end)}...` : value
}

const includes = ({ work }: RenderBudget, where: unknown, what: unknown): boolean => {
  if (Array.isArray(where)) {
    work(where.length + (typeof what === 'string' ? what.length : 0))
    return where.includes(what)
  }
  if (typeof where !== 'string' || typeof what !== 'string') return false
  work(4 * (where.length + what.length))
  return includesInLinearTime(where, what)
}

/** Comparing texts of equal length charges their length. */
export const equalWithinBudget = ({ work }: RenderBudget, a: unknown, b: unknown): boolean => {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) work(a.length)
  return a === b
}

export const ownProperty = (value: unknown, name: string | number): unknown =>
  value !== null && value !== undefined && Object.hasOwn(typeof value === 'object' ? value : Object(value), name)
    ? (value as Readonly<Record<string | number, unknown>>)[name]
    : undefined

const lookedUp = ({ work }: RenderBudget, value: unknown, field: unknown): unknown => {
  if (typeof field === 'string') work(field.length)
  return typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean'
    ? ownProperty(value, typeof field === 'number' ? field : String(field))
    : undefined
}

/** Each charges the size of its arguments and takes linear time. */
export const inlineHelpers: Readonly<Record<string, (budget: RenderBudget, args: readonly unknown[]) => unknown>> = {
  AND: (_, args) => args.every(truthy),
  OR: (_, args) => args.some(truthy),
  NOT: (_, [value]) => !truthy(value),
  EQ: (spent, [a, b]) => equalWithinBudget(spent, a, b),
  INCLUDES: (spent, [where, what]) => includes(spent, where, what),
  CAPITALIZE: ({ work }, [value]) => {
    const from = text(value)
    work(3 * from.length)
    return from.toUpperCase()
  },
  TRUNCATE: (spent, [value, length]) => truncated(spent, text(value), length),
  DEFAULT: (_, [value, other]) => (value === undefined || value === null || value === '' ? other : value),
  lookup: (spent, [value, field]) => (value ? lookedUp(spent, value, field) : value),
}

const wholeNumber = (value: unknown): number | undefined => {
  const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 ? n : undefined
}

export const eachHelperLoop = (
  { work }: RenderBudget,
  items: unknown,
  hash: Readonly<Record<string, unknown>>,
): { readonly count: number; readonly keyOf: (index: number) => string | number } => {
  const keys = Array.isArray(items) || typeof items !== 'object' || items === null ? undefined : Object.keys(items)
  if (keys) work(templateStepCost * keys.length)
  const length = keys ? keys.length : Array.isArray(items) ? items.length : 0
  const from = wholeNumber(hash.skip) ?? 0
  const count = Math.max(0, Math.min(length - from, wholeNumber(hash.limit) ?? length))
  return { count, keyOf: (index) => keys?.[from + index] ?? from + index }
}

type Arity = { readonly exactly: number } | { readonly atLeast: number }

export const helperSignatures: Readonly<
  Record<string, { readonly block: boolean; readonly arity: Arity; readonly hash: readonly string[] }>
> = {
  each: { block: true, arity: { exactly: 1 }, hash: ['skip', 'limit'] },
  if: { block: true, arity: { exactly: 1 }, hash: ['includeZero'] },
  unless: { block: true, arity: { exactly: 1 }, hash: ['includeZero'] },
  with: { block: true, arity: { exactly: 1 }, hash: [] },
  lookup: { block: false, arity: { exactly: 2 }, hash: [] },
  AND: { block: false, arity: { atLeast: 1 }, hash: [] },
  OR: { block: false, arity: { atLeast: 1 }, hash: [] },
  NOT: { block: false, arity: { exactly: 1 }, hash: [] },
  EQ: { block: false, arity: { exactly: 2 }, hash: [] },
  INCLUDES: { block: false, arity: { exactly: 2 }, hash: [] },
  CAPITALIZE: { block: false, arity: { exactly: 1 }, hash: [] },
  TRUNCATE: { block: false, arity: { exactly: 2 }, hash: [] },
  DEFAULT: { block: false, arity: { exactly: 2 }, hash: [] },
}
