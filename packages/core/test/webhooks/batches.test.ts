import { aWebhookDelivery, fakeSecrets, numberedId } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { webhookDeliveryBatches } from '../../src/webhooks/event-posts.js'
import { aShop, eventsIn, hour, names } from './shop.js'

describe('a webhook with batches', () => {
  it('gets up to 100 events in one signed post, each with its id', async () => {
    const { core, tell, kept, eventPoster, project } = await aShop({ batches: true })
    await tell(...names(250))
    await core.worker.postEvents()
    const { posts } = eventPoster
    expect(posts.map((post) => eventsIn(post).length)).toEqual([100, 100, 50])
    const ids = (await kept()).map(({ _id }) => _id)
    expect(posts.flatMap((post) => eventsIn(post).map(({ id }) => id))).toEqual(ids)
    expect(eventsIn(posts[0] ?? { body: '' })[0]).toMatchObject({ type: 'sent', emailData: { to: 'ada@example.com' } })
    for (const { headers, body } of posts) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      expect(headers['webhook-signature']).toBe(`v1,${fakeSecrets().hmac(project.key, signed)}`)
    }
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  })

  it('gets a single event as a batch, even for a test', async () => {
    const { core, tell, eventPoster, project } = await aShop({ batches: true })
    await tell('one')
    await core.worker.postEvents()
    await core.webhooks.test(project.scope, { type: 'sent' })
    expect(eventPoster.posts.map((post) => eventsIn(post).length)).toEqual([1, 1])
  })

  it('gets the same batch with the same id if its response was lost', async () => {
    const { core, tell, clock, eventPoster } = await aShop({ batches: true })
    eventPoster.answer(() => ({ kind: 'unreachable', reason: 'it broke the connection' }))
    await tell('one')
    await core.worker.postEvents()
    clock.advance(hour)
    eventPoster.answer(() => undefined)
    await core.worker.postEvents()
    const [first, second] = eventPoster.posts
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  it('gets the other events if it rejects one', async () => {
    const { tell, states, work, eventPoster, kept } = await aShop({ batches: true })
    const poison = 'event 3'
    await tell(...names(100))
    const bad = (await kept()).find(({ eventId }) => eventId === poison)?._id ?? ''
    eventPoster.answer(({ body }) => (body.includes(bad) ? { kind: 'answered', status: 422 } : undefined))
    await work(26 * hour)
    expect((await states()).filter((state) => state === 'delivered')).toHaveLength(99)
    expect((await states()).filter((state) => state === 'given-up')).toHaveLength(1)
  })
})

describe('batches', () => {
  it('have at most a million characters, except for one larger event', () => {
    const body = (n: number) => `{"a":"${'x'.repeat(n)}"}`
    const events = [300_000, 300_000, 300_000, 300_000, 2_000_000, 10].map((n, i) =>
      aWebhookDelivery({ _id: numberedId(i), attempts: 1, body: body(n) }),
    )
    expect(webhookDeliveryBatches(events).map((batch) => batch.length)).toEqual([3, 1, 1, 1])
  })

  it('get smaller with every attempt', () => {
    const sizes = [1, 2, 3, 7, 8, 20].map((attempts) => {
      const events = Array.from({ length: 100 }, (_, i) => aWebhookDelivery({ _id: numberedId(i), attempts }))
      return webhookDeliveryBatches(events)[0]?.length
    })
    expect(sizes).toEqual([100, 50, 25, 1, 1, 1])
  })
})
