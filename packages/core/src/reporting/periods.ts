import { localTimeText } from '../kernel/zoned-time.js'
import { quarterHour } from './figures/figure.js'

export const reportIntervals = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type ReportInterval = (typeof reportIntervals)[number]

const day = 24 * 60 * 60_000

/** In days (gaps.md, "Statistics"). */
export const longestSpanDays: Readonly<Record<ReportInterval, number>> = {
  hourly: 7,
  daily: 60,
  weekly: 366,
  monthly: 366,
}

const mondayOf = (date: string): string => {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7
  return new Date(midnight - sinceMonday * day).toISOString().slice(0, 10)
}

/** From a local time such as `2026-01-06T13:15`: `2026-01-06T13:00`, `2026-01-06`, its Monday's date, `2026-01`. */
const called: Readonly<Record<ReportInterval, (local: string) => string>> = {
  hourly: (local) => `${local.slice(0, 13)}:00`,
  daily: (local) => local.slice(0, 10),
  weekly: (local) => mondayOf(local.slice(0, 10)),
  monthly: (local) => local.slice(0, 7),
}

/** In ms: at most half of the shortest period, even across a clock change. */
const stepOf = (interval: ReportInterval) => (interval === 'hourly' ? quarterHour : day / 4)

/** In order. An hour that the clock shows twice is one period. */
export const periodsBetween = (interval: ReportInterval, timeZone: string, from: string, to: string) => {
  const periodOf = (instant: number) => called[interval](localTimeText(instant, timeZone))
  const names = new Set<string>()
  const end = Date.parse(to) - 1
  for (let instant = Date.parse(from); instant < end; instant += stepOf(interval)) names.add(periodOf(instant))
  names.add(periodOf(end))
  return {
    names: [...names],
    /** Of a quarter of an hour, given by its start in UTC. */
    of: (slot: string): string => periodOf(Math.max(Date.parse(`${slot}Z`), Date.parse(from))),
  }
}
