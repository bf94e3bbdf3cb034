import { byteBoundedCache } from './byte-bounded-cache.js'

const form = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

const day = 24 * 60 * 60_000
const yearZero = Date.parse('0000-01-01T00:00:00.000Z')

/** In ISO 8601, not before the year 0. */
export const instantDaysBefore = (now: Date, days: number): string =>
  new Date(Math.max(now.getTime() - days * day, yearZero)).toISOString()

/** Of the IANA database. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** Bytes per format (30 kB measured); room for about as many as there are zones. */
const bytesOfFormat = 32 * 1024
const formats = byteBoundedCache<string, Intl.DateTimeFormat>({
  maxBytes: 500 * bytesOfFormat,
  sizeOf: () => bytesOfFormat,
})

/** In characters. */
const longestName = 64

/** One for all spellings that differ in case. */
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

/** Milliseconds since 1970, year 0 being 1 BC; undefined for an impossible date or time. */
const utc = (year: number, month: number, date: number, time: readonly [number, number, number, number]) => {
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, date)
  at.setUTCHours(...time)
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === date && at.getUTCHours() === time[0]
  return exists && time[1] < 60 && time[2] < 60 ? at.getTime() : undefined
}

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

export const localTimeText = (instant: number, timeZone: string): string =>
  new Date(wallClock(instant, timeZone)).toISOString().slice(0, 16)

/** Years of four digits, so that instants compare as texts; undefined outside. */
const isoOf = (instant: number): string | undefined => {
  const iso = new Date(instant).toISOString()
  return /^\d{4}-/.test(iso) ? iso : undefined
}

/** Undefined if not an offset. */
const offsetMinutes = (offset: string): number | undefined => {
  if (/^z$/i.test(offset)) return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Reads ISO 8601 of the years 0001 to 9999, by its offset or as local time of the zone. A repeated local time means
 * the earlier one; a skipped one moves forward. Undefined for an impossible date (gaps.md, "Dates").
 */
export const zonedInstantOf = (text: string, timeZone: string): string | undefined => {
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

/** The instant with the same local time in the other zone. */
export const sameWallTimeInZone = (instant: string, from: string, to: string): string =>
  zonedInstantOf((isoOf(wallClock(Date.parse(instant), from)) ?? '').replace('Z', ''), to) ?? instant
