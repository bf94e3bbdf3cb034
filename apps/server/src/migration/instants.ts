import { customFieldDateText } from '@posthorn/core/ports/storage'

/** ISO 8601, with the offsets of PostgreSQL (`+00`) and the zone names of Go (`+0000 UTC`). */
const form =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))? ?(Z|[+-]\d{2}(?::?\d{2})?)?(?: ([A-Z]{1,5}|[+-]\d{2,4}))?$/

/** Seconds since 1970, of the years 2001 to 2286. */
const isSeconds = (text: string) => /^[1-9]\d{9}$/.test(text)

/** As `toISOString` writes it; UTC if there is no offset. Also takes seconds since 1970. Undefined for other values. */
export const exportedInstant = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  if (isSeconds(text)) return new Date(Number(text) * 1000).toISOString()
  const match = form.exec(text.trim())
  if (!match) return undefined
  const [, date = '', time = '00:00', offset, zone] = match
  if (offset === undefined && zone !== undefined && zone !== 'UTC' && zone !== 'GMT') return undefined
  return customFieldDateText(`${date}T${time}${(offset ?? 'Z').replace(/^([+-]\d{2})$/, '$1:00')}`)
}
