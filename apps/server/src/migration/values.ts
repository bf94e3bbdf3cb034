import { invalid } from '@posthorn/core/ports/runtime'
import { customFieldDateText } from '@posthorn/core/ports/storage'
import { isRecord } from './export-files.js'

/** Levels of nested objects that become fields of their own. */
const deepest = 4

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** JSON of untrusted values may be nested deeper than the stack. @throws Refusal `invalid` */
const jsonText = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    throw invalid('The values are nested too deeply.')
  }
}

/**
 * Nested objects become `address.zip`, lists of plain values one text; other lists, and levels beyond the fourth, become JSON. Leaves out empty
 * values.
 * @throws Refusal `invalid`
 */
export const flatFields = (value: unknown, prefix = '', depth = 1): Readonly<Record<string, string>> => {
  if (!isRecord(value)) return {}
  const fields: Record<string, string> = {}
  for (const [key, one] of Object.entries(value)) {
    const name = prefix === '' ? key : `${prefix}.${key}`
    if (one === null || one === undefined || one === '') continue
    if (isScalar(one)) fields[name] = String(one)
    else if (Array.isArray(one)) {
      if (one.length > 0) fields[name] = one.every(isScalar) ? one.join(', ') : jsonText(one)
    } else if (depth < deepest) Object.assign(fields, flatFields(one, name, depth + 1))
    else fields[name] = jsonText(one)
  }
  return fields
}

export const textListOrUndefined = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? value : undefined

/** The text of JSON in a cell; undefined if it is none. */
export const jsonIn = (text: string | null | undefined): unknown => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

export const fullName = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter((part) => part).join(' ') || undefined

export const isYesValue = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(?:true|yes|1)$/i.test(value))

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
