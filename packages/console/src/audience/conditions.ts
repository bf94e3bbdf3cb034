import type { CustomField, Segment } from '../api/types.js'
import type { Messages } from '../text/en.js'

export type Condition = NonNullable<Segment['groups'][number]['conditions']>[number]
export type Operator = Condition['operator']

/** A property with its type, the tags, or what the contact did with mails. */
export type ConditionSubject = {
  readonly id: string
  readonly label: string
  readonly kind: 'string' | 'number' | 'boolean' | 'date' | 'tags' | 'engagement'
}

type Value = 'none' | 'text' | 'number' | 'date' | 'days' | 'tag'

/** Value of each operator of the API; a missing one does not compile. */
export const operatorValues = {
  any: 'none',
  equals: 'text',
  'does-not-equal': 'text',
  contains: 'text',
  'does-not-contain': 'text',
  'is-empty': 'none',
  'is-not-empty': 'none',
  'is-true': 'none',
  'is-false': 'none',
  'greater-than': 'number',
  'greater-than-or-equal': 'number',
  'less-than': 'number',
  'less-than-or-equal': 'number',
  'has-tag': 'tag',
  'does-not-have-tag': 'tag',
  opened: 'days',
  'not-opened': 'days',
  clicked: 'days',
  'not-clicked': 'days',
  received: 'days',
  'not-received': 'days',
  'date-equals': 'date',
  'date-before': 'date',
  'date-after': 'date',
  'date-in-last': 'days',
  'date-more-than': 'days',
} as const satisfies Readonly<Record<Operator, Value>>

export const operatorsByKind = {
  string: ['equals', 'does-not-equal', 'contains', 'does-not-contain', 'is-empty', 'is-not-empty', 'any'],
  number: [
    'equals',
    'does-not-equal',
    'greater-than',
    'greater-than-or-equal',
    'less-than',
    'less-than-or-equal',
    'is-empty',
    'is-not-empty',
    'any',
  ],
  boolean: ['is-true', 'is-false', 'is-empty', 'is-not-empty', 'any'],
  date: [
    'date-equals',
    'date-before',
    'date-after',
    'date-in-last',
    'date-more-than',
    'is-empty',
    'is-not-empty',
    'any',
  ],
  tags: ['has-tag', 'does-not-have-tag'],
  engagement: ['opened', 'not-opened', 'clicked', 'not-clicked', 'received', 'not-received'],
} as const satisfies Readonly<Record<ConditionSubject['kind'], readonly Operator[]>>

export const operatorLabels = {
  any: 'opAny',
  equals: 'opEquals',
  'does-not-equal': 'opNotEquals',
  contains: 'opContains',
  'does-not-contain': 'opNotContains',
  'is-empty': 'opEmpty',
  'is-not-empty': 'opNotEmpty',
  'is-true': 'opTrue',
  'is-false': 'opFalse',
  'greater-than': 'opGreater',
  'greater-than-or-equal': 'opAtLeast',
  'less-than': 'opLess',
  'less-than-or-equal': 'opAtMost',
  'has-tag': 'opHasTag',
  'does-not-have-tag': 'opNoTag',
  opened: 'opOpened',
  'not-opened': 'opNotOpened',
  clicked: 'opClicked',
  'not-clicked': 'opNotClicked',
  received: 'opReceived',
  'not-received': 'opNotReceived',
  'date-equals': 'opOn',
  'date-before': 'opBefore',
  'date-after': 'opAfter',
  'date-in-last': 'opInLast',
  'date-more-than': 'opMoreThan',
} as const satisfies Readonly<Record<Operator, keyof Messages>>

export const subjectsOf = (
  fields: readonly CustomField[],
  say: (key: keyof Messages) => string,
): readonly ConditionSubject[] => [
  { id: 'name', label: say('name'), kind: 'string' },
  { id: 'email', label: say('email'), kind: 'string' },
  { id: '#tags', label: say('tags'), kind: 'tags' },
  { id: '#engagement', label: say('engagement'), kind: 'engagement' },
  { id: 'createdAt', label: say('added'), kind: 'date' },
  ...fields.map(({ name, type }) => ({ id: name, label: name, kind: type })),
]

const engagement: readonly Operator[] = operatorsByKind.engagement
const tagOperators: readonly Operator[] = operatorsByKind.tags

/** A condition on a deleted field keeps the field's name as its subject. */
export const subjectOf = (
  { category, operator, property }: Condition,
  subjects: readonly ConditionSubject[],
): ConditionSubject => {
  const id =
    category === 'engagement' || engagement.includes(operator)
      ? '#engagement'
      : tagOperators.includes(operator)
        ? '#tags'
        : (property ?? 'name')
  return subjects.find((one) => one.id === id) ?? { id, label: id, kind: 'string' }
}

export const conditionOn = (
  { id, kind }: ConditionSubject,
  operator: Operator = operatorsByKind[kind][0],
): Condition => ({
  category: kind === 'engagement' ? 'engagement' : 'contact-property',
  operator,
  ...(kind !== 'engagement' && kind !== 'tags' && { property: id }),
})

/** The API's value for what was typed; undefined if it is absent or does not fit. */
export const parseConditionValue = (
  operator: Operator,
  kind: ConditionSubject['kind'],
  text: string,
): string | number | boolean | undefined => {
  const wanted = operatorValues[operator]
  const trimmed = text.trim()
  if (wanted === 'none' || trimmed === '') return undefined
  if (wanted === 'number' || wanted === 'days' || (wanted === 'text' && kind === 'number')) {
    const value = Number(trimmed)
    return Number.isFinite(value) && (wanted !== 'days' || value >= 0) ? value : undefined
  }
  return wanted === 'text' ? text : trimmed
}

/** Engagement may be "ever", without a number of days. */
export const isComplete = ({ operator, value }: Condition): boolean =>
  operatorValues[operator] === 'none' || engagement.includes(operator) || value !== undefined
