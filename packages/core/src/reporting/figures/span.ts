import { z } from 'zod'
import { invalid } from '../../kernel/refusal.js'
import { isTimeZone, zonedInstantOf } from '../../kernel/zoned-time.js'
import { quarterHourEnd, type TimeSpan } from './figure.js'

const instantText = z
  .string()
  .refine((text) => zonedInstantOf(text, 'UTC') !== undefined, 'expected an ISO date or date-time')

export const SpanQuery = z.strictObject({
  from: instantText.optional().describe('ISO date or date-time, from the beginning of its quarter of an hour'),
  to: instantText
    .optional()
    .describe('ISO date (to its end) or date-time (to the end of its quarter of an hour); default: now'),
  timeZone: z
    .string()
    .refine(isTimeZone, 'expected an IANA time zone')
    .default('UTC')
    .describe('Time zone of dates without an offset and of the start of days'),
})
export type SpanQuery = z.output<typeof SpanQuery>

const day = 24 * 60 * 60_000

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text)

const instant = (field: string, text: string, timeZone: string): string => {
  const read = zonedInstantOf(text, timeZone)
  if (read === undefined) throw invalid(`${field}: expected an ISO date or date-time`)
  return read
}

const nextDate = (date: string) => new Date(Date.parse(`${date}T00:00:00Z`) + day).toISOString().slice(0, 10)

const endOf = (to: string, timeZone: string): string => {
  const end = instant('to', to, timeZone)
  return isDate(to) ? instant('to', nextDate(to), timeZone) : end
}

/** Ignores the extra hour of a clock change. */
const daysIn = (from: string, to: string) => (Date.parse(to) - Date.parse(from) - 60 * 60_000) / day

/** `days` is its maximum length. */
type Series = { readonly interval: string; readonly days: number }

/**
 * In whole quarters of an hour. The end defaults to the current quarter, the start of a series to its interval's maximum length.
 * @throws Refusal `invalid` for a wrong date, an end not after the start, or more than 366 days
 */
export const spanOf = (
  { from, to, timeZone }: SpanQuery,
  now: Date,
  series?: Series,
): TimeSpan & { readonly to: string } => {
  const until = to === undefined ? quarterHourEnd(now.toISOString()) : quarterHourEnd(endOf(to, timeZone), -1)
  const begun = series && new Date(Date.parse(until) - series.days * day).toISOString()
  const begin = from === undefined ? begun : instant('from', from, timeZone)
  if (begin === undefined) return { to: until }
  if (begin >= until) throw invalid('from: expected an instant before to')
  if (daysIn(begin, until) > (series?.days ?? 366))
    throw invalid(
      series
        ? `interval: ${series.interval} takes at most ${series.days} days`
        : 'from: expected at most 366 days before to',
    )
  return { from: begin, to: until }
}
