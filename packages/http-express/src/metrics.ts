import type { RequestHandler } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * What `/metrics` shows: the process, with the delay of its event loop (`nodejs_eventloop_lag_…`), and every request by its row. More
 * can be added to the registry.
 */
export const httpMetrics = (registry = new Registry()) => {
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'posthorn_http_request_duration_seconds',
    help: 'How long requests took, by endpoint and status',
    labelNames: ['route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  const atWork = new Gauge({
    name: 'posthorn_http_requests_at_work',
    help: 'Requests that are being worked on',
    registers: [registry],
  })
  const overloaded = new Counter({
    name: 'posthorn_http_overload_refusals_total',
    help: 'Requests that were refused because too many were being worked on',
    registers: [registry],
  })
  return {
    registry,
    atWork: (requests: number): void => atWork.set(requests),
    overloaded: (): void => overloaded.inc(),
    observe: (route: string, status: number, seconds: number): void =>
      durations.observe({ route, status: String(status) }, seconds),
  }
}
export type HttpMetrics = ReturnType<typeof httpMetrics>

/** What Prometheus reads. */
export const metricsPage =
  ({ registry }: HttpMetrics): RequestHandler =>
  async (_request, response) => {
    response.set('Content-Type', registry.contentType).end(await registry.metrics())
  }
