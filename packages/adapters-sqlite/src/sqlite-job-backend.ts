import { randomUUID } from 'node:crypto'
import { without } from '@posthorn/core/ports/runtime'
import type { AgendaBackend, JobParameters, JobRepository, JobsOverview, RemoveJobsOptions } from 'agenda'
import type { SqlRow } from './database/connection.js'
import { rawSql, type SqlFragment, sql, sqlJoinedByAnd } from './database/sql.js'
import type { SqliteDatabase } from './database/sqlite-database.js'
import { jsonPath } from './records/where-sql.js'

/** Loads Agenda only when a job is planned or listed; programs that only open the store never need it. */
const loadAgenda = () => import('agenda')

/** Agenda's `datefields`. */
export const agendaDateFields = [
  'lastRunAt',
  'lastFinishedAt',
  'nextRunAt',
  'failedAt',
  'lockedAt',
  'startDate',
  'endDate',
  'debounceStartedAt',
]
const dates: ReadonlySet<string> = new Set(agendaDateFields)

const jobOf = ({ doc }: SqlRow): JobParameters =>
  JSON.parse(String(doc), (key, value: unknown) =>
    dates.has(key) && typeof value === 'string' ? new Date(value) : value,
  ) as JobParameters

const isoOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null

/** The name for repeated jobs, otherwise the constraint for Agenda's `unique()`. */
const uniqueKeyOf = ({ name, type, unique }: JobParameters): string | null =>
  type === 'single' ? name : unique ? `${name} ${JSON.stringify(unique)}` : null

const among = (column: string, values: readonly unknown[] | undefined): readonly SqlFragment[] =>
  values ? [sql`${rawSql(column)} IN (SELECT value FROM json_each(${JSON.stringify(values.map(String))}))`] : []

const having = (data: unknown): readonly SqlFragment[] =>
  Object.entries(data ?? {}).map(
    ([field, value]) =>
      sql`json_extract(doc, ${jsonPath('data', field)}) = json_extract(${JSON.stringify({ value })}, '$.value')`,
  )

type Selection = Pick<RemoveJobsOptions, 'id' | 'ids' | 'name' | 'names' | 'notNames' | 'data'>

const selected = ({ id, ids, name, names, notNames, data }: Selection): readonly SqlFragment[] => [
  ...among('id', id ? [id] : ids),
  ...among('name', name ? [name] : names),
  ...among('name NOT', notNames),
  ...having(data),
]

/** Fields that the processor of a job writes; the planner writes the others. */
const processed = [
  'lockedAt',
  'nextRunAt',
  'lastRunAt',
  'lastFinishedAt',
  'failedAt',
  'failCount',
  'failReason',
  'progress',
] as const

const withStateOf = (job: JobParameters, state: JobParameters): JobParameters => {
  const told = processed.flatMap((field) => (state[field] === undefined ? [] : [[field, state[field]]]))
  return { ...without(job, ...processed), ...Object.fromEntries(told) } as JobParameters
}

