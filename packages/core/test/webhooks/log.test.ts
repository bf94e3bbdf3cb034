import { aWebhookDelivery, numberedId, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { keptPerWebhook } from '../../src/webhooks/webhook-worker.js'
import { aShop, down, hour, names } from './shop.js'

const query = { skip: 0, limit: 30 }

describe('the log of a webhook', () => {
  it('lists every event, the newest first, with its attempts and state', async () => {
    const { core, project, tell, work, eventPoster } = await aShop()
    eventPoster.answer(() => down)
    await tell('one')
    await core.worker.postEvents()
    eventPoster.answer(() => undefined)
    await work(60_000)
    await tell('two')
    const { items, count } = await core.webhooks.log(project.scope, query)
    expect(count).toBe(2)
    const [two, one] = items
    expect(one).toMatchObject({ type: 'sent', state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] })
    expect(one).not.toHaveProperty('nextAt')
    expect(two).toMatchObject({ state: 'pending', attempts: [], nextAt: expect.any(String) })
    expect(two).not.toHaveProperty('body')
  })

  it('filters by state and type, and shows the posted body', async () => {
    const { core, project, tell, eventPoster } = await aShop()
    await tell('one')
    await core.worker.postEvents()
    await tell('two')
    const pending = await core.webhooks.log(project.scope, { ...query, filter: { state: 'pending', type: 'sent' } })
    expect(pending.count).toBe(1)
    expect((await core.webhooks.log(project.scope, { ...query, filter: { type: 'open' } })).count).toBe(0)
    await expect(core.webhooks.log(project.scope, { ...query, filter: { body: 'x' } })).rejects.toThrow('filter[body]')
    const { event } = await core.webhooks.logged(project.scope, pending.items[0]?._id ?? '')
    expect(event).toEqual(JSON.parse(eventPoster.posts[0]?.body ?? ''))
  })

  it('shows only events of the project', async () => {
    const { core, project, tell } = await aShop()
    await tell('one')
    const other = await sampleProject(core, { name: 'Other' })
    await core.webhooks.set(other.scope, { url: 'https://other.example.com/', secretKey: other.key })
    const [one] = (await core.webhooks.log(project.scope, query)).items
    expect(await core.webhooks.log(other.scope, query)).toEqual({ items: [], count: 0 })
    await expect(core.webhooks.logged(other.scope, one?._id ?? '')).rejects.toThrow('not found')
    expect(await core.webhooks.replay(other.scope, { ids: [one?._id ?? ''] })).toEqual({ replayed: 0, next: null })
  })

  it('keeps the newest 100,000 events of a webhook, and all pending ones', async () => {
    const { core, ports, clock, project, projectId, kept } = await aShop()
    const { webhookOutbox } = ports
    const asked: unknown[] = []
    const trim: typeof webhookOutbox.trim = async (...given) => {
      asked.push(given)
      return webhookOutbox.trim(given[0], 2)
    }
    const { createCore } = await import('@posthorn/core')
    const trimming = createCore({ ...ports, webhookOutbox: { ...webhookOutbox, trim } })
    const now = clock.now().toISOString()
    const old = (n: number) =>
      aWebhookDelivery({ _id: numberedId(n), projectId, eventId: `${n}`, state: 'delivered', createdAt: now })
    await webhookOutbox.add([1, 2, 3, 4].map(old))
    await trimming.worker.maintain()
    await trimming.worker.maintain()
    expect(asked).toEqual([[{ projectId, webhookId: projectId }, keptPerWebhook]])
    expect((await kept()).map(({ eventId }) => eventId)).toEqual(['3', '4'])
    clock.advance(hour)
    await trimming.worker.maintain()
    expect(asked).toHaveLength(2)
    expect((await core.webhooks.log(project.scope, query)).count).toBe(2)
  })
})

