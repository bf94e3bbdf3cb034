import type { CorePorts } from '@posthorn/core'
import type { EventPoster } from '@posthorn/core/ports/runtime'
import { Counter, Histogram, Registry } from 'prom-client'
import { hitMetrics, mailMetrics } from './mail-metrics.js'
import { submissionMetrics } from './submission-metrics.js'

/** A batch counts by its first event. */
const marker = '"createdAt":"'
const lookedAt = 2_000

/** Epoch ms; undefined if the body has no time. */
const happenedAt = (body: string): number | undefined => {
  const at = body.slice(0, lookedAt).indexOf(marker)
  const instant = at < 0 ? Number.NaN : Date.parse(body.slice(at + marker.length, at + marker.length + 24))
  return Number.isNaN(instant) ? undefined : instant
}

export const measuredPoster = (poster: EventPoster, registry: Registry, now: () => number = Date.now): EventPoster => {
  const posts = new Counter({
    name: 'posthorn_webhook_posts_total',
    help: 'Posts to webhooks: accepted by a 2xx, refused by another status, or unreachable',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'posthorn_webhook_post_duration_seconds',
    help: 'Time until webhook receivers responded or failed',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const lag = new Histogram({
    name: 'posthorn_webhook_lag_seconds',
    help: 'Time from an event until its receiver accepted it; for a batch, from its first event',
    buckets: [1, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 86_400],
    registers: [registry],
  })
  for (const outcome of ['accepted', 'refused', 'unreachable']) posts.inc({ outcome }, 0)
  return {
    post: async (post) => {
      const end = durations.startTimer()
      const answer = await poster.post(post)
      end()
      const taken = answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299
      posts.inc({ outcome: answer.kind === 'unreachable' ? 'unreachable' : taken ? 'accepted' : 'refused' })
      const happened = taken ? happenedAt(post.body) : undefined
      if (happened !== undefined) lag.observe(Math.max(0, (now() - happened) / 1000))
      return answer
    },
  }
}

export const serverMeters = () => {
  const registry = new Registry()
  return {
    registry,
    meter: mailMetrics(registry),
    hitMeter: hitMetrics(registry),
    submissionMeter: submissionMetrics(registry),
  }
}
export type ServerMeters = ReturnType<typeof serverMeters>

/** Without the store, which is measured where it is opened. */
export const measuredPorts = (ports: CorePorts, { registry, meter, hitMeter }: ServerMeters): CorePorts => ({
  ...ports,
  meter,
  hitMeter,
  eventPoster: measuredPoster(ports.eventPoster, registry, () => ports.clock().getTime()),
})
