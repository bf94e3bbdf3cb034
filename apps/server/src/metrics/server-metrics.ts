import type { CorePorts } from '@posthorn/core'
import { Registry } from 'prom-client'
import { hitMetrics } from './hit-metrics.js'
import { mailMetrics } from './mail-metrics.js'
import { measuredPoster } from './webhook-metrics.js'

/** What is measured from the start, before there is a store: the registry that all metrics are in, and the engine's meter. */
export const serverMeters = () => {
  const registry = new Registry()
  return { registry, meter: mailMetrics(registry), hitMeter: hitMetrics(registry) }
}
export type ServerMeters = ReturnType<typeof serverMeters>

/** The ports, with what the core does by them counted. The store is measured where it is opened. */
export const measuredPorts = (ports: CorePorts, { registry, meter, hitMeter }: ServerMeters): CorePorts => ({
  ...ports,
  meter,
  hitMeter,
  eventPoster: measuredPoster(ports.eventPoster, registry, () => ports.clock().getTime()),
})
