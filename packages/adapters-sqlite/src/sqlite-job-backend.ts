import { randomUUID } from 'node:crypto'
import type { AgendaBackend, JobParameters, JobRepository, RemoveJobsOptions } from 'agenda'
import { toJobId } from 'agenda'
import type { Parameter, Row, SqliteDatabase } from './sqlite-database.js'
import type { Sql } from './sqlite-where.js'

const dateFields = new Set([
  'lastRunAt',
  'lastFinishedAt',
  'nextRunAt',
  'failedAt',
  'lockedAt',
  'startDate',
  'endDate',
  'debounceStartedAt',
])

const jobOf = (row: Row): JobParameters =>
  JSON.parse(String(row.doc), (key, value) =>
    dateFields.has(key) && typeof value === 'string' ? new Date(value) : value,
  ) as JobParameters

const isoOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null

/** By what a job is unique: the name alone for repeated jobs, else the constraint that Agenda's `unique()` was given. */
const uniqueKeyOf = ({ name, type, unique }: JobParameters): string | null =>
  type === 'single' ? name : unique ? `${name} ${JSON.stringify(unique)}` : null

const listOf = (text: string, values: readonly string[]): Sql => ({
  text: `${text} (SELECT value FROM json_each(?))`,
  parameters: [JSON.stringify(values)],
})

const selected = ({ id, ids, name, names, notNames, data }: RemoveJobsOptions): Sql => {
  const parts: Sql[] = [
    ...(id ? [listOf('id IN', [String(id)])] : []),
    ...(ids ? [listOf('id IN', ids.map(String))] : []),
    ...(name ? [listOf('name IN', [name])] : []),
    ...(names ? [listOf('name IN', names)] : []),
    ...(notNames ? [listOf('name NOT IN', notNames)] : []),
    ...Object.entries((data ?? {}) as Record<string, Parameter>).map(([key, value]) => ({
      text: 'json_extract(doc, ?) = ?',
      parameters: [`$.data."${key.replaceAll('"', '')}"`, value],
    })),
  ]
  return {
    text: parts.map(({ text }) => text).join(' AND ') || '0',
    parameters: parts.flatMap(({ parameters }) => parameters),
  }
}

