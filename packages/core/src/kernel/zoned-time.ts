import { byteBoundedCache } from './byte-bounded-cache.js'

const form = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Whether the name is a time zone of the IANA database. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** Bytes of a format in memory (30 kB were measured), and a cache with room for about as many as there are zones. */
const bytesOfFormat = 32 * 1024
const formats = byteBoundedCache<string, Intl.DateTimeFormat>({
  maxBytes: 500 * bytesOfFormat,
  sizeOf: () => bytesOfFormat,
})

/** Longest name of a zone, in characters, with a margin. */
const longestName = 64

/** One format for all spellings of a zone that differ in case. */
const formatOf = (name: string) => {
  if (name.length > longestName) throw new RangeError('No time zone has so long a name')
  const timeZone = name.toLowerCase()
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}

/** Milliseconds since 1970 of a date and time in UTC, year 0 being 1 BC; undefined if no calendar or clock has it. */
const utc = (year: number, month: number, date: number, time: readonly [number, number, number, number]) => {
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, date)
  at.setUTCHours(...time)
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === date && at.getUTCHours() === time[0]
  return exists && time[1] < 60 && time[2] < 60 ? at.getTime() : undefined
}

/** The local time of the zone at that instant, as if it were UTC. */
const wallClock = (instant: number, timeZone: string): number => {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  )
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((part) => Number(parts[part]))
  const milliseconds = ((instant % 1000) + 1000) % 1000
  const isBeforeChrist = parts.era?.startsWith('B') === true
  return utc(isBeforeChrist ? 1 - year : year, month, date, [hour, minute, second, milliseconds]) ?? instant
}

/** The local time of the zone at that instant, to the minute: `2026-01-06T13:15`. */
export const localTime = (instant: number, timeZone: string): string =>
  new Date(wallClock(instant, timeZone)).toISOString().slice(0, 16)

const day = 24 * 60 * 60_000

/** ISO text of an instant in years with four digits, so that instants compare as texts; undefined outside. */
const isoOf = (instant: number): string | undefined => {
  const iso = new Date(instant).toISOString()
  return /^\d{4}-/.test(iso) ? iso : undefined
}

/** Minutes by which `+05:30` is ahead of UTC; undefined if the text is not an offset. */
const offsetMinutes = (offset: string): number | undefined => {
  if (/^z$/i.test(offset)) return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Reads an ISO 8601 date and time of the years 0001 to 9999 as an instant, ISO in UTC: by its offset or `Z`; without one, as local time of
 * the IANA zone. A local time that occurs twice means the earlier one; one that the clock skips is moved forward by the skipped span.
 * Undefined if the text is not a date and time, if the date does not exist (30 February), or if the instant in UTC is after the year 9999
 * (gaps.md, "Dates").
 */
export const instantOf = (text: string, timeZone: string): string | undefined => {
  const match = form.exec(text)
  if (!match) return undefined
  const [, year, month, date, hour = '00', minute = '00', second = '00', fraction = '', offset] = match
  const time = [Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0'))] as const
  const wanted = Number(year) > 0 ? utc(Number(year), Number(month), Number(date), time) : undefined
  if (wanted === undefined) return undefined
  if (offset !== undefined) {
    const minutes = offsetMinutes(offset)
    return minutes === undefined ? undefined : isoOf(wanted - minutes * 60_000)
  }
  const offsets = [wanted - day, wanted + day].map((near) => wallClock(near, timeZone) - near)
  const candidates = offsets.map((ahead) => wanted - ahead)
  const exact = candidates.filter((instant) => wallClock(instant, timeZone) === wanted)
  const [before = 0] = offsets
  return isoOf(exact.length > 0 ? Math.min(...exact) : wanted - before)
}

/** The instant at which the other zone has the local time that this zone has at the given instant. */
export const sameWallTime = (instant: string, from: string, to: string): string =>
  instantOf((isoOf(wallClock(Date.parse(instant), from)) ?? '').replace('Z', ''), to) ?? instant
