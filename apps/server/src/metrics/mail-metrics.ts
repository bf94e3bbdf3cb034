import { type HitMeter, hitDropReasons, type MailMetrics } from '@posthorn/core/ports/runtime'
import type { DispatchKind } from '@posthorn/core/ports/storage'
import { failureClasses, failureClassOf } from '@posthorn/core/ports/transport'
import { Counter, type Registry } from 'prom-client'
import { seriesOf } from './series.js'

type Outcome = Parameters<MailMetrics['outcome']>[1]

const outcomeLabels = {
  sent: 'sent',
  failed: 'failed',
  excluded: 'excluded',
  uncertain: 'uncertain',
  queued: 'put_off',
} as const satisfies Record<Outcome, string>

const kinds = ['campaign', 'triggered', 'transactional', 'direct', 'test', 'unknown'] as const satisfies readonly (
  | DispatchKind
  | 'unknown'
)[]
const outcomes = Object.keys(outcomeLabels) as readonly Outcome[]
const ends = ['final', 'retried'] as const
const accounts = ['server', 'project'] as const

const zeros = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>

/** Plain additions while sending; converted to series on request. */
export const mailMetrics = (registry: Registry): MailMetrics => {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, zeros(outcomes)])) as Record<
    (typeof kinds)[number],
    Record<Outcome, number>
  >
  const failures = { final: zeros(failureClasses), retried: zeros(failureClasses) }
  const throttles = zeros(accounts)

  new Counter({
    name: 'posthorn_mails_total',
    help: 'Finished attempts to send a mail, by kind of email and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const kind of kinds)
        for (const outcome of outcomes) this.inc({ kind, outcome: outcomeLabels[outcome] }, byKind[kind][outcome])
    },
  })
  new Counter({
    name: 'posthorn_mail_failures_total',
    help: 'Errors of attempts to send a mail, by error class and whether the mail is retried',
    labelNames: ['class', 'end'],
    registers: [registry],
    collect() {
      this.reset()
      for (const end of ends) for (const one of failureClasses) this.inc({ class: one, end }, failures[end][one])
    },
  })
  new Counter({
    name: 'posthorn_throttles_total',
    help: 'Rate limit responses of the mail provider, by account',
    labelNames: ['account'],
    registers: [registry],
    collect() {
      this.reset()
      for (const account of accounts) this.inc({ account }, throttles[account])
    },
  })

  return {
    outcome: (kind, to, error) => {
      byKind[kind ?? 'unknown'][to] += 1
      if (error) failures[to === 'failed' ? 'final' : 'retried'][failureClassOf(error)] += 1
    },
    throttled: ({ account }) => {
      throttles[account] += 1
    },
  }
}

const hitKinds = ['open', 'click', 'trap'] as const
const judges = ['person', 'machine'] as const
const places = ['copy', 'store'] as const

/** By result; also counts where link tables were read. */
export const hitMetrics = (registry: Registry): HitMeter & { readonly linksRead: (from: 'copy' | 'store') => void } => {
  const { counter } = seriesOf(registry)
  const taken = counter('posthorn_hits_total', 'Requests for images and links of mails that were heard, by kind', [
    'kind',
  ])
  const judged = counter(
    'posthorn_hits_judged_total',
    'Requests for images and links of mails that were recorded, by kind and who made them',
    ['kind', 'by'],
  )
  const refused = counter('posthorn_hits_refused_total', 'Requests for images and links that nobody here has signed')
  const unavailable = counter(
    'posthorn_links_unavailable_total',
    'Requests for links of mails that were refused with 503, as where they lead could not be read',
  )
  const dropped = counter('posthorn_hits_dropped_total', 'Requests for images and links that are not counted, by why', [
    'reason',
  ])
  const unjournaled = counter(
    'posthorn_hits_unjournaled_total',
    'Requests for images and links that were heard and could not be kept in the data directory',
  )
  const takenOver = counter(
    'posthorn_hits_taken_over_total',
    'Requests for images and links that were taken over from processes that had ended',
  )
  const linksRead = counter(
    'posthorn_link_tables_read_total',
    'Tables of links that were read on MongoDB, by where: a copy in the data directory, or the store',
    ['from'],
  )
  for (const kind of hitKinds) {
    taken.inc({ kind }, 0)
    for (const by of judges) judged.inc({ kind, by }, 0)
  }
  for (const reason of hitDropReasons) dropped.inc({ reason }, 0)
  for (const from of places) linksRead.inc({ from }, 0)
  return {
    taken: (kind) => taken.inc({ kind }),
    judged: (kind, by) => judged.inc({ kind, by }),
    refused: () => refused.inc(),
    unavailable: () => unavailable.inc(),
    dropped: (reason, n) => dropped.inc({ reason }, n),
    unjournaled: () => unjournaled.inc(),
    takenOver: (n) => takenOver.inc(n),
    linksRead: (from) => linksRead.inc({ from }),
  }
}

type Waiting = { readonly hits: () => number; readonly journalBytes: () => number }

export const waitingHitMetrics = (registry: Registry, { hits, journalBytes }: Waiting): void => {
  const { gauge } = seriesOf(registry)
  gauge('posthorn_hits_waiting', 'Opens and clicks that this process has still to record', hits)
  gauge('posthorn_hit_journal_bytes', 'Bytes that this process has in its journal of opens and clicks', journalBytes)
}
