import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTimeZone, sameWallTimeInZone, zonedInstantOf } from '../../src/kernel/zoned-time.js'

const minute = 60_000
const day = 24 * 60 * minute

const shown = new Map<string, Intl.DateTimeFormat>()

/** What clocks show in the zone at an instant, by Intl alone: `2026-03-29 02:30:00`. */
const onTheWall = (instant: number, timeZone: string): string => {
  const known = shown.get(timeZone)
  const format = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  shown.set(timeZone, format)
  return format.format(instant)
}

const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+12', 'Etc/GMT-14']
const anyZone = fc.constantFrom(...zones)
/** Whole seconds of 1970 to 2037. */
const anyInstant = fc.integer({ min: 0, max: 2_145_916_800 }).map((seconds) => seconds * 1000)

/** Whether the clock jumps within two days around. */
const isCalm = (instant: number, timeZone: string): boolean => {
  const offset = (at: number) => Date.parse(`${onTheWall(at, timeZone).replace(' ', 'T')}Z`) - at
  return [-2 * day, -day, day, 2 * day].every((away) => offset(instant + away) === offset(instant))
}

/** The instants of the year at whose minute the zone's clock jumps, found by halving. */
const jumpsOf = (timeZone: string, year: number): readonly number[] => {
  const offset = (at: number) => Date.parse(`${onTheWall(at, timeZone).replace(' ', 'T')}Z`) - at
  const first = Date.UTC(year, 0, 1)
  const jumps: number[] = []
  for (let from = first; from < first + 365 * day; from += 7 * day) {
    let [before, after] = [from, from + 7 * day]
    if (offset(before) === offset(after)) continue
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / 2 / minute) * minute
      if (offset(middle) === offset(before)) before = middle
      else after = middle
    }
    jumps.push(after)
  }
  return jumps
}

const cases = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Tehran',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Antarctica/Troll',
].flatMap((timeZone) =>
  [1995, 2018, 2026].flatMap((year) => jumpsOf(timeZone, year).map((jump) => ({ timeZone, jump }))),
)

describe('a time without an offset', () => {
  it('is the instant at which the zone’s clocks show it', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, (timeZone, instant) => {
        const wall = onTheWall(instant, timeZone)
        const read = Date.parse(zonedInstantOf(wall, timeZone) ?? '')
        expect(onTheWall(read, timeZone)).toBe(wall)
        expect(read).toBeLessThanOrEqual(instant)
        expect(!isCalm(instant, timeZone) || read === instant).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('keeps its milliseconds, and reads a date as its midnight', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: 0, max: 999 }), (timeZone, instant, ms) => {
        const wall = onTheWall(instant, timeZone)
        const whole = Date.parse(zonedInstantOf(wall, timeZone) ?? '')
        const text = `${wall.replace(' ', 'T')}.${String(ms).padStart(3, '0')}`
        expect(zonedInstantOf(text, timeZone)).toBe(new Date(whole + ms).toISOString())
        const [date = ''] = wall.split(' ')
        expect(zonedInstantOf(date, timeZone)).toBe(zonedInstantOf(`${date}T00:00`, timeZone))
      }),
    )
  })

  it('is tested at many clock changes', () => {
    expect(cases.length).toBeGreaterThan(30)
  })

  it.each(cases)('means the earlier of two instants, or moves forward over a gap: %j', ({ timeZone, jump }) => {
    const wallAt = (at: number) => Date.parse(`${onTheWall(at, timeZone).replace(' ', 'T')}Z`)
    const change = wallAt(jump) - (wallAt(jump - minute) + minute)
    for (let away = 1; away < Math.abs(change) / minute; away += 1) {
      const wall = wallAt(jump - minute) + minute + (change > 0 ? away : -away) * minute
      const text = new Date(wall).toISOString().slice(0, 19)
      const read = Date.parse(zonedInstantOf(text, timeZone) ?? '')
      expect(read).toBe(jump + Math.sign(change) * away * minute)
    }
  })
})

describe('a time with an offset', () => {
  it('is that instant in any zone', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: -14 * 60, max: 14 * 60 }), (timeZone, instant, minutes) => {
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const offset = `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
        const wall = new Date(instant + minutes * minute).toISOString().slice(0, 19)
        for (const text of [`${wall}${offset}`, `${wall}${offset.replace(':', '')}`])
          expect(zonedInstantOf(text, timeZone)).toBe(new Date(instant).toISOString())
      }),
    )
  })
})

describe('the first and last years', () => {
  const two = (n: number) => String(n).padStart(2, '0')
  const anyZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Asia/Kolkata')
  const offset = fc.constantFrom('', 'Z', '+14:00', '-12:00', '+23:59')

  it('are parsed or rejected in every zone, and never throw', () => {
    const year = fc.constantFrom('0000', '0001', '0002', '0099', '1582', '9998', '9999')
    const part = fc.integer({ min: 0, max: 33 })
    const checked = fc.check(
      fc.property(year, part, part, part, anyZone, offset, (y, month, date, hour, zone, ahead) => {
        const text = `${y}-${two(month)}-${two(date)}T${two(hour)}:00${ahead}`
        return /^(none|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/.test(zonedInstantOf(text, zone) ?? 'none')
      }),
      { numRuns: 300 },
    )
    expect(checked.counterexample).toBeNull()
  })

  it('keep the local time in another zone', () => {
    expect(sameWallTimeInZone('0001-01-02T00:00:00.000Z', 'UTC', 'Asia/Tokyo')).toMatch(/^0001-01-01T1/)
    expect(sameWallTimeInZone('9999-12-31T23:59:59.000Z', 'UTC', 'America/New_York')).toBe('9999-12-31T23:59:59.000Z')
  })
})

describe('an invalid time', () => {
  it.each([
    '',
    'tomorrow',
    '2026-02-30',
    '2026-02-30T10:00Z',
    '2026-02-29T10:00',
    '0000-05-05',
    '2026-13-01T00:00',
    '2026-01-01T24:01',
    '2026-01-01T10:60',
    '2026-01-01T10',
    '2026-01-01T10:00+25:00',
    '2026-1-1',
    ' 2026-01-01',
    '2026-01-01T10:00[Europe/Berlin]',
    '1767225600000',
  ])('is rejected: %j', (text) => {
    expect(zonedInstantOf(text, 'Europe/Berlin')).toBeUndefined()
  })

  it.each(['', 'Mars/Olympus', '+01:00', 'Europe/Berlin\0', '../UTC'])('is no time zone: %j', (name) => {
    expect(isTimeZone(name)).toBe(false)
  })
})

describe('a time zone', () => {
  it('is recognised in any case', () => {
    for (const name of ['Europe/Berlin', 'europe/berlin', 'EUROPE/BERLIN', 'eUROPE/bERLIN'])
      expect(zonedInstantOf('2026-07-01T12:00', name)).toBe('2026-07-01T10:00:00.000Z')
  })

  it('rejects very long names', () => {
    expect(isTimeZone('A'.repeat(1_000_000))).toBe(false)
  })
})
