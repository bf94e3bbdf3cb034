import { createHash } from 'node:crypto'
import { MongoJobRepository } from '@agendajs/mongo-backend'
import type { AgendaBackend, JobParameters, JobRepositoryOptions } from 'agenda'
import { type Db, ObjectId } from 'mongodb'
import { answered } from '../connection/retried.js'
import { upserted } from '../connection/upserted.js'

const collection = 'jobs'

/** A repeated job is the only one of its name, whoever asks for it at the same time: its `_id` is made of its name. */
const idOf = (name: string) => new ObjectId(createHash('sha256').update(name).digest('hex').slice(0, 24))

/**
 * Agenda's own way to MongoDB, but for one thing: it looks a repeated job up by its name, so that two processes that start together
 * make two of them, and one that starts later unlocks the job that runs.
 */
class MongoJobs extends MongoJobRepository {
  override async connect(): Promise<void> {
    await super.connect()
    await this.collection.createIndex({ 'data.key': 1 }, { name: 'jobsByKey' })
  }

  override async saveJob<DATA = unknown>(
    job: JobParameters<DATA>,
    options: JobRepositoryOptions | undefined,
  ): Promise<JobParameters<DATA>> {
    if (job._id || job.type !== 'single') return super.saveJob(job, options)
    const _id = idOf(job.name)
    const { nextRunAt, repeatInterval = null, repeatTimezone = null, priority, name, data } = job
    const fresh = { name, type: 'single' as const, priority, data, nextRunAt, lockedAt: null, disabled: null }
    const update = { $set: { repeatInterval, repeatTimezone }, $setOnInsert: fresh }
    await upserted(() => this.collection.updateOne({ _id }, update, { upsert: true }))
    return (await this.getJobById(_id.toHexString())) as JobParameters<DATA>
  }
}

/** The same, but none of its answers is waited for without end: Agenda looks for no other job of a name while it waits for one. */
const impatient = (repository: MongoJobs): MongoJobs =>
  new Proxy(repository, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => answered(async () => (await Reflect.apply(value, target, given)) as unknown)
    },
  })

/**
 * What Agenda needs to keep its jobs in the database that Posthorn has open. Its indexes are made here: Agenda connects where nobody
 * hears of a failure.
 */
export const openMongoJobBackend = async (db: Db): Promise<AgendaBackend> => {
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
