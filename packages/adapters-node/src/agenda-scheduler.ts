import type { Log } from '@posthorn/core'
import { type Job, type Jobs, without } from '@posthorn/core/ports'
import {
  Agenda,
  type AgendaBackend,
  type Job as AgendaJob,
  backoffStrategies,
  InMemoryNotificationChannel,
} from 'agenda'

export type AgendaJobsOptions = {
  readonly backend: AgendaBackend
  readonly log: Log
  /** How often jobs are looked for that were planned in other processes, or whose time has come. */
  readonly everyMs?: number
}

/** What Agenda keeps of a job that was planned; of one that is repeated there is nothing to keep. */
type Planned = { readonly key: string; readonly data: Job['data'] }

/**
 * How long a job stays with a process that has died. A living one says so four times within it. Short, because Agenda also keeps a
 * timer of half of it for every run.
 */
const lockLifetime = 20_000

/** After so many looks for due jobs the repeated ones are checked. */
const correctEvery = 60

/** From a second up to five minutes apart, for as long as it takes. */
const backoff = backoffStrategies.exponential({
  delay: 1_000,
  factor: 2,
  maxDelay: 300_000,
  maxRetries: Number.POSITIVE_INFINITY,
  jitter: 0.1,
})

/** Core's jobs on Agenda, which is loaded with this module. */
export const agendaScheduler = ({ backend, log, everyMs = 1000 }: AgendaJobsOptions): Jobs => {
  const agenda = new Agenda({
    backend,
    processEvery: everyMs,
    defaultLockLifetime: lockLifetime,
    // What is planned in this process, and due, is taken at once.
    notificationChannel: new InMemoryNotificationChannel(),
  })
  const running = new Set<unknown>()
  /** The repeated jobs of this process, and their intervals in milliseconds. */
  const intervals = new Map<string, number>()
  let started = false
  let correcting: NodeJS.Timeout | undefined

  agenda.on('error', (error: unknown) => log('error', 'The scheduler failed', { error }))
  agenda.on('fail', (error: unknown, job: { attrs: { name: string } }) =>
    log('error', 'A job failed and will be run again', { job: job.attrs.name, error }),
  )
  agenda.on('start', (job: unknown) => running.add(job))
  agenda.on('complete', (job: unknown) => running.delete(job))

  /** Agenda takes a job up to `everyMs` before its time: it may have been replaced or cancelled since. */
  const isStillPlanned = async ({ attrs: { _id } }: AgendaJob) => (await agenda.db.getJobById(String(_id))) !== null

  const perform = async (job: AgendaJob, run: (data: Job['data']) => Promise<void>): Promise<void> => {
    if (!started) throw new Error('The scheduler is stopping')
    if (!(await isStillPlanned(job))) return
    const planned = job.attrs.data as Planned | undefined
    const alive = setInterval(() => {
      job.touch().catch((error: unknown) => log('warn', 'A running job could not say so', { error }))
    }, lockLifetime / 4).unref()
    try {
      await run(planned?.data ?? {})
    } finally {
      clearInterval(alive)
    }
    if (planned) await agenda.cancel({ ids: [String(job.attrs._id)] })
  }

  /**
   * Corrects what a process left whose clock ran ahead: a next run beyond the job's interval, which would not come until the time that
   * the clock showed, and a lock from the future, which would not expire.
   */
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
      log('warn', 'A repeated job was planned by a clock that ran ahead; it runs after one interval', { job: job.name })
    }
  }
  const correctSoon = (): void =>
    void correct().catch((error: unknown) => log('warn', 'The repeated jobs could not be checked', { error }))

  return {
    at: async (when, key, { name, data }) => {
      // The new one is safe before the earlier one goes, so that no crash in between loses both.
      const { jobs: earlier } = await agenda.queryJobs({ data: { key } })
      await agenda.create<Planned>(name, { key, data }).schedule(when).save()
      if (earlier.length > 0) await agenda.cancel({ ids: earlier.map(({ _id }) => String(_id)) })
    },
    cancel: async (key) => {
      await agenda.cancel({ data: { key } })
    },
    every: async (seconds, name) => {
      intervals.set(name, seconds * 1_000)
      await agenda.every(`${seconds} seconds`, name)
    },
    handle: (name, run) => {
      agenda.define(name, (job, done) => void perform(job, run).then(() => done(), done), { backoff })
    },
    start: async () => {
      started = true
      await agenda.start()
      correctSoon()
      correcting = setInterval(correctSoon, correctEvery * everyMs).unref()
    },
    /** Agenda's own way of draining leaves the locks of jobs that wait for their time. */
    stop: async () => {
      if (!started) return
      started = false
      clearInterval(correcting)
      await agenda
        .stop(false)
        .catch((error: unknown) => log('warn', 'The scheduler could not release its jobs', { error }))
      while (running.size > 0) await new Promise((resolve) => agenda.once('complete', resolve))
    },
  }
}
