import type { MailMeter } from '@posthorn/core/ports/runtime'
import type { DispatchKind } from '@posthorn/core/ports/storage'
import { failureClasses, failureClassOf } from '@posthorn/core/ports/transport'
import { Counter, type Registry } from 'prom-client'

type Outcome = Parameters<MailMeter['outcome']>[1]

/** Labels of an attempt's outcome. */
const outcomeLabels = {
  sent: 'sent',
  failed: 'failed',
  excluded: 'excluded',
  uncertain: 'uncertain',
  queued: 'put_off',
} as const satisfies Record<Outcome, string>

const kinds = ['campaign', 'triggered', 'transactional', 'test', 'unknown'] as const satisfies readonly (
  | DispatchKind
  | 'unknown'
)[]
const outcomes = Object.keys(outcomeLabels) as readonly Outcome[]
/** A mail with an error that has not failed is retried. */
const ends = ['final', 'retried'] as const
const accounts = ['server', 'project'] as const

/** Zero for every key. */
const zeros = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>

/** Counts the engine's reports on mails: plain additions during sending, converted to series on request. */
export const mailMetrics = (registry: Registry): MailMeter => {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, zeros(outcomes)])) as Record<
    (typeof kinds)[number],
    Record<Outcome, number>
  >
  const failures = { final: zeros(failureClasses), retried: zeros(failureClasses) }
  const throttles = zeros(accounts)

  new Counter({
    name: 'posthorn_mails_total',
    help: 'Attempts to send a mail that have come to an end, by the kind of email and how they ended',
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
    help: 'Errors of attempts to send a mail, by what they are about and whether the mail is tried again',
    labelNames: ['class', 'end'],
    registers: [registry],
    collect() {
      this.reset()
      for (const end of ends) for (const one of failureClasses) this.inc({ class: one, end }, failures[end][one])
    },
  })
  new Counter({
    name: 'posthorn_throttles_total',
    help: 'How often a provider said that mails come too fast, by whose account it was',
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
