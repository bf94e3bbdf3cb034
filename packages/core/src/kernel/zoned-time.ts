const localForm = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?$/
const offsetForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether that is a time zone of the IANA database. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string) => {
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

/** What the clock on the wall shows in the zone at that instant, read as if it were UTC. */
const wallClock = (instant: number, timeZone: string): number => {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  )
  const { year, month, day, hour, minute, second } = parts
  return (
    Date.parse(`${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}.000Z`) +
    (((instant % 1000) + 1000) % 1000)
  )
}

/** What the clock shows in the zone at that instant, to the minute: `2026-01-06T13:15`. */
export const localTime = (instant: number, timeZone: string): string =>
  new Date(wallClock(instant, timeZone)).toISOString().slice(0, 16)

const day = 24 * 60 * 60_000

/**
 * The instant, ISO in UTC, that an ISO 8601 date and time means: with an offset or `Z` that instant, without one as the clock
 * shows it in the IANA zone. A time that the clock shows twice is the earlier one; one that it skips is moved forward by as
 * much as the clock is. Undefined for what is no date and time (gaps.md, "Emails").
 */
export const instantOf = (text: string, timeZone: string): string | undefined => {
  if (offsetForm.test(text)) {
    const instant = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
    return Number.isNaN(instant) ? undefined : new Date(instant).toISOString()
  }
  const match = localForm.exec(text)
  if (!match) return undefined
  const [, year, month, date, hour = '00', minute = '00', second = '00', fraction = '0'] = match
  const wanted = Date.parse(
    `${year}-${month}-${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`,
  )
  if (Number.isNaN(wanted) || new Date(wanted).getUTCDate() !== Number(date)) return undefined
  const offsets = [wanted - day, wanted + day].map((near) => wallClock(near, timeZone) - near)
  const candidates = offsets.map((offset) => wanted - offset)
  const exact = candidates.filter((instant) => wallClock(instant, timeZone) === wanted)
  const [before = 0] = offsets
  return new Date(exact.length > 0 ? Math.min(...exact) : wanted - before).toISOString()
}
