import { type ContactChange, storedTags } from '../contacts/contact-change.js'
import { isBuiltInProperty } from './matches.js'
import { type Condition, engagementOperators, type Groups, type MeantGroups } from './segment.js'

/** What the names in conditions stand for now: the project's custom fields, and its contacts' changes that are under way. */
export type Names = {
  readonly fields: readonly { readonly name: string }[]
  readonly changes: readonly ContactChange[]
}

const isAboutTag = ({ operator }: Pick<Condition, 'operator'>) =>
  operator === 'has-tag' || operator === 'does-not-have-tag'

const isAboutProperty = (condition: Condition) =>
  condition.operator !== 'any' &&
  !isAboutTag(condition) &&
  !(engagementOperators as readonly string[]).includes(condition.operator)

/** The custom field that the condition is about and that is gone. */
const goneField = (condition: Condition, fields: Names['fields']): string | undefined => {
  const { property } = condition
  if (property === undefined || !isAboutProperty(condition) || isBuiltInProperty(property)) return undefined
  return fields.some(({ name }) => name === property) ? undefined : property
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

/** The groups as stores are asked about them: nobody fulfils a condition about a custom field that is gone. */
export const meantBy = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.filter(({ conditions }) => conditions.every((one) => goneField(one, fields) === undefined)),
    changes,
  )

/**
 * The same for who is left out: there a condition about a field that is gone is passed over, so that others of its group go on
 * leaving people out, and nobody is written to because a field was removed.
 */
export const meantByExclusion = (groups: Groups, { fields, changes }: Names): MeantGroups =>
  withTags(
    groups.map(({ conditions }) => ({
      conditions: conditions.filter((one) => goneField(one, fields) === undefined),
    })),
    changes,
  )

/** A sentence for each custom field that conditions are about and that is gone. */
export const nameWarnings = (groups: Groups, fields: Names['fields']): readonly string[] => {
  const gone = groups.flatMap(({ conditions }) => conditions.flatMap((one) => goneField(one, fields) ?? []))
  return [...new Set(gone)].map(
    (name) => `The custom field ${name} does not exist any more: nobody fulfils a condition about it.`,
  )
}

/** The groups with the tag called something else. */
export const withTagRenamed = (groups: Groups, tag: string, replacement: string): Groups =>
  groups.map(({ conditions }) => ({
    conditions: conditions.map((condition) =>
      isAboutTag(condition) && typeof condition.value === 'string' && condition.value.toLowerCase() === tag
        ? { ...condition, value: replacement }
        : condition,
    ),
  }))
