import { type ContactChange, storedTags } from '../contacts/contact-change.js'
import { conditionProblem, type TypedField } from './conditions.js'
import { isBuiltInProperty } from './matches.js'
import { type Condition, engagementOperators, type Groups, type MeantGroups } from './segment.js'

/** What the names in conditions stand for now: the project's custom fields, and its contacts' changes that are under way. */
export type Names = {
  readonly fields: readonly TypedField[]
  readonly changes: readonly ContactChange[]
}

const isAboutTag = ({ operator }: Pick<Condition, 'operator'>) =>
  operator === 'has-tag' || operator === 'does-not-have-tag'

const isAboutProperty = (condition: Condition) =>
  condition.operator !== 'any' &&
  !isAboutTag(condition) &&
  !(engagementOperators as readonly string[]).includes(condition.operator)

/**
 * Why nobody fulfils a condition that was valid when it was written: its custom field was deleted, or created again with another type.
 * Undefined for all other conditions.
 */
const lostField = (condition: Condition, fields: Names['fields']): string | undefined => {
  const { property } = condition
  if (property === undefined || !isAboutProperty(condition) || isBuiltInProperty(property)) return undefined
  const field = fields.find(({ name }) => name === property)
  if (!field) return `The custom field ${property} does not exist any more: nobody fulfils a condition about it.`
  const problem = conditionProblem(condition, fields)
  return (
    problem && `The custom field ${property} is of type ${field.type} now: nobody fulfils a condition where ${problem}.`
  )
}

const withTags = (groups: MeantGroups, changes: Names['changes']): MeantGroups =>
  changes.length === 0
    ? groups
    : groups.map(({ conditions }) => ({
        conditions: conditions.map((condition) =>
          isAboutTag(condition) && typeof condition.value === 'string'
            ? { ...condition, tags: storedTags(condition.value.toLowerCase(), changes) }
            : condition,
        ),
      }))

/** The groups as stores are asked about them: nobody fulfils a condition about a custom field that was deleted or has another type. */
export const meantBy = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.filter(({ conditions }) => conditions.every((one) => lostField(one, fields) === undefined)),
    changes,
  )

/**
 * The same for an exclusion, in which such a condition is passed over: the others of its group still exclude people, and nobody is
 * written to because a field was deleted.
 */
export const meantByExclusion = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.map(({ conditions }) => ({
      conditions: conditions.filter((one) => lostField(one, fields) === undefined),
    })),
    changes,
  )

/** A sentence for each custom field whose conditions nobody fulfils any more. */
export const nameWarnings = (groups: Groups, fields: Names['fields']): readonly string[] => [
  ...new Set(groups.flatMap(({ conditions }) => conditions.flatMap((one) => lostField(one, fields) ?? []))),
]

/** The groups with the tag called something else. */
export const withTagRenamed = (groups: Groups, tag: string, replacement: string): Groups =>
  groups.map(({ conditions }) => ({
    conditions: conditions.map((condition) =>
      isAboutTag(condition) && typeof condition.value === 'string' && condition.value.toLowerCase() === tag
        ? { ...condition, value: replacement }
        : condition,
    ),
  }))
