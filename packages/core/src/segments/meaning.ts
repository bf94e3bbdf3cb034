import { type ContactChange, storedTags } from '../contacts/contact-change.js'
import { conditionProblem, type TypedField } from './conditions.js'
import { isBuiltInProperty } from './matches.js'
import { type Condition, engagementOperators, type Groups, type MeantGroups } from './segment.js'

/** What names in conditions refer to now: the project's custom fields, and the changes of its contacts that are in progress. */
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
 * Why a condition that was valid when written now matches no one: its custom field was deleted, or created again with another type.
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

/** The groups to query stores with: a condition on a custom field that was deleted or has another type matches no one. */
export const meantBy = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.filter(({ conditions }) => conditions.every((one) => lostField(one, fields) === undefined)),
    changes,
  )

/**
 * The groups of an exclusion: such a condition is ignored, so that the other conditions of its group still exclude people and the deletion
 * of a field does not make anyone a recipient.
 */
export const meantByExclusion = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.map(({ conditions }) => ({
      conditions: conditions.filter((one) => lostField(one, fields) === undefined),
    })),
    changes,
  )

/** A sentence for each custom field whose conditions no longer match anyone. */
export const nameWarnings = (groups: Groups, fields: Names['fields']): readonly string[] => [
  ...new Set(groups.flatMap(({ conditions }) => conditions.flatMap((one) => lostField(one, fields) ?? []))),
]

/** Renames the tag in the groups. */
export const withTagRenamed = (groups: Groups, tag: string, replacement: string): Groups =>
  groups.map(({ conditions }) => ({
    conditions: conditions.map((condition) =>
      isAboutTag(condition) && typeof condition.value === 'string' && condition.value.toLowerCase() === tag
        ? { ...condition, value: replacement }
        : condition,
    ),
  }))
