import { agendaJobs } from '@posthorn/adapters-node'
import { recordingLog } from '@posthorn/testkit'
import { datefields, type JobParameters, type JobRepository, toJobId } from 'agenda'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../src/index.js'
import { agendaDateFields } from '../src/sqlite-job-backend.js'
import { folder } from './folder.js'

const at = (seconds: number) => new Date(Date.parse('2026-01-06T12:00:00.000Z') + seconds * 1000)

/** A job to run at noon. */
const job = (given: Partial<JobParameters> = {}): JobParameters => ({
  name: 'greet',
  priority: 0,
  nextRunAt: at(0),
  type: 'normal',
  data: {},
  ...given,
})

it('has the same date fields as Agenda', () => {
  expect(agendaDateFields).toEqual(datefields)
})

describe('jobs in the file', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let stores: SqliteStore[]
  const open = () => {
    const store = openSqliteStore({ file: place.file })
    stores.push(store)
    return store
  }
  const jobs = (): JobRepository => open().jobBackend.repository
  /** The next due job, for a process that gives those up that have been locked for a minute. */
  const take = (repository: JobRepository, seconds: number) =>
    repository.getNextJobToRun('greet', at(seconds), at(seconds - 60), at(seconds), undefined)

  beforeEach(async () => {
    place = await folder()
    stores = []
  })
  afterEach(async () => {
    await Promise.all(stores.map(({ close }) => close()))
    await place.remove()
  })

  it('are stored unchanged, with dates as dates', async () => {
    const given = job({ data: { to: 'Zoë', at: '2026-01-06T12:00:00.000Z' }, failCount: 2, failedAt: at(-60) })
    const { _id } = await jobs().saveJob(given, undefined)
    expect(await jobs().getJobById(String(_id))).toStrictEqual({ ...given, _id })
    expect(await jobs().getJobById('unknown')).toBeNull()
  })

  it('are taken by one process each, the longest due first, and not before their time', async () => {
    const [one, other] = [jobs(), jobs()]
    for (const n of [3, 1, 2]) await one.saveJob(job({ nextRunAt: at(n), data: { n } }), undefined)
    expect(await take(one, 0)).toBeUndefined()
    const taken = await Promise.all([take(one, 2), take(other, 2), take(one, 2)])
    expect(taken.flatMap((found) => (found ? [found.data] : []))).toHaveLength(2)
    expect(taken.map((found) => found?.data)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]))
  })

  it('of a dead process are taken over, and those of a live one are not', async () => {
    const [one, other] = [jobs(), jobs()]
    const { _id } = await one.saveJob(job(), undefined)
    await take(one, 0)
    expect(await take(other, 59)).toBeUndefined()
    await one.saveJobState(job({ ...(_id && { _id }), nextRunAt: null, lockedAt: at(50) }), undefined)
    expect(await take(other, 100)).toBeUndefined()
    expect(await take(other, 110)).toMatchObject({ _id, lockedAt: at(110) })
  })

  it('keep their schedule when a run is saved, and are not saved after removal', async () => {
    const repository = jobs()
    const { _id } = await repository.saveJob(job({ data: { n: 1 }, repeatInterval: '5 seconds' }), undefined)
    const id = _id ?? toJobId('')
    await repository.saveJobState(job({ _id: id, data: { n: 9 }, lastRunAt: at(0), nextRunAt: at(5) }), undefined)
    expect(await repository.getJobById(String(id))).toStrictEqual({
      ...job({ _id: id, data: { n: 1 }, repeatInterval: '5 seconds', lastRunAt: at(0), nextRunAt: at(5) }),
    })
    await repository.removeJobs({ id })
    await repository.saveJobState(job({ _id: id }), undefined)
    expect(await repository.getJobById(String(id))).toBeNull()
  })

  it('that repeat are stored once, with their next run', async () => {
    const repository = jobs()
    await repository.saveJob(job({ type: 'single', nextRunAt: at(30), repeatInterval: '60 seconds' }), undefined)
    await repository.saveJob(job({ type: 'single', nextRunAt: at(0), repeatInterval: '10 seconds' }), undefined)
    const { jobs: all } = await repository.queryJobs({ name: 'greet' })
    expect(all).toMatchObject([{ nextRunAt: at(30), repeatInterval: '10 seconds' }])
  })

  it('are queried, disabled and removed by name, id and data, and never all by an empty query', async () => {
    const repository = jobs()
    for (const n of [1, 2, 3])
      await repository.saveJob(job({ name: `job-${n}`, data: { key: n, odd: n % 2 } }), undefined)
    const names = async (options: Parameters<JobRepository['queryJobs']>[0]) =>
      (await repository.queryJobs(options)).jobs.map(({ name }) => name).toSorted()
    expect(await names({ data: { odd: 1 } })).toEqual(['job-1', 'job-3'])
    expect(await names({ data: { odd: 1, key: 3 } })).toEqual(['job-3'])
    expect(await names({ names: ['job-1', 'job-2', 'nothing'] })).toEqual(['job-1', 'job-2'])
    expect(await repository.disableJobs({ name: 'job-1' })).toBe(1)
    expect(await names({ includeDisabled: false })).toEqual(['job-2', 'job-3'])
    expect(await repository.getJobsOverview()).toHaveLength(3)
    expect(await repository.removeJobs({})).toBe(0)
    expect(await repository.removeJobs({ ids: [] })).toBe(0)
    expect(await repository.removeJobs({ notNames: ['job-1'], data: { odd: 1 } })).toBe(1)
    expect(await names({})).toEqual(['job-1', 'job-2'])
  })

  it('scheduled before a restart run after it', async () => {
    const { log } = recordingLog()
    const before = open()
    const planner = agendaJobs({ backend: before.jobBackend, log })
    await planner.at(new Date(Date.now() + 100), 'a', { name: 'greet', data: { to: 'Ada' } })
    await before.close()
    const worker = agendaJobs({ backend: open().jobBackend, log, everyMs: 50 })
    const greeted = new Promise((resolve) => {
      worker.handle('greet', async (data) => resolve(data))
    })
    await worker.start()
    expect(await greeted).toEqual({ to: 'Ada' })
    await worker.stop()
    expect((await jobs().queryJobs({})).total).toBe(0)
  })

  it('scheduled for now run at once, whatever the poll interval', async () => {
    const worker = agendaJobs({ backend: open().jobBackend, log: () => {}, everyMs: 3_600_000 })
    const greeted = new Promise((resolve) => {
      worker.handle('greet', async (data) => resolve(data))
    })
    await worker.start()
    await worker.at(new Date(), 'a', { name: 'greet', data: { to: 'Ada' } })
    expect(await greeted).toEqual({ to: 'Ada' })
    await worker.stop()
    await worker.at(new Date(), 'b', { name: 'greet', data: { to: 'Bob' } })
    expect((await jobs().queryJobs({})).total).toBe(1)
  })
})
