import type { ChannelRate } from '@posthorn/core/ports/transport'
import type { RequestHandler } from 'express'
import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client'

type Series = { readonly labels: readonly [string, string]; readonly counts: number[]; sum: number; count: number }

type Sample = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

type DurationHistogramOptions<L extends string> = {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly [L, L]
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[]
  readonly registers: readonly Registry[]
}

/** Faster than prom-client's: does not validate, sort and join labels at each observation. */
export const durationHistogram = <L extends string>({
  name,
  help,
  labelNames,
  buckets,
  registers,
}: DurationHistogramOptions<L>) => {
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
    observe: (first: string, second: string, seconds: number): void => {
      const one = series.get(first)?.get(second) ?? begun(first, second)
      one.sum += seconds
      one.count += 1
      const bucket = buckets.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) one.counts[bucket] = (one.counts[bucket] ?? 0) + 1
    },
  }
}

/** Callers may register more metrics. */
export const httpMetrics = (registry = new Registry()) => {
  collectDefaultMetrics({ register: registry })
  const durations = durationHistogram({
    name: 'posthorn_http_request_duration_seconds',
    help: 'Duration of requests, by endpoint and status',
    labelNames: ['route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  let requestsAtWork = 0
  new Gauge({
    name: 'posthorn_http_requests_at_work',
    help: 'Requests in progress',
    registers: [registry],
    collect() {
      this.set(requestsAtWork)
    },
  })
  const overloaded = new Counter({
    name: 'posthorn_http_overload_refusals_total',
    help: 'Requests refused because too many were in progress',
    registers: [registry],
  })
  return {
    registry,
    atWork: (requests: number): void => {
      requestsAtWork = requests
    },
    overloaded: (): void => overloaded.inc(),
    observe: (route: string, status: number, seconds: number): void =>
      durations.observe(route, String(status), seconds),
  }
}
export type HttpMetrics = ReturnType<typeof httpMetrics>

/** Own accounts share a label per region, which bounds the series. */
const labelOf = ({ channel: { account, region } }: ChannelRate): string =>
  region === undefined ? account : `${account}:${region}`

/** Channels of the last minute: `server`, `server:<region>` or `project:<region>`. */
export const registerSendRateGauges = (
  { registry }: Pick<HttpMetrics, 'registry'>,
  rates: () => Promise<readonly ChannelRate[]>,
): void => {
  const gauge = (name: string, help: string, read: (rate: ChannelRate) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers: [registry],
      async collect() {
        const now = await rates()
        this.reset()
        for (const one of now) {
          const value = read(one)
          if (value !== undefined) this.inc({ channel: labelOf(one) }, value)
        }
      },
    })
  gauge(
    'posthorn_channel_rate_per_second',
    'Mails that a channel may send per second, after throttling',
    ({ ratePerSecond }) => ratePerSecond,
  )
  gauge(
    'posthorn_channel_handed_per_second',
    'Send permits that this process used on a channel in the current or the previous second',
    ({ handedPerSecond }) => handedPerSecond,
  )
}

export const metricsHandler =
  ({ registry }: HttpMetrics): RequestHandler =>
  async (_request, response) => {
    response.set('Content-Type', registry.contentType).end(await registry.metrics())
  }