describe('a replay', () => {
  const delivered = async () => {
    const shop = await aShop()
    const start = shop.clock.now()
    for (let n = 0; n < 4; n += 1) {
      await shop.tell(`event ${n}`)
      await shop.core.worker.postEvents()
      shop.clock.advance(hour)
    }
    const ids = shop.eventPoster.posts.map(({ headers }) => headers['webhook-id'] ?? '')
    const at = (hours: number) => new Date(start.getTime() + hours * hour).toISOString()
    const again = async () => {
      const before = shop.eventPoster.posts.length
      await shop.core.worker.postEvents()
      return shop.eventPoster.posts.slice(before)
    }
    return { ...shop, ids, at, again }
  }

  it('posts the same events again, under the same ids', async () => {
    const { core, project, again, eventPoster } = await delivered()
    const first = [...eventPoster.posts]
    expect(await core.webhooks.replay(project.scope, { state: 'delivered' })).toEqual({ replayed: 4, next: null })
    const second = await again()
    const idAndBody = ({ headers, body }: (typeof first)[number]) => `${headers['webhook-id']} ${body}`
    expect(second.map(idAndBody).toSorted()).toEqual(first.map(idAndBody).toSorted())
    expect(await again()).toEqual([])
  })

  it('selects events by id and by time', async () => {
    const { core, project, ids, at, again } = await delivered()
    await core.webhooks.replay(project.scope, { ids: [ids[2] ?? '', numberedId(0)] })
    expect((await again()).map(({ headers }) => headers['webhook-id'])).toEqual([ids[2]])
    expect(await core.webhooks.replay(project.scope, { since: at(1), until: at(3) })).toEqual({
      replayed: 2,
      next: null,
    })
    expect((await again()).map(({ headers }) => headers['webhook-id'])).toEqual([ids[1], ids[2]])
  })

  it('posts pending events at once', async () => {
    const { core, project, tell, eventPoster, again } = await delivered()
    eventPoster.answer(() => down)
    await tell('waits')
    await core.worker.postEvents()
    eventPoster.answer(() => undefined)
    expect(await again()).toEqual([])
    expect((await core.webhooks.replay(project.scope, { state: 'pending' })).replayed).toBe(1)
    expect(await again()).toHaveLength(1)
  })

  it('skips events that are being posted', async () => {
    const { core, project, tell, eventPoster } = await aShop()
    let answer = () => {}
    eventPoster.answer(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(undefined)
        }),
    )
    await tell('one')
    const posting = core.worker.postEvents()
    while (eventPoster.posts.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await core.webhooks.replay(project.scope, { type: 'sent' })).toEqual({ replayed: 0, next: null })
    answer()
    await posting
    expect(eventPoster.posts).toHaveLength(1)
  })

  it('continues at the cursor, 10,000 events at a time', async () => {
    const { core, ports, project, projectId } = await aShop()
    await ports.webhookOutbox.add(
      names(10_700).map((eventId, n) =>
        aWebhookDelivery({ _id: numberedId(n), projectId, eventId, state: 'given-up' }),
      ),
    )
    const first = await core.webhooks.replay(project.scope, { state: 'given-up' })
    expect(first).toEqual({ replayed: 10_000, next: numberedId(9_999) })
    const after = first.next ?? undefined
    expect(await core.webhooks.replay(project.scope, { state: 'given-up', after })).toEqual({
      replayed: 700,
      next: null,
    })
  })

  it('requires a filter and a webhook', async () => {
    const { core, project } = await aShop()
    await expect(core.webhooks.replay(project.scope, {})).rejects.toThrow('expected ids, state, type, since or until')
    await expect(core.webhooks.replay(project.scope, { since: 'yesterday' })).rejects.toThrow('since')
    await core.webhooks.remove(project.scope)
    await expect(core.webhooks.replay(project.scope, { type: 'sent' })).rejects.toThrow('No webhook is configured.')
    await expect(core.webhooks.enable(project.scope)).rejects.toThrow('No webhook is configured.')
  })
})
