import { createCore } from '@posthorn/core'
import { type FigureMetric, figureSubject, quarterHourOf } from '@posthorn/core/ports/storage'
import { fixedClock, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

/** A campaign of which so much was counted, `[when, metric, how often]`. */
const counted = async (now: string, ...figures: readonly (readonly [string, FigureMetric, number])[]) => {
  const { ports } = inMemoryPorts({ clock: fixedClock(now) })
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const { _id } = await core.campaigns.create(scope, {
    name: 'N',
    subject: 's',
    type: 'text',
    document: 'd',
    timeZone: 'UTC',
    subscriberListId: list._id,
  })
  await ports.figures.add(
    figures.map(([when, metric, n]) => ({ subject: figureSubject.email(_id), metric, n, slot: quarterHourOf(when) })),
  )
  return {
    core,
    scope,
    id: _id,
    ask: (query: object = {}) => core.statistics.ofEmail(scope, 'campaigns', _id, { timeZone: 'UTC', ...query }),
  }
}

const now = '2026-01-06T12:07:00.000Z'

describe('an email’s totals', () => {
  it('are zero if nothing happened', async () => {
    const { ask } = await counted(now)
    expect(await ask()).toEqual({
      opens: 0,
      clicks: 0,
      uniqueOpens: 0,
      uniqueClicks: 0,
      machineOpens: 0,
      machineClicks: 0,
      sent: 0,
      failed: 0,
      bounce: 0,
      complaint: 0,
    })
  })

  it('include events up to now, or within a span', async () => {
    const { ask } = await counted(
      now,
      [now, 'opens', 1],
      ['2026-01-05T23:59:00Z', 'opens', 10],
      ['2025-01-01T00:00:00Z', 'opens', 100],
    )
    expect(await ask()).toMatchObject({ opens: 111 })
    expect(await ask({ from: '2026-01-06' })).toMatchObject({ opens: 1 })
    expect(await ask({ from: '2026-01-05', to: '2026-01-05' })).toMatchObject({ opens: 10 })
    expect(await ask({ from: '2026-01-05', to: '2026-01-06T12:01:00Z' })).toMatchObject({ opens: 11 })
    expect(await ask({ to: '2025-12-31' })).toMatchObject({ opens: 100 })
    expect(await ask({ from: '2026-01-06', to: '2026-01-06', timeZone: 'Asia/Tokyo' })).toMatchObject({ opens: 11 })
  })

  it.each([
    [{ from: 'yesterday' }, 'from: expected an ISO date or date-time'],
    [{ to: '2026-02-31' }, 'to: expected an ISO date or date-time'],
    [{ from: '2026-01-06', to: '2026-01-05' }, 'from: expected an instant before to'],
    [{ from: '2024-12-31', to: '2026-01-05' }, 'from: expected at most 366 days before to'],
    [{ from: '2025-12-29', interval: 'hourly', metric: 'sent' }, 'interval: hourly takes at most 7 days'],
    [{ from: '2025-11-01', interval: 'daily', metric: 'sent' }, 'interval: daily takes at most 60 days'],
  ])('are refused for %j', async (query, message) => {
    const { ask } = await counted(now)
    await expect(ask(query)).rejects.toMatchObject({ kind: 'invalid', message })
  })

  it('are not found for an email of another kind', async () => {
    const { core, scope, id } = await counted(now)
    await expect(core.statistics.ofEmail(scope, 'triggeredEmails', id, { timeZone: 'UTC' })).rejects.toMatchObject({
      kind: 'not-found',
    })
  })
})

describe('a metric over time', () => {
  const buckets = async (
    { ask }: Awaited<ReturnType<typeof counted>>,
    query: object,
  ): Promise<readonly (readonly [string, number])[]> => {
    const series = await ask(query)
    if (!('buckets' in series)) throw new Error('No series')
    return series.buckets.map(({ period, count, rate }) => [period, count ?? rate ?? Number.NaN])
  }

  it('has every period, also empty ones', async () => {
    const world = await counted(now, [now, 'opens', 2], ['2026-01-04T00:00:00Z', 'opens', 3])
    const query = { interval: 'daily', metric: 'opens', from: '2026-01-03' }
    expect(await buckets(world, query)).toEqual([
      ['2026-01-03', 0],
      ['2026-01-04', 3],
      ['2026-01-05', 0],
      ['2026-01-06', 2],
    ])
    expect(await buckets(world, { interval: 'weekly', metric: 'opens', from: '2025-12-28' })).toEqual([
      ['2025-12-22', 0],
      ['2025-12-29', 3],
      ['2026-01-05', 2],
    ])
    expect(await buckets(world, { interval: 'monthly', metric: 'opens', from: '2025-12-28' })).toEqual([
      ['2025-12', 0],
      ['2026-01', 5],
    ])
    expect(await buckets(world, { interval: 'hourly', metric: 'opens', from: '2026-01-06T10:30:00Z' })).toEqual([
      ['2026-01-06T10:00', 0],
      ['2026-01-06T11:00', 0],
      ['2026-01-06T12:00', 2],
    ])
  })

  it('begins as early as its interval allows by default', async () => {
    const world = await counted(now)
    expect((await buckets(world, { interval: 'hourly', metric: 'sent' })).length).toBeGreaterThanOrEqual(7 * 24)
    expect((await buckets(world, { interval: 'daily', metric: 'sent' }))[0]?.[0]).toBe('2025-11-07')
  })

  it('uses days of the time zone, with half-hour offsets and clock changes', async () => {
    const world = await counted(
      '2026-04-01T00:00:00.000Z',
      ['2026-03-28T23:30:00Z', 'opens', 1],
      ['2026-03-29T21:30:00Z', 'opens', 10],
      ['2026-03-29T22:30:00Z', 'opens', 100],
    )
    const query = { interval: 'daily', metric: 'opens', from: '2026-03-29', to: '2026-03-30' }
    expect(await buckets(world, { ...query, timeZone: 'Europe/Berlin' })).toEqual([
      ['2026-03-29', 11],
      ['2026-03-30', 100],
    ])
    expect(await buckets(world, { ...query, timeZone: 'Asia/Kolkata' })).toEqual([
      ['2026-03-29', 1],
      ['2026-03-30', 110],
    ])
  })

  it('can be a ratio, and 0 without opens', async () => {
    const world = await counted(now, [now, 'clicks', 3], [now, 'uniqueOpens', 4], ['2026-01-05T01:00:00Z', 'clicks', 1])
    const query = { interval: 'daily', metric: 'clicksPerUniqueOpens', from: '2026-01-05' }
    expect(await buckets(world, query)).toEqual([
      ['2026-01-05', 0],
      ['2026-01-06', 0.75],
    ])
  })
})
