import {
  compareByCodePoint,
  type Figure,
  type FigureMetric,
  type Figures,
  figureMetricNames,
  quarterHourOf,
  type TimeSpan,
} from '@posthorn/core/ports/storage'

/** `add` is synchronous: the ledger counts in the same step. */
export const inMemorySums = () => {
  const sums = new Map<string, Map<string, number>>()
  const keyOf = (subject: string, metric: FigureMetric) => `${metric} ${subject}`

  const slots = (subject: string, metric: FigureMetric, { from, to }: TimeSpan) => {
    const first = from && quarterHourOf(from)
    const last = to && quarterHourOf(to)
    return [...(sums.get(keyOf(subject, metric)) ?? [])]
      .filter(([slot]) => (!first || slot >= first) && (!last || slot < last))
      .map(([slot, n]) => ({ slot, n }))
      .sort((a, b) => compareByCodePoint(a.slot, b.slot))
  }

  return {
    slots,
    prune: (before: string, limit: number): number => {
      let removed = 0
      for (const bySlot of sums.values())
        for (const slot of bySlot.keys())
          if (slot < quarterHourOf(before) && removed < limit && bySlot.delete(slot)) removed += 1
      return removed
    },
    add: ({ subject, metric, slot, n }: Figure): void => {
      const key = keyOf(subject, metric)
      const bySlot = sums.get(key) ?? new Map<string, number>()
      sums.set(key, bySlot.set(slot, (bySlot.get(slot) ?? 0) + n))
    },
    totals: (subject: string, span: TimeSpan): Partial<Record<FigureMetric, number>> =>
      Object.fromEntries(
        figureMetricNames.flatMap((metric) => {
          const n = slots(subject, metric, span).reduce((sum, one) => sum + one.n, 0)
          return n === 0 ? [] : [[metric, n]]
        }),
      ),
  }
}
export type InMemorySums = ReturnType<typeof inMemorySums>

export const inMemoryFigures = (sums = inMemorySums()): Figures => ({
  add: async (figures) => figures.forEach(sums.add),
  totals: async (subject, span) => sums.totals(subject, span),
  totalsOf: async (subjects, metric) =>
    Object.fromEntries(
      subjects.flatMap((subject) => {
        const n = sums.totals(subject, {})[metric]
        return n === undefined ? [] : [[subject, n]]
      }),
    ),
  slots: async (subject, metric, span) => sums.slots(subject, metric, span),
  prune: async (before, limit) => sums.prune(before, limit),
})
