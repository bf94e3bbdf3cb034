import { type AllContactsChange, storedSpellingsOfTag } from '../contacts/contact-change.js'
import type { CustomField, FieldType } from '../contacts/custom-field.js'
import type { ValidParts } from '../kernel/parsed.js'
import { unexpectedViolation, type Violation, wrongFieldViolation } from '../kernel/violation.js'
import { instantOfSegmentValue, isBuiltInProperty } from './matches.js'
import {
  engagementOperators,
  type ResolvedGroups,
  type SegmentCondition,
  type SegmentGroups,
  valuelessOperators,
} from './segment.js'

type TypedField = Pick<CustomField, 'name' | 'type'>

const typeOf = (property: string, fields: readonly TypedField[]): FieldType | undefined => {
  if (property === 'createdAt') return 'date'
  if (isBuiltInProperty(property)) return 'string'
  return fields.find(({ name }) => name === property)?.type
}

const textual = ['contains', 'does-not-contain']
const ordered = ['greater-than', 'greater-than-or-equal', 'less-than', 'less-than-or-equal']
const dated = ['date-equals', 'date-before', 'date-after']
const inDays = ['date-in-last', 'date-more-than']

const isDays = (value: SegmentCondition['value']) => typeof value === 'number' && Number.isInteger(value) && value >= 0

const wrongValue = ({ operator, value }: SegmentCondition, type: FieldType): string | undefined => {
  const needs = (fits: boolean, what: string) => (fits ? undefined : `${operator} needs ${what}`)
  if (operator === 'is-true' || operator === 'is-false') return needs(type === 'boolean', 'a boolean property')
  if ((valuelessOperators as readonly string[]).includes(operator)) return undefined
  if (inDays.includes(operator))
    return needs(type === 'date' && isDays(value), 'a date property and a whole number of days')
  if (dated.includes(operator))
    return needs(type === 'date' && instantOfSegmentValue(value) !== undefined, 'a date property and an ISO date')
  if (textual.includes(operator))
    return needs(type === 'string' && typeof value === 'string' && value !== '', 'a text property and a text')
  if (ordered.includes(operator))
    return needs(type === 'number' && typeof value === 'number', 'a number property and a number')
  if (type === 'date') return `${operator} is not for dates: use date-equals, date-before or date-after`
  return needs(typeof value === type, `a ${type === 'string' ? 'text' : type}`)
}

const conditionProblem = (condition: SegmentCondition, fields: readonly TypedField[]): string | undefined => {
  const { category, operator, property, value } = condition
  const aboutEngagement = (engagementOperators as readonly string[]).includes(operator)
  if (operator === 'any') return undefined
  if (aboutEngagement !== (category === 'engagement'))
    return `${operator} is ${aboutEngagement ? 'an' : 'no'} engagement operator`
  if (aboutEngagement)
    return value === undefined || isDays(value) ? undefined : `${operator} takes a number of days, or no value`
  if (operator === 'has-tag' || operator === 'does-not-have-tag')
    return typeof value === 'string' && value !== '' ? undefined : `${operator} needs a tag`
  if (property === undefined) return `${operator} needs a property`
  const type = typeOf(property, fields)
  return type === undefined ? `unknown property ${property}` : wrongValue(condition, type)
}

const isWhole = (condition: ValidParts<SegmentCondition> | undefined): condition is SegmentCondition =>
  condition?.category !== undefined && condition.operator !== undefined

/** With their paths. @param at the path of the groups */
export const conditionViolations = (
  groups: ValidParts<SegmentGroups>,
  fields: readonly TypedField[],
  at = 'groups',
): readonly Violation[] =>
  groups.flatMap((group, n) =>
    (group?.conditions ?? []).flatMap((condition, index) => {
      if (!isWhole(condition)) return []
      const path = `${at}[${n}].conditions[${index}]`
      const wrong = conditionProblem(condition, fields)
      if (wrong) return [wrongFieldViolation(path, wrong)]
      const hasProperty = condition.category === 'engagement' && condition.property !== undefined
      return hasProperty ? [unexpectedViolation(`${path}.property`)] : []
    }),
  )

export type CustomFieldsAndChanges = {
  readonly fields: readonly TypedField[]
  readonly changes: readonly AllContactsChange[]
}

const isAboutTag = ({ operator }: Pick<SegmentCondition, 'operator'>) =>
  operator === 'has-tag' || operator === 'does-not-have-tag'

const isAboutProperty = (condition: SegmentCondition) =>
  condition.operator !== 'any' &&
  !isAboutTag(condition) &&
  !(engagementOperators as readonly string[]).includes(condition.operator)

/** Why a once valid condition matches no one: its custom field was deleted or has another type. */
const lostField = (condition: SegmentCondition, fields: CustomFieldsAndChanges['fields']): string | undefined => {
  const { property } = condition
  if (property === undefined || !isAboutProperty(condition) || isBuiltInProperty(property)) return undefined
  const field = fields.find(({ name }) => name === property)
  if (!field) return `The custom field ${property} no longer exists: conditions on it match no contact.`
  const problem = conditionProblem(condition, fields)
  return (
    problem &&
    `The custom field ${property} now has the type ${field.type}: the condition matches no contact, because ${problem}.`
  )
}

const withTags = (groups: ResolvedGroups, changes: CustomFieldsAndChanges['changes']): ResolvedGroups =>
  changes.length === 0
    ? groups
    : groups.map(({ conditions }) => ({
        conditions: conditions.map((condition) =>
          isAboutTag(condition) && typeof condition.value === 'string'
            ? { ...condition, tags: storedSpellingsOfTag(condition.value.toLowerCase(), changes) }
            : condition,
        ),
      }))

/** A condition on a lost field matches no one. */
export const resolveSegment = (groups: SegmentGroups, { fields, changes }: CustomFieldsAndChanges): ResolvedGroups =>
  withTags(
    groups.filter(({ conditions }) => conditions.every((one) => lostField(one, fields) === undefined)),
    changes,
  )

/** Ignores conditions on lost fields: deleting a field must make no one a recipient. */
export const resolveExclusionSegment = (
  groups: SegmentGroups,
  { fields, changes }: CustomFieldsAndChanges,
): ResolvedGroups =>
  withTags(
    groups.map(({ conditions }) => ({ conditions: conditions.filter((one) => lostField(one, fields) === undefined) })),
    changes,
  )

export const lostSegmentFieldWarnings = (
  groups: SegmentGroups,
  fields: CustomFieldsAndChanges['fields'],
): readonly string[] => [
  ...new Set(groups.flatMap(({ conditions }) => conditions.flatMap((one) => lostField(one, fields) ?? []))),
]

export const groupsWithTagRenamed = (groups: SegmentGroups, tag: string, replacement: string): SegmentGroups =>
  groups.map(({ conditions }) => ({
    conditions: conditions.map((condition) =>
      isAboutTag(condition) && typeof condition.value === 'string' && condition.value.toLowerCase() === tag
        ? { ...condition, value: replacement }
        : condition,
    ),
  }))
