/** What the template language can ask about a field (`EQ`, `INCLUDES`, `NOT`). */
export const comparisons = ['filled', 'empty', 'equals', 'differs', 'contains', 'lacks'] as const
export type Comparison = (typeof comparisons)[number]

/** Texts, numbers and truth values are never equal to each other in a template. */
export type ValueKind = 'text' | 'number' | 'boolean'

export type Condition = {
  readonly field: string
  readonly comparison: Comparison
  readonly value: string
  readonly kind: ValueKind
}

const path = String.raw`[\w.@/-]+`
const literal = String.raw`"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?|true|false`
const call = (helper: string) => String.raw`\(\s*${helper}\s+(${path})\s+(${literal})\s*\)`
const negated = (text: string) => String.raw`\(\s*NOT\s+${text}\s*\)`

const forms = [
  ['filled', `(${path})`],
  ['empty', negated(`(${path})`)],
  ['equals', call('EQ')],
  ['differs', negated(call('EQ'))],
  ['contains', call('INCLUDES')],
  ['lacks', negated(call('INCLUDES'))],
] as const satisfies readonly (readonly [Comparison, string])[]

const patterns = forms.map(([comparison, form]) => [comparison, new RegExp(`^\\s*${form}\\s*$`)] as const)

/** Undefined for a condition that cannot be shown as a field, a comparison and a value. */
export const conditionOf = (expression: string): Condition | undefined => {
  for (const [comparison, pattern] of patterns) {
    const [, field, written = ''] = pattern.exec(expression) ?? []
    if (field === undefined) continue
    const isText = /^["']/.test(written) || written === ''
    const kind = isText ? 'text' : /^(?:true|false)$/.test(written) ? 'boolean' : 'number'
    return { field, comparison, value: isText ? written.slice(1, -1) : written, kind }
  }
  return undefined
}

/** Without what a text of the template language cannot contain. */
const quoted = (value: string): string => {
  const text = value.replace(/[{}\\\n]/g, '')
  return text.includes('"') ? `'${text.replaceAll("'", '’')}'` : `"${text}"`
}

const literalOf = ({ kind, value }: Condition): string =>
  (kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(value)) || (kind === 'boolean' && /^(?:true|false)$/.test(value))
    ? value
    : quoted(value)

export const expressionOf = (condition: Condition): string => {
  const { field, comparison } = condition
  const value = literalOf(condition)
  switch (comparison) {
    case 'filled':
      return field
    case 'empty':
      return `(NOT ${field})`
    case 'equals':
      return `(EQ ${field} ${value})`
    case 'differs':
      return `(NOT (EQ ${field} ${value}))`
    case 'contains':
      return `(INCLUDES ${field} ${value})`
    case 'lacks':
      return `(NOT (INCLUDES ${field} ${value}))`
  }
}
