import type { SubmissionMeter } from '@posthorn/adapters-mail-in'
import type { CorePorts } from '@posthorn/core'
import type { EventPoster } from '@posthorn/core/ports/runtime'
import { Histogram, Registry } from 'prom-client'
import { hitMetrics, mailMetrics } from './mail-metrics.js'
import { seriesOf } from './series.js'

const submissionMetrics = (registry: Registry): SubmissionMeter => {
  const { counter } = seriesOf(registry)
  const messages = counter(
    'posthorn_submission_messages_total',
    'Mails given to the SMTP port: accepted, deferred by 4xx or refused by 5xx after DATA',
    ['outcome'],
  )
  const signIns = counter('posthorn_submission_sign_ins_total', 'Sign-ins at the SMTP port', ['outcome'])
  for (const outcome of ['accepted', 'deferred', 'refused']) messages.inc({ outcome }, 0)
  for (const outcome of ['accepted', 'refused']) signIns.inc({ outcome }, 0)
  return {
    message: (outcome) => messages.inc({ outcome }),
    signIn: (outcome) => signIns.inc({ outcome }),
  }
}

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
  const posts = seriesOf(registry).counter(
    'posthorn_webhook_posts_total',
    'Posts to webhooks: accepted by a 2xx, refused by another status, or unreachable',
    ['outcome'],
  )
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
    refuses: (url) => poster.refuses?.(url) === true,
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

/** @param lastAt when the newest backup was begun; undefined if there is none */
export const backupMetrics = (registry: Registry, lastAt: () => Promise<Date | undefined>) => {
  const { counter, gauge } = seriesOf(registry)
  const failures = counter('posthorn_backup_failures_total', 'Scheduled backups of this process that failed')
  gauge(
    'posthorn_backup_last_success_timestamp_seconds',
    'When the newest backup in POSTHORN_BACKUP_DIR was begun; 0 if there is none',
    async () => ((await lastAt().catch(() => undefined))?.getTime() ?? 0) / 1000,
  )
  return { failed: () => failures.inc() }
}
