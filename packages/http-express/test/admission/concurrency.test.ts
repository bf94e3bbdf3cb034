import type { Counters } from '@posthorn/core/ports/storage'
import { inMemoryStore, sampleProject } from '@posthorn/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { httpMetrics } from '../../src/index.js'
import { aWorld, type World } from '../world.js'

/** A store in which sends of one mail wait until they are let go on. */
const stuckStore = () => {
  const { counters, deliveries, ...store } = inMemoryStore()
  const held: (() => void)[] = []
  let isStuck = false
  return {
    ports: {
      ...store,
      counters: counters satisfies Counters,
      deliveries: {
        ...deliveries,
        accept: async (...given: Parameters<typeof deliveries.accept>) => {
          if (isStuck) await new Promise<void>((resolve) => held.push(resolve))
          return deliveries.accept(...given)
        },
      },
    },
    stick: () => {
      isStuck = true
    },
    release: () => {
      isStuck = false
      for (const one of held.splice(0)) one()
    },
  }
}

/** The first so many answers, which others wait for. */
const refusalsOf = <T>(all: readonly Promise<T>[], n: number): Promise<readonly T[]> =>
  new Promise((resolve, reject) => {
    const answered: T[] = []
    for (const one of all)
      one.then((answer) => {
        answered.push(answer)
        if (answered.length === n) resolve([...answered])
      }, reject)
  })

describe('more requests than the concurrency limit', () => {
  const store = stuckStore()
  const metrics = httpMetrics()
  let world: World
  let transactionalId = ''

  const send = (n: number, by = world.project) =>
    world.client.call('sendTransactional', {
      key: by.key,
      params: { projectId: by.project._id },
      body: { transactionalId, email: `reader${n}@example.com`, data: {} },
    })

  beforeAll(async () => {
    world = await aWorld({ ...store.ports, workLimits: { total: 8, share: 5 }, metrics })
    const content = { name: 'Receipt', subject: 'Receipt', type: 'text', document: 'Receipt' }
    const { result } = (await world.call('createTransactionalEmail', { body: content })) as { result: { _id: string } }
    transactionalId = result._id
  })
  afterEach(store.release)
  afterAll(() => world.client.close())

  it('get 429 at once if they belong to one project', async () => {
    store.stick()
    const all = Array.from({ length: 7 }, (_, n) => send(n))
    for (const refused of await refusalsOf(all, 2)) {
      expect(refused).toMatchObject({ status: 429, error: { name: 'TOO_MANY_REQUESTS' } })
      expect(refused.headers.get('retry-after')).toBe('1')
    }
    expect(await metrics.registry.metrics()).toContain('posthorn_http_requests_at_work 5')
    store.release()
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  })

  it('leave room for another project', async () => {
    const other = await sampleProject(world.core, { name: 'Other' })
    store.stick()
    const all = Array.from({ length: 7 }, (_, n) => send(n))
    await refusalsOf(all, 2)
    const params = { projectId: other.project._id }
    expect(await world.client.call('listSegments', { key: other.key, params })).toMatchObject({ status: 200 })
    store.release()
    await Promise.all(all)
  })

  it('free their slots when they are answered, refused or fail', async () => {
    const statuses = []
    for (let n = 0; n < 12; n += 1) statuses.push((await send(n)).status)
    for (let n = 0; n < 12; n += 1)
      statuses.push((await world.call('getTransactionalEmail', { params: { id: '000000000000000000000000' } })).status)
    expect(new Set(statuses)).toEqual(new Set([200, 404]))
    expect(await metrics.registry.metrics()).toContain('posthorn_http_requests_at_work 0')
  })

  it('are counted in the metrics, beside the event loop’s delay', async () => {
    const text = await metrics.registry.metrics()
    expect(Number(/^posthorn_http_overload_refusals_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(4)
    for (const name of [
      'nodejs_eventloop_lag_seconds',
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+$`, 'm'))
  })
})
