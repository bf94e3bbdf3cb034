import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What `/metrics` shows: the process, and every request by its row. More can be added to the registry. */
export const httpMetrics = (registry = new Registry()) => {
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'posthorn_http_request_duration_seconds',
    help: 'How long requests took, by endpoint and status',
    labelNames: ['route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  return {
    registry,
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
