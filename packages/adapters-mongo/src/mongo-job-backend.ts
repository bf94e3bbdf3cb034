import { createHash } from 'node:crypto'
import { MongoJobRepository } from '@agendajs/mongo-backend'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import type { AgendaBackend, JobParameters, JobRepositoryOptions } from 'agenda'
import { type Db, ObjectId } from 'mongodb'
import { isMongoTimeLimitError, isTransient, retriedUpsert, withTimeLimit } from './connection/retries.js'

const collection = 'jobs'

/** In ms: upcoming jobs are queried every 6 s, at most 200. Another process's new job may start that much later. */
const lookTime = 6_000
const lookSize = 200

/** A job that is due, or whose lock expires, within `lookTime`. */
type Upcoming = { readonly name: string; readonly nextRunAt: Date | null; readonly lockedAt: Date | null }

/** The `_id` of a repeated job is derived from its name, so that concurrent processes cannot create it twice. */
const idOf = (name: string) => new ObjectId(createHash('sha256').update(name).digest('hex').slice(0, 24))

/**
 * Agenda finds repeated jobs by name: processes that start together create one twice, and a later one unlocks the running job. Its
 * scheduler queries every name every second; here one query every few seconds finds names with upcoming jobs.
 */
class MongoJobs extends MongoJobRepository {
  private upcoming: { readonly jobs: Promise<readonly Upcoming[]>; readonly until: number } | undefined

  private lookUp(lockDeadline: Date): Promise<readonly Upcoming[]> {
    const now = Date.now()
    if (this.upcoming && now < this.upcoming.until) return this.upcoming.jobs
    const soon = new Date(now + 2 * lookTime)
    const expiring = new Date(lockDeadline.getTime() + lookTime)
    const where = {
      disabled: { $ne: true },
      $or: [{ lockedAt: null, nextRunAt: { $lte: soon } }, { lockedAt: { $lte: expiring } }],
    }
    const projection = { _id: 0, name: 1, nextRunAt: 1, lockedAt: 1 } as const
    const jobs = this.collection
      .find(where, { projection, sort: { nextRunAt: 1 }, limit: lookSize, batchSize: lookSize })
      .toArray() as unknown as Promise<readonly Upcoming[]>
    const asked = { jobs, until: now + lookTime }
    this.upcoming = asked
    const forget = () => {
      if (this.upcoming === asked) this.upcoming = undefined
    }
    // A cut-off result is not cached: further names are unknown.
    jobs.then((some) => {
      if (some.length === lookSize) forget()
    }, forget)
    return jobs
  }

  override async getNextJobToRun(
    ...[name, nextScanAt, lockDeadline, ...given]: Parameters<MongoJobRepository['getNextJobToRun']>
  ): ReturnType<MongoJobRepository['getNextJobToRun']> {
    const jobs = await this.lookUp(lockDeadline)
    const mayRun = (job: Upcoming) =>
      job.lockedAt ? job.lockedAt <= lockDeadline : job.nextRunAt !== null && job.nextRunAt <= nextScanAt
    if (jobs.length < lookSize && !jobs.some((job) => job.name === name && mayRun(job))) return undefined
    const found = await super.getNextJobToRun(name, nextScanAt, lockDeadline, ...given)
    this.upcoming = undefined
    return found
  }

  override async saveJobState(...given: Parameters<MongoJobRepository['saveJobState']>): Promise<void> {
    await super.saveJobState(...given)
    this.upcoming = undefined
  }

  override async connect(): Promise<void> {
    await super.connect()
    await this.collection.createIndex({ 'data.key': 1 }, { name: 'jobsByKey' })
  }

  override async saveJob<DATA = unknown>(
    job: JobParameters<DATA>,
    options: JobRepositoryOptions | undefined,
  ): Promise<JobParameters<DATA>> {
    this.upcoming = undefined
    try {
      return await this.saved(job, options)
    } finally {
      this.upcoming = undefined
    }
  }

  private async saved<DATA>(
    job: JobParameters<DATA>,
    options: JobRepositoryOptions | undefined,
  ): Promise<JobParameters<DATA>> {
    if (job._id || job.type !== 'single') return super.saveJob(job, options)
    const _id = idOf(job.name)
    const { nextRunAt, repeatInterval = null, repeatTimezone = null, priority, name, data } = job
    const fresh = { name, type: 'single' as const, priority, data, nextRunAt, lockedAt: null, disabled: null }
    const update = { $set: { repeatInterval, repeatTimezone }, $setOnInsert: fresh }
    await retriedUpsert(() => this.collection.updateOne({ _id }, update, { upsert: true }))
    return (await this.getJobById(_id.toHexString())) as JobParameters<DATA>
  }
}

/** Limits each call, because the scheduler queries no other job of the name until it ends. A silent database becomes `StoreUnavailable`. */
const impatient = (repository: MongoJobs): MongoJobs =>
  new Proxy(repository, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        try {
          return await withTimeLimit(async () => (await Reflect.apply(value, target, given)) as unknown)
        } catch (error) {
          throw isTransient(error) || isMongoTimeLimitError(error) ? new StoreUnavailable(error) : error
        }
      }
    },
  })

/** Stores Agenda's jobs in the open database. Creates the indexes here, because Agenda would create them where errors are lost. */
export const mongoJobBackend = async (db: Db): Promise<AgendaBackend> => {
  const repository = new MongoJobs({ mongo: db, db: { collection } })
  await repository.connect()
  return {
    name: 'MongoDB',
    repository: impatient(repository),
    ownsConnection: false,
    connect: async () => {},
    disconnect: async () => {},
  }
}
