import { openMongoStore } from '@posthorn/adapters-mongo'
import { agendaJobs } from '@posthorn/adapters-node'
import { createCore } from '@posthorn/core'
import { collected } from '@posthorn/core/ports/storage'
import { countingIds, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { until } from '../../../../tests/server-process.js'

onMongoDB('campaigns that are due while ten processes look', () => {
  let url = ''
  let closing: (() => Promise<void>)[] = []
  beforeEach(() => {
    url = databaseUrl()
    closing = []
  })
  afterEach(async () => {
    for (const close of closing) await close()
    await dropDatabase(url)
  })

  const process = async (maker: number) => {
    const { jobBackend: backend, close, ...opened } = await openMongoStore({ url, log: () => {} })
    const {
      repositories,
      counters,
      deliveries,
      dispatchResults,
      audience,
      contactSearch,
      membershipStore,
      figures,
      files,
    } = opened
    const jobs = agendaJobs({ backend, log: () => {}, everyMs: 50 })
    const { ports } = inMemoryPorts({
      repositories,
      counters,
      deliveries,
      audience,
      contactSearch,
      dispatchResults,
      membershipStore,
      figures,
      files,
      jobs,
      newId: countingIds(maker),
    })
    const core = createCore({ ...ports, clock: () => new Date() })
    await jobs.start()
    closing.push(() => jobs.stop(), close)
    return { core, repositories }
  }

  it('start once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => process(n + 1)))
    const [first] = all
    if (!first) throw new Error('There is no process')
    const { scope, list, subscribe } = await sampleProject(first.core)
    await subscribe(3)
    const soon = new Date(Date.now() + 1_000).toISOString()
    const campaigns = await Promise.all(
      all.map(({ core }, n) =>
        core.campaigns.create(scope, {
          name: `Campaign ${n}`,
          subject: 'Hello',
          type: 'text',
          document: 'Hello',
          timeZone: 'UTC',
          subscriberListId: list._id,
          status: 'scheduled',
          scheduledTo: soon,
        }),
      ),
    )
    const { campaigns: kept, dispatches } = first.repositories
    const runs = () => collected(dispatches.each({}))
    await until(async () => (await collected(kept.each({ status: 'scheduled' }))).length === 0)
    await until(async () => (await runs()).length >= campaigns.length)
    await Promise.all(all.map(({ core }) => core.worker.maintain()))
    expect((await runs()).map(({ emailId }) => emailId).toSorted()).toEqual(campaigns.map(({ _id }) => _id).toSorted())
  })
})
