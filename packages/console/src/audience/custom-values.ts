import type { CustomField } from '../api/types.js'
import type { Text } from '../text/text.js'

export const shownValue = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** A date without a time is stored as midnight in UTC. */
export const customFactText = (
  type: CustomField['type'],
  value: unknown,
  { date, dateTime }: Pick<Text, 'date' | 'dateTime'>,
): string => {
  const text = shownValue(value)
  if (type !== 'date' || text === '') return text || '–'
  return text.endsWith('T00:00:00.000Z') ? date(text, 'UTC') : dateTime(text)
}
