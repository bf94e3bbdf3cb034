import { randomUUID } from 'node:crypto'
import {
  type AgendaBackend,
  computeJobState,
  datefields,
  type JobParameters,
  type JobRepository,
  type JobState,
  type JobsQueryOptions,
  type RemoveJobsOptions,
  toJobId,
} from 'agenda'
import type { Row, SqliteDatabase } from './sqlite-database.js'
import { both, jsonPath, type Sql } from './sqlite-where.js'

const dates: ReadonlySet<string> = new Set(datefields)

const jobOf = ({ doc }: Row): JobParameters =>
  JSON.parse(String(doc), (key, value: unknown) =>
    dates.has(key) && typeof value === 'string' ? new Date(value) : value,
  ) as JobParameters

const unlocked = (job: JobParameters): JobParameters =>
  Object.fromEntries(Object.entries(job).filter(([key]) => key !== 'lockedAt')) as unknown as JobParameters

const isoOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null

/** By what a job is unique: the name alone for repeated jobs, else the constraint that Agenda's `unique()` was given. */
const uniqueKeyOf = ({ name, type, unique }: JobParameters): string | null =>
  type === 'single' ? name : unique ? `${name} ${JSON.stringify(unique)}` : null

const among = (column: string, values: readonly unknown[] | undefined): readonly Sql[] =>
  values
    ? [{ text: `${column} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(values.map(String))] }]
    : []

/** Jobs whose data have these values, each in its field. */
const having = (data: unknown): readonly Sql[] =>
  Object.entries(data ?? {}).map(([field, value]) => ({
    text: 'json_extract(doc, ?) = json_extract(?, ?)',
    parameters: [jsonPath('data', field), JSON.stringify({ value }), '$.value'],
  }))

type Selection = Pick<RemoveJobsOptions, 'id' | 'ids' | 'name' | 'names' | 'notNames' | 'data'>

const selected = ({ id, ids, name, names, notNames, data }: Selection): readonly Sql[] => [
  ...among('id', id ? [id] : ids),
  ...among('name', name ? [name] : names),
  ...among('name NOT', notNames),
  ...having(data),
]

/** What the processor of a job may change of it; the rest is its planner's. */
const stateOf = ({
  lockedAt,
  nextRunAt,
  lastRunAt,
  lastFinishedAt,
  failedAt,
  failCount,
  failReason,
  progress,
}: JobParameters) => ({
  ...{ lockedAt, nextRunAt, lastRunAt, lastFinishedAt, failedAt, failCount, failReason, progress },
})

const unlocked = (job: JobParameters) => ({ ...job, lockedAt: undefined })

/**
 * Agenda's jobs in one table (the interface is Agenda's `JobRepository`). Every step is one transaction, so that a job is locked by
 * one process alone.
 */
const sqliteJobRepository = ({ statement, write }: SqliteDatabase): JobRepository => {
  const storeSql = `INSERT OR REPLACE INTO jobs (id, name, unique_key, next_run_at, locked_at, disabled, priority, doc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  const store = (job: JobParameters | (Omit<JobParameters, 'lockedAt'> & { lockedAt: undefined })): JobParameters => {
    const { _id, name, nextRunAt, lockedAt, disabled, priority } = job
    const doc = JSON.stringify(job)
    const columns = [uniqueKeyOf(job as JobParameters), isoOf(nextRunAt), isoOf(lockedAt), disabled ? 1 : 0, priority]
    statement(storeSql).run(String(_id), name, ...columns, doc)
    return jobOf({ doc })
  }

  const jobsWhere = (parts: readonly Sql[]): readonly JobParameters[] => {
    const { text, parameters } = both(parts)
    return statement(`SELECT doc FROM jobs WHERE ${text} ORDER BY next_run_at, priority DESC, id`)
      .all(...parameters)
      .map(jobOf)
  }
  const byId = (id: unknown): JobParameters | undefined => jobsWhere(among('id', [id]))[0]

  const change = (id: unknown, changed: (job: JobParameters) => Parameters<typeof store>[0]): void => {
    const job = byId(id)
    if (job) store(changed(job))
  }

  const setDisabled = (options: RemoveJobsOptions, disabled: boolean) =>
    write(() => {
      const parts = selected(options)
      const jobs = parts.length > 0 ? jobsWhere(parts) : []
      for (const job of jobs) store({ ...job, disabled })
      return jobs.length
    })
}
