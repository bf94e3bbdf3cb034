import { createCore } from '@posthorn/core'
import { httpMetrics, registerSendRateGauges } from '@posthorn/http-express'
import { inMemoryPorts, inMemoryStore, sampleProject } from '@posthorn/testkit'
import { backlogMetrics } from '../../src/metrics/backlog-metrics.js'
import { waitingHitMetrics } from '../../src/metrics/mail-metrics.js'
import { backupMetrics, measuredPorts, serverMeters } from '../../src/metrics/server-metrics.js'
import { measuredStore } from '../../src/metrics/store-metrics.js'
import type { Store } from '../../src/store.js'

type Changes = NonNullable<Parameters<typeof inMemoryPorts>[0]>

/** Metrics wired as the server wires them, around a store in memory. */
export const meteredWorld = async (changes: Changes = {}, change: (store: Store) => Store = (store) => store) => {
  const meters = serverMeters()
  const { registry } = meters
  const world = inMemoryPorts(changes)
  // No backup of it can be restored.
  const heldMails = { hold: async () => 0, release: async () => 0, count: async () => 0 }
  const opened = { ...inMemoryStore(), heldMails, jobs: world.jobs, ready: async () => true, close: async () => {} }
  const store = measuredStore(change(opened), registry)
  const { ready: _, close: __, ...kept } = store
  const ports = measuredPorts({ ...world.ports, ...kept }, meters)
  const core = createCore(ports)
  const metrics = httpMetrics(registry)
  registerSendRateGauges(metrics, core.worker.rates)
  waitingHitMetrics(registry, { hits: core.tracking.waiting, journalBytes: () => 0 })
  backupMetrics(registry, async () => undefined)
  backlogMetrics(registry, { store, now: () => world.clock.now().getTime() })
  return {
    ...world,
    ports,
    store,
    core,
    metrics,
    project: await sampleProject(core),
    /** The lines of a metric that are not zero, without its name. */
    read: async (name: string): Promise<readonly string[]> =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .filter((line) => !line.endsWith(' 0'))
        .map((line) => line.slice(name.length).trim()),
  }
}
export type MeteredWorld = Awaited<ReturnType<typeof meteredWorld>>
