import type { CorePorts } from '@posthorn/core'
import { Registry } from 'prom-client'
import { hitMetrics } from './hit-metrics.js'
import { mailMetrics } from './mail-metrics.js'
import { measuredPoster } from './webhook-metrics.js'

/** Meters that exist before the store: the registry of all metrics, and the engine's meters. */
export const serverMeters = () => {
  const registry = new Registry()
  return { registry, meter: mailMetrics(registry), hitMeter: hitMetrics(registry) }
}
export type ServerMeters = ReturnType<typeof serverMeters>

/** The ports, with the core's use of them counted. The store is measured where it is opened. */
export const measuredPorts = (ports: CorePorts, { registry, meter, hitMeter }: ServerMeters): CorePorts => ({
  ...ports,
  meter,
  hitMeter,
  eventPoster: measuredPoster(ports.eventPoster, registry, () => ports.clock().getTime()),
})
