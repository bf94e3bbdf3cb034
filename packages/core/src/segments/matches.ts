import type { Contact, FieldValue } from '../contacts/contact.js'
import { customFieldDateText } from '../contacts/custom-field.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import type { ResolvedCondition, ResolvedGroups } from './segment.js'

/**
 * The definition that a contract compares every store with. A condition on another stored type is not met, its negation
 * is. Texts compare in lower case, dates as stored.
 */
export const matchesSegment = (groups: ResolvedGroups, contact: Contact, now: Date): boolean =>
  groups.some(({ conditions }) => conditions.every((condition) => fulfils(condition, contact, now)))

export const engagementDateFields = {
  opened: 'lastOpenDate',
  clicked: 'lastClickDate',
  received: 'lastReceiveDate',
} as const

const builtInProperties = ['email', 'name', 'createdAt'] as const
type BuiltInProperty = (typeof builtInProperties)[number]

export const isBuiltInProperty = (property: string): property is BuiltInProperty =>
  (builtInProperties as readonly string[]).includes(property)

type Value = FieldValue | undefined

const heldOf = (contact: Contact, property: string | undefined): Value => {
  if (property === undefined) return undefined
  if (isBuiltInProperty(property)) return contact[property]
  return Object.hasOwn(contact.customFields, property) ? contact.customFields[property] : undefined
}

const equal = (value: Value, given: Value) =>
  typeof value === 'string' && typeof given === 'string'
    ? value.toLowerCase() === given.toLowerCase()
    : value !== undefined && value === given

const contains = (value: Value, given: Value) =>
  typeof value === 'string' && typeof given === 'string' && value.toLowerCase().includes(given.toLowerCase())

const isEmpty = (value: Value) => value === undefined || value === ''

const above = (value: Value, given: Value) =>
  typeof value === 'number' && typeof given === 'number' ? Math.sign(value - given) : undefined

/** The contact must have one of them. */
export const conditionTags = ({ value, tags }: ResolvedCondition): readonly string[] =>
  tags ?? (typeof value === 'string' ? [value.toLowerCase()] : [])

const tagged = (contact: Contact, condition: ResolvedCondition) =>
  conditionTags(condition).some((tag) => contact.tags.includes(tag))

const engaged = (contact: Contact, operator: keyof typeof engagementDateFields, days: Value, now: Date): boolean => {
  const last = contact[engagementDateFields[operator]]
  return last !== undefined && (typeof days !== 'number' || last >= instantDaysBefore(now, days))
}

/** In UTC; a day means its start. */
export const instantOfSegmentValue = (given: Value): string | undefined =>
  typeof given === 'string' ? customFieldDateText(given) : undefined

/** 1: later, -1: earlier, 0: equal; undefined if either is not an instant. */
const later = (value: Value, instant: string | undefined) => {
  if (typeof value !== 'string' || value === '' || instant === undefined) return undefined
  return value === instant ? 0 : value > instant ? 1 : -1
}

const ago = (days: Value, now: Date) => (typeof days === 'number' ? instantDaysBefore(now, days) : undefined)

const onDay = (value: Value, given: Value) =>
  typeof value === 'string' && value !== '' && value.slice(0, 10) === instantOfSegmentValue(given)?.slice(0, 10)

const fulfils = (condition: ResolvedCondition, contact: Contact, now: Date): boolean => {
  const { operator, property, value: given } = condition
  const value = heldOf(contact, property)
  switch (operator) {
    case 'any':
      return true
    case 'equals':
      return equal(value, given)
    case 'does-not-equal':
      return !equal(value, given)
    case 'contains':
      return contains(value, given)
    case 'does-not-contain':
      return !contains(value, given)
    case 'is-empty':
      return isEmpty(value)
    case 'is-not-empty':
      return !isEmpty(value)
    case 'is-true':
      return value === true
    case 'is-false':
      return value !== true
    case 'greater-than':
      return above(value, given) === 1
    case 'greater-than-or-equal':
      return (above(value, given) ?? -1) >= 0
    case 'less-than':
      return above(value, given) === -1
    case 'less-than-or-equal':
      return (above(value, given) ?? 1) <= 0
    case 'has-tag':
      return tagged(contact, condition)
    case 'does-not-have-tag':
      return !tagged(contact, condition)
    case 'opened':
    case 'clicked':
    case 'received':
      return engaged(contact, operator, given, now)
    case 'not-opened':
      return !engaged(contact, 'opened', given, now)
    case 'not-clicked':
      return !engaged(contact, 'clicked', given, now)
    case 'not-received':
      return !engaged(contact, 'received', given, now)
    case 'date-equals':
      return onDay(value, given)
    case 'date-before':
      return later(value, instantOfSegmentValue(given)) === -1
    case 'date-after':
      return later(value, instantOfSegmentValue(given)) === 1
    case 'date-in-last':
      return (later(value, ago(given, now)) ?? -1) >= 0 && (later(value, now.toISOString()) ?? 1) <= 0
    case 'date-more-than':
      return later(value, ago(given, now)) === -1
  }
}
