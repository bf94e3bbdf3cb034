import { type Figure, type FigureMetric, figureMetricNames, quarterHourOf } from '@posthorn/core/ports/storage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore, onFreshStore } from './under-test/store.js'

const start = Date.parse('2026-01-06T12:00:00.000Z')
/** The instant `n` minutes after noon. */
const minute = (n: number) => new Date(start + n * 60_000).toISOString()

const figure = (given: Partial<Figure> = {}): Figure => ({
  subject: 'email:a',
  metric: 'opens',
  slot: quarterHourOf(minute(0)),
  n: 1,
  ...given,
})

/** Every method of `Figures`. */
export const figuresContract = (name: string, make: MakeStore, { runs = 30 }: ContractOptions = {}) => {
  describe(`${name}: figures`, () => {
    const store = freshStore(make)
    const figures = () => store().figures

    it('are empty if nothing was counted', async () => {
      expect(await figures().totals('email:a', {})).toEqual({})
      expect(await figures().slots('email:a', 'opens', {})).toEqual([])
    })

    it('add up by subject, metric and quarter of an hour', async () => {
      await figures().add([figure(), figure({ n: 4 }), figure({ metric: 'clicks' }), figure({ subject: 'list:a' })])
      await figures().add([figure({ slot: quarterHourOf(minute(29)) })])
      expect(await figures().totals('email:a', {})).toEqual({ opens: 6, clicks: 1 })
      expect(await figures().slots('email:a', 'opens', {})).toEqual([
        { slot: '2026-01-06T12:00', n: 5 },
        { slot: '2026-01-06T12:15', n: 1 },
      ])
    })

    it('include the quarter in which a span begins, and exclude the one in which it ends', async () => {
      await figures().add([0, 15, 30, 45].map((n) => figure({ slot: quarterHourOf(minute(n)) })))
      const span = { from: minute(16), to: minute(47) }
      expect(await figures().totals('email:a', span)).toEqual({ opens: 2 })
      expect((await figures().slots('email:a', 'opens', span)).map(({ slot }) => slot)).toEqual([
        '2026-01-06T12:15',
        '2026-01-06T12:30',
      ])
      expect(await figures().totals('email:a', { to: minute(15) })).toEqual({ opens: 1 })
      expect(await figures().totals('email:a', { from: minute(60) })).toEqual({})
    })

    it('are pruned before an instant, in batches', async () => {
      await figures().add([0, 15, 30, 45].map((n) => figure({ slot: quarterHourOf(minute(n)), n: n + 1 })))
      await figures().add([figure({ subject: 'list:a' })])
      expect(await figures().prune(minute(-15), 10)).toBe(0)
      for (let removed = 1; removed > 0; ) {
        removed = await figures().prune(minute(44), 2)
        expect(removed).toBeLessThanOrEqual(2)
      }
      expect(await figures().totals('list:a', {})).toEqual({})
      expect((await figures().slots('email:a', 'opens', {})).map(({ slot }) => slot)).toEqual([
        '2026-01-06T12:30',
        '2026-01-06T12:45',
      ])
    })

    it('are returned for several subjects at once', async () => {
      await figures().add([
        figure(),
        figure({ slot: quarterHourOf(minute(30)), n: 2 }),
        figure({ subject: 'link:a:0', n: 4 }),
        figure({ subject: 'link:a:1', metric: 'clicks' }),
      ])
      expect(await figures().totalsOf(['email:a', 'link:a:0', 'link:a:1', 'link:a:2'], 'opens')).toEqual({
        'email:a': 3,
        'link:a:0': 4,
      })
      expect(await figures().totalsOf([], 'opens')).toEqual({})
    })

    it('lose nothing under concurrency', async () => {
      await Promise.all(Array.from({ length: 40 }, () => figures().add([figure(), figure({ metric: 'clicks', n: 2 })])))
      expect(await figures().totals('email:a', {})).toEqual({ opens: 40, clicks: 80 })
    })

    it('equal the sum of everything that was added', async () => {
      const any = fc.record({
        subject: fc.constantFrom('email:a', 'email:A', 'project:a'),
        metric: fc.constantFrom(...figureMetricNames),
        slot: fc.nat(600).map((n) => quarterHourOf(minute(n))),
        n: fc.integer({ min: 1, max: 5 }),
      })
      const bound = fc.option(fc.nat(600).map(minute), { nil: undefined })
      const property = fc.asyncProperty(fc.array(any, { maxLength: 40 }), bound, bound, (list, from, to) =>
        onFreshStore(make, async (fresh) => {
          await fresh.figures.add(list)
          const within = list.filter(
            ({ subject, slot }) =>
              subject === 'email:a' && (!from || slot >= quarterHourOf(from)) && (!to || slot < quarterHourOf(to)),
          )
          const sums: Partial<Record<FigureMetric, number>> = {}
          for (const { metric, n } of within) sums[metric] = (sums[metric] ?? 0) + n
          expect(await fresh.figures.totals('email:a', { from, to })).toEqual(sums)
          const opens = await fresh.figures.slots('email:a', 'opens', { from, to })
          expect(opens.reduce((sum, { n }) => sum + n, 0)).toBe(sums.opens ?? 0)
          expect(opens.map(({ slot }) => slot)).toEqual([...new Set(opens.map(({ slot }) => slot))].sort())
        }),
      )
      await fc.assert(property, { numRuns: runs })
    })
  })
}
