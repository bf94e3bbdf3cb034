import type { Histogram, Registry } from 'prom-client'

type Series = { readonly labels: readonly [string, string]; readonly counts: number[]; sum: number; count: number }

type Sample = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

export type TimingsOptions<L extends string> = {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly [L, L]
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[]
  readonly registers: readonly Registry[]
}

/**
 * A histogram of durations by two labels, which Prometheus reads like prom-client's. It finds a series by the values of its labels, where
 * prom-client validates, sorts and joins all labels at each observation; a request makes several.
 */
export const timings = <L extends string>({ name, help, labelNames, buckets, registers }: TimingsOptions<L>) => {
  const series = new Map<string, Map<string, Series>>()

  const begun = (first: string, second: string): Series => {
    const those = series.get(first) ?? new Map<string, Series>()
    const one: Series = { labels: [first, second], counts: buckets.map(() => 0), sum: 0, count: 0 }
    series.set(first, those.set(second, one))
    return one
  }

  const samplesOf = ({ labels: [first, second], counts, sum, count }: Series): readonly Sample[] => {
    const labels = { [labelNames[0]]: first, [labelNames[1]]: second }
    let below = 0
    const bucketed = buckets.map((le, index): Sample => {
      below += counts[index] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...bucketed,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }

  const described = { name, help, type: 'histogram', aggregator: 'sum', labelNames }
  const get = async () => ({
    ...described,
    values: [...series.values()].flatMap((those) => [...those.values()].flatMap(samplesOf)),
  })
  // A registry uses nothing else of a metric.
  for (const registry of registers) registry.registerMetric({ ...described, get } as unknown as Histogram)

  return {
    /** @param seconds duration, for these values of the labels in their order */
    observe: (first: string, second: string, seconds: number): void => {
      const one = series.get(first)?.get(second) ?? begun(first, second)
      one.sum += seconds
      one.count += 1
      const bucket = buckets.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1
    },
  }
}