/** Agenda's jobs in the same SQLite file (the interface is Agenda's `JobRepository`). A job is locked by one conditional update. */
const sqliteJobRepository = ({ statement, write }: SqliteDatabase): JobRepository => {
  const store = (job: JobParameters): JobParameters => {
    const id = String(job._id)
    const doc = JSON.stringify(job)
    const values = [
      uniqueKeyOf(job),
      isoOf(job.nextRunAt),
      isoOf(job.lockedAt),
      job.disabled ? 1 : 0,
      job.priority,
      doc,
    ] as const
    statement(
      `INSERT INTO jobs (id, name, unique_key, next_run_at, locked_at, disabled, priority, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET unique_key = excluded.unique_key, next_run_at = excluded.next_run_at, locked_at = excluded.locked_at,
         disabled = excluded.disabled, priority = excluded.priority, doc = excluded.doc`,
    ).run(id, job.name, ...values)
    return job
  }

  const byId = (id: string) => {
    const row = statement('SELECT doc FROM jobs WHERE id = ?').get(id)
    return row && jobOf(row)
  }

  const changed = (id: string, change: (job: JobParameters) => JobParameters) => {
    const job = byId(id)
    return job && store(change(job))
  }

  const lock = (row: Row | undefined, now: Date): JobParameters | undefined =>
    row && store({ ...jobOf(row), lockedAt: now })

  const setDisabled = (options: RemoveJobsOptions, disabled: boolean) =>
    write(() => {
      const { text, parameters } = selected(options)
      const rows = statement(`SELECT doc FROM jobs WHERE ${text}`).all(...parameters)
      for (const row of rows) store({ ...jobOf(row), disabled })
      return rows.length
    })

  const all = () => statement('SELECT doc FROM jobs ORDER BY next_run_at').all().map(jobOf)

  return {
    connect: async () => {},

    queryJobs: async ({ name, id, skip = 0, limit = 50 } = {}) => {
      const found = all().filter((job) => (!name || job.name === name) && (!id || String(job._id) === id))
      const stateOf = (job: JobParameters) =>
        job.lockedAt
          ? 'running'
          : job.failedAt
            ? 'failed'
            : job.repeatInterval
              ? 'repeating'
              : job.nextRunAt
                ? 'scheduled'
                : 'completed'
      const jobs = found
        .slice(skip, skip + limit)
        .map((job) => ({ ...job, _id: toJobId(String(job._id)), state: stateOf(job) }) as never)
      return { jobs, total: found.length }
    },

    getJobsOverview: async () => {
      const names = [...new Set(all().map(({ name }) => name))]
      return names.map((name) => {
        const jobs = all().filter((job) => job.name === name)
        const count = (fits: (job: JobParameters) => boolean) => jobs.filter(fits).length
        return {
          name,
          total: jobs.length,
          running: count(({ lockedAt }) => lockedAt !== undefined),
          scheduled: count(({ nextRunAt }) => nextRunAt !== null),
          queued: count(({ nextRunAt }) => nextRunAt !== null && nextRunAt <= new Date()),
          completed: count(({ lastFinishedAt, failedAt }) => lastFinishedAt !== undefined && failedAt === undefined),
          failed: count(({ failedAt }) => failedAt !== undefined),
          repeating: count(({ repeatInterval }) => repeatInterval !== undefined),
          paused: count(({ disabled }) => disabled === true),
        }
      })
    },

    getDistinctJobNames: async () => [...new Set(all().map(({ name }) => name))],
    getJobById: async (id) => byId(id) ?? null,
    getQueueSize: async () =>
      Number(statement('SELECT count(*) AS n FROM jobs WHERE next_run_at < ?').get(new Date().toISOString())?.n ?? 0),

    removeJobs: (options) =>
      write(() => {
        const { text, parameters } = selected(options)
        return Number(statement(`DELETE FROM jobs WHERE ${text}`).run(...parameters).changes)
      }),

    /** A job that is unique replaces the one that has its key; a repeated one keeps the time of its next run. */
    saveJob: (job) =>
      write(() => {
        const key = uniqueKeyOf(job as JobParameters)
        const twin =
          job._id || key === null ? undefined : statement('SELECT doc FROM jobs WHERE unique_key = ?').get(key)
        if (!twin) return store({ ...job, _id: job._id ?? toJobId(randomUUID()) } as JobParameters) as typeof job
        const before = jobOf(twin)
        if (job.uniqueOpts?.insertOnly) return before as typeof job
        const nextRunAt = job.type === 'single' && before.nextRunAt ? before.nextRunAt : job.nextRunAt
        return store({
          ...before,
          ...job,
          _id: before._id,
          nextRunAt,
          ...(before.lockedAt && { lockedAt: before.lockedAt }),
        } as JobParameters) as typeof job
      }),

    saveJobState: (job) =>
      write(() => {
        const { data: _, ...state } = job
        changed(String(job._id), (current) => ({ ...current, ...state, data: current.data }))
      }),

    lockJob: (job) =>
      write(() => {
        const row = statement(
          'SELECT doc FROM jobs WHERE id = ? AND locked_at IS NULL AND disabled = 0 AND next_run_at = ?',
        ).get(String(job._id), isoOf(job.nextRunAt))
        return lock(row, new Date())
      }),

    unlockJob: (job) =>
      write(() => {
        changed(String(job._id), ({ lockedAt: _, ...current }) => current)
      }),

    unlockJobs: (ids) =>
      write(() => {
        for (const id of ids) changed(String(id), ({ lockedAt: _, ...current }) => current)
      }),

    getNextJobToRun: (jobName, nextScanAt, lockDeadline, now) =>
      write(() => {
        const sql = `SELECT doc FROM jobs WHERE name = ? AND disabled = 0
          AND ((locked_at IS NULL AND next_run_at <= ?) OR locked_at <= ?) ORDER BY next_run_at, priority DESC LIMIT 1`
        return lock(
          statement(sql).get(jobName, nextScanAt.toISOString(), lockDeadline.toISOString()),
          now ?? new Date(),
        )
      }),

    disableJobs: (options) => setDisabled(options, true),
    enableJobs: (options) => setDisabled(options, false),
    purgeAllJobs: () => write(() => Number(statement('DELETE FROM jobs').run().changes)),
  }
}

/** What Agenda needs to keep its jobs in the database that Posthorn has open. */
export const sqliteJobBackend = (database: SqliteDatabase): AgendaBackend => ({
  name: 'SQLite',
  repository: sqliteJobRepository(database),
  ownsConnection: false,
  connect: async () => {},
  disconnect: async () => {},
})