/** Each operation of Agenda's `JobRepository` is one transaction: only one process locks a job. */
const sqliteJobRepository = ({ statement, write }: SqliteDatabase): JobRepository => {
  const store = (job: JobParameters): JobParameters => {
    const { _id, name, nextRunAt, lockedAt, disabled, priority } = job
    const doc = JSON.stringify(job)
    const columns = [uniqueKeyOf(job), isoOf(nextRunAt), isoOf(lockedAt), disabled ? 1 : 0, priority]
    statement(
      `INSERT OR REPLACE INTO jobs (id, name, unique_key, next_run_at, locked_at, disabled, priority, doc)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(String(_id), name, ...columns, doc)
    return jobOf({ doc })
  }

  const jobsWhere = (parts: readonly SqlFragment[]): readonly JobParameters[] => {
    const { text, parameters } = sqlJoinedByAnd(parts)
    const rows = statement(`SELECT doc FROM jobs WHERE ${text} ORDER BY next_run_at, priority DESC, id`)
    return rows.all(...parameters).map(jobOf)
  }

  const byId = (id: unknown): JobParameters | undefined => jobsWhere(among('id', [id]))[0]

  const change = (id: unknown, changed: (job: JobParameters) => JobParameters): void => {
    const job = byId(id)
    if (job) store(changed(job))
  }

  const unlock = (id: unknown): void => change(id, (job) => without(job, 'lockedAt') as JobParameters)

  /** The stored job that this one replaces: the one with the same id or the same unique key. */
  const twinOf = (job: JobParameters): JobParameters | undefined => {
    const key = uniqueKeyOf(job)
    if (job._id) return byId(job._id)
    return key === null ? undefined : jobsWhere([sql`unique_key = ${key}`])[0]
  }

  const setDisabled = (options: RemoveJobsOptions, disabled: boolean) =>
    write(() => {
      const parts = selected(options)
      const jobs = parts.length > 0 ? jobsWhere(parts) : []
      for (const job of jobs) store({ ...job, disabled })
      return jobs.length
    })

  const next = (name: string, nextScanAt: Date, lockDeadline: Date) =>
    statement(
      `SELECT doc FROM jobs WHERE name = ? AND disabled = 0
        AND ((locked_at IS NULL AND next_run_at <= ?) OR locked_at <= ?) ORDER BY next_run_at, priority DESC LIMIT 1`,
    ).get(name, nextScanAt.toISOString(), lockDeadline.toISOString())

  return {
    connect: async () => {},

    /** Filters by name, id, state and data. Always sorts by the time of the next run and ignores `sort`. */
    queryJobs: async ({ state, search, includeDisabled = true, skip = 0, limit = 0, ...options } = {}) => {
      const { computeJobState, toJobId } = await loadAgenda()
      const now = new Date()
      const found = jobsWhere(selected(options))
        .map((job) => ({ ...job, _id: toJobId(String(job._id)), state: computeJobState(job, now) }))
        .filter((job) => includeDisabled || !job.disabled)
        .filter((job) => search === undefined || job.name.toLowerCase().includes(search.toLowerCase()))
        .filter((job) => state === undefined || (state === 'paused' ? job.disabled === true : job.state === state))
      return { jobs: found.slice(skip, limit > 0 ? skip + limit : undefined), total: found.length }
    },

    getJobsOverview: async () => {
      const { computeJobState } = await loadAgenda()
      const now = new Date()
      const overviews = new Map<string, JobsOverview>()
      for (const job of jobsWhere([])) {
        const { name } = job
        const none = { total: 0, running: 0, scheduled: 0, queued: 0, completed: 0, failed: 0, repeating: 0, paused: 0 }
        const overview = overviews.get(name) ?? { name, ...none }
        overview.total += 1
        overview[computeJobState(job, now)] += 1
        if (job.disabled) overview.paused += 1
        overviews.set(name, overview)
      }
      return [...overviews.values()]
    },

    getDistinctJobNames: async () =>
      statement('SELECT DISTINCT name FROM jobs')
        .all()
        .map(({ name }) => String(name)),
    getJobById: async (id) => byId(id) ?? null,
    getQueueSize: async () =>
      Number(statement('SELECT count(*) AS n FROM jobs WHERE next_run_at < ?').get(new Date().toISOString())?.n),

    removeJobs: (options) =>
      write(() => {
        const parts = selected(options)
        const { text, parameters } = sqlJoinedByAnd(parts)
        return parts.length > 0 ? Number(statement(`DELETE FROM jobs WHERE ${text}`).run(...parameters).changes) : 0
      }),

    /** A repeated job that is planned again keeps the time of its next run. */
    saveJob: async <DATA>(given: JobParameters<DATA>) => {
      const { toJobId } = await loadAgenda()
      return write(() => {
        const job = given as JobParameters
        const twin = twinOf(job)
        const stored = (): JobParameters => {
          if (!twin) return store({ ...job, _id: job._id ?? toJobId(randomUUID()) })
          if (job.uniqueOpts?.insertOnly) return twin
          const nextRunAt = (job.type === 'single' && !job._id && twin.nextRunAt) || job.nextRunAt
          return store({ ...twin, ...job, nextRunAt, ...(twin._id && { _id: twin._id }) })
        }
        return stored() as JobParameters<DATA>
      })
    },

    saveJobState: (job) => write(() => change(job._id, (current) => withStateOf(current, job))),

    lockJob: (job) =>
      write(() => {
        const current = byId(job._id)
        const isFree = current && !current.lockedAt && !current.disabled
        return isFree && isoOf(current.nextRunAt) === isoOf(job.nextRunAt)
          ? store({ ...current, lockedAt: new Date() })
          : undefined
      }),

    /** A running job has no next run and stays locked. */
    unlockJob: (job) =>
      write(() => {
        if (byId(job._id)?.nextRunAt) unlock(job._id)
      }),

    unlockJobs: (ids) => write(() => ids.forEach(unlock)),

    /** Usually nothing is due, and a read needs no lock. */
    getNextJobToRun: async (jobName, nextScanAt, lockDeadline, now) => {
      if (!next(jobName, nextScanAt, lockDeadline)) return undefined
      return write(() => {
        const row = next(jobName, nextScanAt, lockDeadline)
        return row && store({ ...jobOf(row), lockedAt: now ?? new Date() })
      })
    },

    disableJobs: (options) => setDisabled(options, true),
    enableJobs: (options) => setDisabled(options, false),
    purgeAllJobs: () => write(() => Number(statement('DELETE FROM jobs').run().changes)),
  }
}

export const sqliteJobBackend = (database: SqliteDatabase): AgendaBackend => ({
  name: 'SQLite',
  repository: sqliteJobRepository(database),
  ownsConnection: false,
  connect: async () => {},
  disconnect: async () => {},
})
