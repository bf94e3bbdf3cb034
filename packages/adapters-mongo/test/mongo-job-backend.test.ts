import { agendaJobs } from '@posthorn/adapters-node'
import type { Jobs } from '@posthorn/core/ports/runtime'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mongoJobBackend } from '../src/mongo-job-backend.js'
import { anOpenDatabase } from './an-open-database.js'
import { onMongoDB } from './on-mongodb.js'

const patience = 50_000
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const eventually = async (holds: () => boolean) => {
  for (let waited = 0; waited < patience && !holds(); waited += 20) await pause(20)
  return holds()
}

onMongoDB('jobs of ten processes on MongoDB', () => {
  let database: Awaited<ReturnType<typeof anOpenDatabase>>
  let closing: (() => Promise<void>)[] = []
  beforeEach(async () => {
    database = await anOpenDatabase()
    closing = [database.close]
  })
  afterEach(async () => {
    for (const close of closing) await close()
  })

  const schedulers = (many: number): Promise<readonly Jobs[]> =>
    Promise.all(
      Array.from({ length: many }, async () => {
        const { db, close } = await database.another()
        const jobs = agendaJobs({ backend: await mongoJobBackend(db), log: () => {}, everyMs: 50 })
        closing.unshift(() => jobs.stop(), close)
        return jobs
      }),
    )

  it('that are due at the same time run once each among ten processes', async () => {
    const all = await schedulers(10)
    const runs: string[] = []
    for (const jobs of all)
      jobs.handle('start-campaign', async ({ campaignId = '' }) => {
        runs.push(campaignId)
        await pause(50)
      })
    await Promise.all(all.map((jobs) => jobs.start()))
    const soon = new Date(Date.now() + 300)
    const ids = Array.from({ length: 20 }, (_, n) => `campaign-${n}`)
    await Promise.all(
      ids.map(
        async (campaignId, n) =>
          await all[n % 10]?.at(soon, campaignId, { name: 'start-campaign', data: { campaignId } }),
      ),
    )
    expect(await eventually(() => runs.length >= ids.length)).toBe(true)
    await pause(500)
    expect(runs.toSorted()).toEqual(ids.toSorted())
  })

  it('that repeat exist once, however many processes schedule them', async () => {
    const all = await schedulers(10)
    await Promise.all(all.map((jobs) => jobs.every(60, 'maintenance')))
    expect(await database.db.collection('jobs').countDocuments()).toBe(1)
  })

  it('that repeat stay locked while they run, and keep their time when another process starts', async () => {
    const [one, other] = await schedulers(2)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    closing.unshift(async () => end())
    let begun = 0
    for (const jobs of [one, other])
      jobs?.handle('maintenance', () => {
        begun += 1
        return ended
      })
    await one?.every(1, 'maintenance')
    await one?.start()
    expect(await eventually(() => begun === 1)).toBe(true)
    const jobs = database.db.collection('jobs')
    const before = await jobs.findOne({})
    await other?.every(1, 'maintenance')
    // Who runs it says now and then that it goes on.
    expect(await jobs.findOne({})).toEqual({ ...before, lockedAt: expect.any(Date) })
    await other?.start()
    await pause(1_000)
    expect(begun).toBe(1)
  })
})
