import type { Job, Jobs, Log } from '@posthorn/core'
import { Agenda, type AgendaBackend, backoffStrategies } from 'agenda'

export type AgendaJobsOptions = {
  readonly backend: AgendaBackend
  readonly log: Log
  /** How often due jobs are looked for. */
  readonly everyMs?: number
}

type Data = Readonly<Record<string, string>>

/** How long a job may run before another process may take it; short, because Agenda keeps a timer of half of it for every run. */
const lockLifetime = 120_000

/**
 * Core's jobs on Agenda, whatever it keeps them in. Jobs are wanted at least once, so a lock that is lost is no harm. Agenda's own
 * way of draining leaves locks behind: this stops it and waits for what runs.
 */
export const agendaJobs = ({ backend, log, everyMs = 1000 }: AgendaJobsOptions): Jobs => {
  const agenda = new Agenda({
    backend,
    processEvery: everyMs,
    defaultLockLifetime: lockLifetime,
    defaultConcurrency: 5,
    removeOnComplete: true,
  })
  const running = new Set<Promise<void>>()
  agenda.on('error', (error: unknown) => log('error', 'The scheduler failed', { error }))
  agenda.on('fail', (error: unknown, job: { attrs: { name: string } }) =>
    log('error', 'A job failed and will be run again', { job: job.attrs.name, error }),
  )
  let started = false

  const perform =
    (run: (data: Data) => Promise<void>) =>
    async (job: { readonly attrs: { readonly data?: unknown } }): Promise<void> => {
      const { key: _, ...data } = (job.attrs.data ?? {}) as Data
      const done = run(data)
      running.add(done)
      await done.finally(() => running.delete(done))
    }

  const define = (name: Job['name'], run: (data: Data) => Promise<void>) =>
    agenda.define(
      name,
      (job, done) => {
        perform(run)(job).then(() => done(), done)
      },
      { backoff: backoffStrategies.standard() },
    )

  return {
    at: async (when, key, { name, data }) => {
      await agenda
        .create<Data>(name, { ...data, key })
        .unique({ 'data.key': key })
        .schedule(when)
        .save()
    },
    cancel: async (key) => {
      await agenda.cancel({ data: { key } })
    },
    every: async (seconds, name) => {
      await agenda.every(`${seconds} seconds`, name)
    },
    handle: define,
    start: async () => {
      if (started) return
      started = true
      await agenda.start()
    },
    stop: async () => {
      if (!started) return
      started = false
      await agenda.stop(false)
      await Promise.allSettled(running)
    },
  }
}
