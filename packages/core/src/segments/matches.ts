import type { Contact, FieldValue } from '../contacts/contact.js'
import type { Condition, Groups } from './segment.js'

/**
 * What the conditions of a segment mean: the one definition, which every store compiles to a query of its own and is held to by a
 * differential contract suite. Values are read by the type they are stored with: a condition whose value is of another type than
 * the contact's is not fulfilled. Texts compare in lower case; dates are ISO instants and compare as such.
 */
export const matches = (groups: Groups, contact: Contact, now: Date): boolean =>
  groups.some(({ conditions }) => conditions.every((condition) => fulfils(condition, contact, now)))

const day = 24 * 60 * 60_000

/** The instant that many days before now. */
export const daysBefore = (now: Date, days: number): string => new Date(now.getTime() - days * day).toISOString()

/** Which of a contact's dates an engagement operator asks about. */
export const engagementDates = {
  opened: 'lastOpenDate',
  clicked: 'lastClickDate',
  received: 'lastReceiveDate',
} as const

export const builtInProperties = ['email', 'name', 'createdAt'] as const

const valueOf = (contact: Contact, property: string | undefined): FieldValue | undefined => {
  if (property === undefined) return undefined
  if ((builtInProperties as readonly string[]).includes(property))
    return contact[property as (typeof builtInProperties)[number]]
  return Object.hasOwn(contact.customFields, property) ? contact.customFields[property] : undefined
}

const comparable = (value: FieldValue): FieldValue => (typeof value === 'string' ? value.toLowerCase() : value)

const isEmpty = (value: FieldValue | undefined) => value === undefined || value === ''

/** Below, equal or above 0; undefined where the two are of different types. */
const compared = (value: FieldValue | undefined, given: FieldValue | undefined): number | undefined => {
  if (value === undefined || given === undefined || typeof value !== typeof given) return undefined
  const [a, b] = [comparable(value), comparable(given)]
  return a < b ? -1 : a > b ? 1 : 0
}

const contains = (value: FieldValue | undefined, given: FieldValue | undefined) =>
  typeof value === 'string' && typeof given === 'string' && value.toLowerCase().includes(given.toLowerCase())

const engaged = (
  contact: Contact,
  operator: keyof typeof engagementDates,
  days: FieldValue | undefined,
  now: Date,
): boolean => {
  const last = contact[engagementDates[operator]]
  return last !== undefined && (typeof days !== 'number' || last >= daysBefore(now, days))
}

/** The instant that a date condition names: the start of the day, where a day is given. */
export const instantOfValue = (given: FieldValue | undefined): string | undefined => {
  if (typeof given !== 'string') return undefined
  const time = Date.parse(given)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

const dateCompared = (value: FieldValue | undefined, given: FieldValue | undefined): number | undefined =>
  typeof value === 'string' && value !== '' ? compared(value, instantOfValue(given)) : undefined

const onDay = (value: FieldValue | undefined, given: FieldValue | undefined) =>
  typeof value === 'string' && value !== '' && value.slice(0, 10) === instantOfValue(given)?.slice(0, 10)

const since = (value: FieldValue | undefined, days: FieldValue | undefined, now: Date): number | undefined =>
  typeof days === 'number' ? dateCompared(value, daysBefore(now, days)) : undefined

const fulfils = ({ operator, property, value: given }: Condition, contact: Contact, now: Date): boolean => {
  const value = valueOf(contact, property)
  switch (operator) {
    case 'any':
      return true
    case 'equals':
      return compared(value, given) === 0
    case 'does-not-equal':
      return compared(value, given) !== 0
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
      return (compared(value, given) ?? 0) > 0
    case 'greater-than-or-equal':
      return (compared(value, given) ?? -1) >= 0
    case 'less-than':
      return (compared(value, given) ?? 0) < 0
    case 'less-than-or-equal':
      return (compared(value, given) ?? 1) <= 0
    case 'has-tag':
      return typeof given === 'string' && contact.tags.includes(given.toLowerCase())
    case 'does-not-have-tag':
      return !(typeof given === 'string' && contact.tags.includes(given.toLowerCase()))
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
      return (dateCompared(value, given) ?? 0) < 0
    case 'date-after':
      return (dateCompared(value, given) ?? 0) > 0
    case 'date-in-last': {
      return (since(value, given, now) ?? -1) >= 0 && typeof value === 'string' && value <= now.toISOString()
    }
    case 'date-more-than':
      return (since(value, given, now) ?? 0) < 0
  }
}
