import type { CustomField } from '../contacts/custom-field.js'
import { builtInProperties } from './matches.js'
import { type Condition, engagementOperators, type Groups, valueless } from './segment.js'

const typeOf = (property: string, fields: readonly CustomField[]) => {
  if (property === 'createdAt') return 'date'
  if ((builtInProperties as readonly string[]).includes(property)) return 'string'
  return fields.find(({ name }) => name === property)?.type
}

const textual = ['contains', 'does-not-contain']
const ordered = ['greater-than', 'greater-than-or-equal', 'less-than', 'less-than-or-equal']
const dated = ['date-equals', 'date-before', 'date-after']
const inDays = ['date-in-last', 'date-more-than']

const isDays = (value: Condition['value']) => typeof value === 'number' && Number.isInteger(value) && value >= 0

const isDate = (value: Condition['value']) => typeof value === 'string' && !Number.isNaN(Date.parse(value))

const wrongValue = ({ operator, value }: Condition, type: string): string | undefined => {
  if (operator === 'is-true' || operator === 'is-false')
    return type === 'boolean' ? undefined : `${operator} needs a boolean property`
  if ((valueless as readonly string[]).includes(operator)) return undefined
  if (inDays.includes(operator))
    return type === 'date' && isDays(value) ? undefined : `${operator} needs a date property and a number of days`
  if (dated.includes(operator))
    return type === 'date' && isDate(value) ? undefined : `${operator} needs a date property and a date`
  if (textual.includes(operator))
    return type === 'string' && typeof value === 'string' ? undefined : `${operator} needs a text property and a text`
  if (ordered.includes(operator))
    return type === 'number' && typeof value === 'number'
      ? undefined
      : `${operator} needs a number property and a number`
  const fits = type === 'date' ? isDate(value) : typeof value === type
  return fits ? undefined : `${operator} needs a ${type === 'string' ? 'text' : type}`
}

const violation = (condition: Condition, fields: readonly CustomField[]): string | undefined => {
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

/** What is wrong with the conditions, each by its place; empty when all fit their operators and properties. */
export const conditionViolations = (groups: Groups, fields: readonly CustomField[]): readonly string[] =>
  groups.flatMap(({ conditions }, group) =>
    conditions.flatMap((condition, index) => {
      const wrong = violation(condition, fields)
      return wrong ? [`groups[${group}].conditions[${index}]: ${wrong}`] : []
    }),
  )
