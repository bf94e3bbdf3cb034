import type { Log } from '@posthorn/core'
import { type Job, type Jobs, without } from '@posthorn/core/ports/runtime'
import { Agenda, type AgendaBackend, Job as AgendaJob, backoffStrategies, type JobParameters } from 'agenda'

export type AgendaJobsOptions = {
  readonly backend: AgendaBackend
  readonly log: Log
  /** Interval of searches for due jobs and for jobs of other processes, in ms. */
  readonly everyMs?: number
}

type Planned = { readonly key: string; readonly data: Job['data'] }

/** In ms; then another process takes the job. Renewals are four times as frequent. */
const lockLifetime = 20_000

/** Per name and process. */
const concurrency = 5

/** In searches. */
const correctEvery = 60

/** From one second to five minutes apart, without an end. */
const backoff = backoffStrategies.exponential({
  delay: 1_000,
  factor: 2,
  maxDelay: 300_000,
  maxRetries: Number.POSITIVE_INFINITY,
  jitter: 0.1,
})

/** Finds due jobs itself: Agenda's processor starts a timer per run that keeps the process alive for ten seconds. */
export const agendaScheduler = ({ backend, log, everyMs = 1000 }: AgendaJobsOptions): Jobs => {
  const agenda = new Agenda({ backend })
  const handled = new Set<string>()
  const running = new Map<string, number>()
  const inProgress = new Set<Promise<void>>()
  const searching = new Map<string, { again: boolean }>()
  /** In ms, by name. */
  const intervals = new Map<string, number>()
  let started = false
  let polling: NodeJS.Timeout | undefined
  let correcting: NodeJS.Timeout | undefined

  const failed = (error: unknown) => log('error', 'The scheduler failed', { error })
  agenda.on('error', failed)
  agenda.on('fail', (error: unknown, job: { attrs: { name: string } }) =>
    log('error', 'A job failed and will be run again', { job: job.attrs.name, error }),
  )

  const track = (work: Promise<void>): void => {
    const tracked = work.catch(failed).finally(() => inProgress.delete(tracked))
    inProgress.add(tracked)
  }

  const perform = async (job: AgendaJob, run: (data: Job['data']) => Promise<void>): Promise<void> => {
    const planned = job.attrs.data as Planned | undefined
    const renewing = setInterval(() => {
      job.touch().catch((error: unknown) => log('warn', 'The lock of a running job could not be renewed', { error }))
    }, lockLifetime / 4).unref()
    try {
      await run(planned?.data ?? {})
    } finally {
      clearInterval(renewing)
    }
    if (planned) await agenda.cancel({ ids: [String(job.attrs._id)] })
  }

  const runningOf = (name: string) => running.get(name) ?? 0

  const runLocked = async (locked: JobParameters): Promise<void> => {
    const { name } = locked
    running.set(name, runningOf(name) + 1)
    try {
      await new AgendaJob(agenda, locked, true).run()
    } finally {
      running.set(name, runningOf(name) - 1)
    }
    search(name)
  }

  const runDue = async (name: string): Promise<void> => {
    while (started && runningOf(name) < concurrency) {
      const now = Date.now()
      const deadline = new Date(now - lockLifetime)
      const locked = await agenda.db.getNextJobToRun(name, new Date(now), deadline, undefined, undefined)
      if (!locked) return
      track(runLocked(locked))
    }
  }

  /** During a search, requests another: it may have missed a job. */
  const search = (name: string): void => {
    if (!started || !handled.has(name)) return
    const current = searching.get(name)
    if (current) {
      current.again = true
      return
    }
    const state = { again: false }
    searching.set(name, state)
    track(
      runDue(name).finally(() => {
        searching.delete(name)
        if (state.again) search(name)
      }),
    )
  }
  const searchAll = () => {
    for (const name of handled) if (!searching.has(name)) search(name)
  }

  /** Corrects what a fast clock wrote: a next run more than one interval ahead, or a lock from the future, which would not expire. */
  const correct = async (): Promise<void> => {
    if (intervals.size === 0) return
    const { jobs } = await agenda.queryJobs({ names: [...intervals.keys()] })
    const now = Date.now()
    for (const job of jobs) {
      const nextRunAt = new Date(now + (intervals.get(job.name) ?? 0))
      const isLate = job.nextRunAt != null && job.nextRunAt > nextRunAt
      const isLocked = job.lockedAt != null && job.lockedAt.getTime() > now + lockLifetime
      if (!isLate && !isLocked) continue
      await agenda.db.saveJobState({ ...without(job, 'lockedAt'), nextRunAt }, undefined)
      log('warn', 'A process with a fast clock planned a repeated job; it runs after one interval', { job: job.name })
    }
  }
  const correctSoon = (): void =>
    void correct().catch((error: unknown) => log('warn', 'The repeated jobs could not be checked', { error }))

  return {
    at: async (when, key, { name, data }) => {
      // Stored before the earlier one is removed: a crash must not lose both.
      const { jobs: earlier } = await agenda.queryJobs({ data: { key } })
      await agenda.create<Planned>(name, { key, data }).schedule(when).save()
      if (earlier.length > 0) await agenda.cancel({ ids: earlier.map(({ _id }) => String(_id)) })
      search(name)
    },
    cancel: async (key) => {
      await agenda.cancel({ data: { key } })
    },
    every: async (seconds, name) => {
      intervals.set(name, seconds * 1_000)
      await agenda.every(`${seconds} seconds`, name)
      search(name)
    },
    handle: (name, run) => {
      handled.add(name)
      agenda.define(name, (job, done) => void perform(job, run).then(() => done(), done), { backoff })
    },
    start: async () => {
      started = true
      searchAll()
      polling = setInterval(searchAll, everyMs)
      correctSoon()
      correcting = setInterval(correctSoon, correctEvery * everyMs).unref()
    },
    stop: async () => {
      started = false
      clearInterval(polling)
      clearInterval(correcting)
      while (inProgress.size > 0) await Promise.all(inProgress)
    },
  }
}
