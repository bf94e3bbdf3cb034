import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue | z.core.$ZodIssue

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const expectedKind = (kind: string): string => `expected ${kinds[kind] ?? 'a value of another kind'}`

/** In characters. */
const longestQuote = 40

/** The value, or its kind if it is too long. */
const given = (value: unknown): string => {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : 'an object'
}

export const wrongKindMessage = (kind: string, value: unknown): string => `${expectedKind(kind)}, got ${given(value)}`

const quoted = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value)
    : given(value)

const listed = (values: readonly unknown[]): string => {
  const texts = values.map((value) => (value === '' ? 'an empty text' : String(value)))
  return texts.length === 1 ? `${texts[0]}` : `one of ${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
}

const limit = (origin: string, bound: string, most: number | bigint): string => {
  const unit = units[origin]
  return unit ? `expected ${bound} ${most} ${most === 1 ? unit[0] : unit[1]}` : `expected ${bound} ${most}`
}

const measured = (origin: string, input: unknown): string =>
  units[origin] && (typeof input === 'string' || Array.isArray(input)) ? String(input.length) : given(input)

type Words = { readonly rule: string; readonly problem?: string }

const formats: Readonly<Record<string, string>> = { url: 'expected a URL', email: 'Invalid email format' }

const wordsOf = (issue: Issue): Words => {
  const { input } = issue
  switch (issue.code) {
    case 'invalid_type':
      return { rule: expectedKind(issue.expected), problem: given(input) }
    case 'invalid_value':
      return { rule: `expected ${listed(issue.values)}`, problem: quoted(input) }
    case 'too_small':
      if (issue.origin === 'string' && input === '') return { rule: 'must not be empty' }
      return {
        rule: limit(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum),
        problem: measured(issue.origin, input),
      }
    case 'too_big':
      return {
        rule: limit(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum),
        problem: measured(issue.origin, input),
      }
    case 'not_multiple_of':
      return { rule: `expected a multiple of ${issue.divisor}`, problem: given(input) }
    case 'invalid_format':
      return { rule: formats[issue.format] ?? 'does not have the expected form' }
    case 'invalid_union':
      return { rule: anyOf(issue.errors) || 'is none of the values that are taken' }
    case 'invalid_key':
      return { rule: 'has a name that is not taken' }
    default:
      return { rule: 'is not taken' }
  }
}

const anyOf = (errors: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const rules = errors.flatMap(([first]) => {
    if (!first) return []
    const { rule } = wordsOf(first)
    return first.message.startsWith(rule) ? rule : first.message
  })
  return [...new Set(rules)].map((rule, index) => (index === 0 ? rule : rule.replace(/^expected /, ''))).join(' or ')
}

/** The rule with its limit, and the actual value. The only place that turns zod's issues into words. */
export const issueMessage = (issue: Issue): string => {
  const { rule, problem } = wordsOf(issue)
  return problem === undefined ? rule : `${rule}, got ${problem}`
}
