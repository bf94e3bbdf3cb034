import { createCore } from '@posthorn/core'
import type { WebhookPost, WebhookPostOutcome } from '@posthorn/core/ports/runtime'
import { fakeSecrets, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import type { WebhookDelivery } from '../../src/webhooks/webhook-delivery.js'
import { aMailEvent, aSubscriptionEvent } from './events.js'

const day = 24 * 60 * 60_000
const everything = {
  sent: true,
  failed: true,
  open: true,
  click: true,
  bounce: true,
  complaint: true,
  subscription: true,
}
const down: WebhookPostOutcome = { kind: 'answered', status: 503 }

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

const aShop = async (switches: object = everything) => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const projectId = project.project._id
  const set = (fields: object) =>
    core.webhooks.set(project.scope, { url: 'https://shop.example.com/', secretKey: project.key, ...fields })
  await set(switches)
  const tell = (...ids: readonly string[]) =>
    core.webhooks.publish(ids.map((_id) => aMailEvent('sent', { _id, projectId })))
  const kept = async (): Promise<readonly WebhookDelivery[]> => {
    const sort = { by: 'createdAt', order: 'asc' } as const
    return (await ports.repositories.webhookDeliveries.list({ where: {}, sort, skip: 0, limit: 2000 })).items
  }
  /** Another process on the same store. */
  const another = (workerName = 'worker-2') =>
    createCore({ ...ports, settings: { ...ports.settings, workerName }, jobs: inMemoryPorts(world).ports.jobs })
  return { ...world, ports, core, project, projectId, set, tell, kept, another }
}

/** A receiver that answers when it is told to. */
const slowReceiver = () => {
  const waiting: { readonly post: WebhookPost; readonly answer: (outcome?: WebhookPostOutcome) => void }[] = []
  const script = (post: WebhookPost) =>
    new Promise<WebhookPostOutcome | undefined>((resolve) => waiting.push({ post, answer: resolve }))
  return { waiting, script }
}

const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('a published event', () => {
  it('is posted within seconds, and retried until it is accepted', async () => {
    const { core, clock, tell, eventPoster } = await aShop()
    await core.worker.start()
    running.push(core.worker)
    await tell('one')
    eventPoster.answer(() => down)
    await clock.pass(10_000)
    expect(eventPoster.posts).toHaveLength(1)
    eventPoster.answer(() => undefined)
    await clock.pass(60_000)
    expect(eventPoster.posts).toHaveLength(2)
  })

  it('is posted at once after an idle time', async () => {
    const { core, clock, tell, eventPoster } = await aShop()
    await core.worker.start()
    running.push(core.worker)
    await clock.pass(60_000)
    await tell('one')
    await settled()
    expect(eventPoster.posts).toHaveLength(1)
  })

  it('is stored before it is posted, and posted once', async () => {
    const { core, tell, kept, eventPoster } = await aShop()
    await tell('one')
    expect([(await kept()).map(({ state }) => state), eventPoster.posts]).toEqual([['pending'], []])
    await core.worker.postEvents()
    await core.worker.postEvents()
    const [post] = eventPoster.posts
    const [delivery] = await kept()
    expect(eventPoster.posts).toHaveLength(1)
    expect(delivery).toMatchObject({ state: 'delivered', log: [{ status: 200 }], body: post?.body })
    expect(post?.headers['webhook-id']).toBe(delivery?._id)
  })

  it('is posted once, even if it is published again', async () => {
    const { core, tell, eventPoster } = await aShop()
    await Promise.all([tell('one', 'one'), tell('one')])
    await core.worker.postEvents()
    await tell('one', 'two')
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(2)
  })

  it('is not posted to a webhook that does not want it', async () => {
    const { core, tell, kept, projectId, project, set } = await aShop({ sent: false, open: true })
    await tell('one')
    await core.webhooks.publish([])
    await set(everything)
    const { list } = project
    await core.webhooks.publish([aSubscriptionEvent('unpause-subscription', list._id, { projectId })])
    await core.webhooks.remove(project.scope)
    await tell('two')
    expect(await kept()).toEqual([])
  })

  it('of a subscription contains the list, and is not posted if the list was deleted', async () => {
    const { core, projectId, project, kept } = await aShop({ subscription: true })
    await core.webhooks.publish([
      aSubscriptionEvent('subscribe', project.list._id, { projectId }),
      aSubscriptionEvent('unsubscribe', '0'.repeat(24), { projectId }),
    ])
    const bodies = (await kept()).map(({ body }) => JSON.parse(body))
    expect(bodies).toMatchObject([{ type: 'subscribe', subscription: { subscriberList: { name: 'Readers' } } }])
  })

  it('of one project is not posted to another', async () => {
    const { core, tell, eventPoster } = await aShop()
    const other = await sampleProject(core, { name: 'Other' })
    await core.webhooks.set(other.scope, { url: 'https://other.example.com/', secretKey: other.key, ...everything })
    await tell('one')
    await core.worker.postEvents()
    expect(eventPoster.posts.map(({ url }) => url)).toEqual(['https://shop.example.com/'])
  })
})

describe('an event that the receiver rejects', () => {
  it('is posted nine times within a day, with the same body and id and a new signature', async () => {
    const { core, clock, tell, kept, eventPoster, lines } = await aShop()
    eventPoster.answer(() => down)
    await tell('one')
    for (let minutes = 0; minutes < 30 * 60; minutes += 1) {
      await core.worker.postEvents()
      clock.advance(60_000)
    }
    const { posts } = eventPoster
    const different = (of: (post: WebhookPost) => string | undefined) => new Set(posts.map(of)).size
    expect(posts).toHaveLength(9)
    expect([different(({ body }) => body), different(({ headers }) => headers['webhook-id'])]).toEqual([1, 1])
    expect(different(({ headers }) => headers['webhook-signature'])).toBe(9)
    expect(await kept()).toMatchObject([{ state: 'given-up', reason: 'The receiver answered 503' }])
    expect((await kept())[0]?.log).toHaveLength(9)
    expect(lines.filter(({ message }) => message === 'A webhook did not take an event')).toHaveLength(9)
  })

  it('is posted to the current URL with the current key', async () => {
    const { core, clock, tell, set, project, projectId, eventPoster } = await aShop()
    eventPoster.answer(() => down)
    await tell('one')
    await core.worker.postEvents()
    const { key } = await core.apiKeys.create(projectId, {})
    await set({ ...everything, url: 'https://new.example.com/', secretKey: key })
    clock.advance(60_000)
    await core.worker.postEvents()
    expect(eventPoster.posts.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['https://shop.example.com/', `Bearer ${project.key}`],
      ['https://new.example.com/', `Bearer ${key}`],
    ])
  })

  it('is given up when the webhook no longer wants it', async () => {
    const { core, tell, set, kept, eventPoster } = await aShop()
    await tell('one')
    await set({ ...everything, sent: false })
    await core.worker.postEvents()
    expect(eventPoster.posts).toEqual([])
    expect(await kept()).toMatchObject([{ state: 'given-up', reason: 'The webhook no longer asks for sent' }])
  })

  it('is removed with the webhook, and not posted to the next one', async () => {
    const { core, clock, tell, set, project, eventPoster } = await aShop()
    eventPoster.answer(() => down)
    await tell('one')
    await core.worker.postEvents()
    await core.webhooks.remove(project.scope)
    await set(everything)
    clock.advance(day)
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
  })
})

describe('a revoked key of a webhook', () => {
  const withKey = async () => {
    const shop = await aShop()
    const { key, apiKey } = await shop.core.apiKeys.create(shop.projectId, { scope: 'webhook' })
    await shop.set({ ...everything, secretKey: key })
    return { ...shop, revoke: () => shop.core.apiKeys.revoke(shop.projectId, apiKey._id) }
  }

  it('is not used by any process: pending events are given up with the reason', async () => {
    const { core, another, clock, tell, kept, revoke, eventPoster } = await withKey()
    eventPoster.answer(() => down)
    await tell('one')
    await core.worker.postEvents()
    await tell('two')
    await revoke()
    clock.advance(60_000)
    await another().worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
    const reason = expect.stringMatching(/^The API key ….{4} was revoked$/)
    expect(await kept()).toMatchObject([
      { state: 'given-up', reason, log: [{ status: 503 }] },
      { state: 'given-up', reason, log: [] },
    ])
  })

  it('can be replaced by another key for later events', async () => {
    const { core, project, tell, set, revoke, eventPoster } = await withKey()
    await revoke()
    await tell('one')
    await core.worker.postEvents()
    await set(everything)
    await tell('two')
    await core.worker.postEvents()
    expect(eventPoster.posts.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${project.key}`])
  })
})

describe('a process that stops', () => {
  it('before a post loses no event: another process posts it', async () => {
    const { tell, another, eventPoster } = await aShop()
    await tell('one', 'two')
    await another().worker.postEvents()
    expect(eventPoster.posts).toHaveLength(2)
  })

  it('during a post lets another process repeat it after a minute with the same id', async () => {
    const { core, clock, tell, another, kept, eventPoster } = await aShop()
    const { waiting, script } = slowReceiver()
    eventPoster.answer(script)
    await tell('one')
    const lost = core.worker.postEvents()
    await settled()
    eventPoster.answer(() => undefined)
    await another().worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
    clock.advance(61_000)
    await another().worker.postEvents()
    expect(new Set(eventPoster.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(eventPoster.posts).toHaveLength(2)
    waiting[0]?.answer(down)
    await lost
    expect(await kept()).toMatchObject([{ state: 'delivered', worker: 'worker-2', attempts: 2 }])
  })

  it('shares the events with another, so that none is posted twice', async () => {
    const { core, tell, another, eventPoster } = await aShop()
    await tell(...Array.from({ length: 50 }, (_, n) => `event ${n}`))
    await Promise.all([core.worker.postEvents(), another().worker.postEvents()])
    expect(new Set(eventPoster.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(50)
    expect(eventPoster.posts).toHaveLength(50)
  })

  it('in order finishes its posts and begins no more', async () => {
    const { core, tell, kept, eventPoster } = await aShop()
    const { waiting, script } = slowReceiver()
    eventPoster.answer(script)
    await core.worker.start()
    await tell(...Array.from({ length: 15 }, (_, n) => `event ${n}`))
    const posting = core.worker.postEvents()
    await settled()
    const stopped = core.worker.stop()
    for (const { answer } of waiting) answer()
    await Promise.all([stopped, posting])
    expect(waiting).toHaveLength(10)
    const states = (await kept()).map(({ state }) => state)
    expect([states.filter((state) => state === 'delivered').length, states.length]).toEqual([10, 15])
  })
})

describe('a receiver', () => {
  it('gets at most ten posts at once, and does not delay others', async () => {
    const { core, tell, eventPoster } = await aShop()
    const other = await sampleProject(core, { name: 'Other' })
    await core.webhooks.set(other.scope, { url: 'https://other.example.com/', secretKey: other.key, ...everything })
    const { waiting, script } = slowReceiver()
    eventPoster.answer((post) => (post.url === 'https://shop.example.com/' ? script(post) : undefined))
    await tell(...Array.from({ length: 150 }, (_, n) => `event ${n}`))
    await core.webhooks.publish([aMailEvent('open', { projectId: other.project._id })])
    const all = core.worker.postEvents()
    await settled()
    expect(waiting).toHaveLength(10)
    expect(eventPoster.posts).toHaveLength(11)
    for (let n = 0; n < 150; n += 1) {
      waiting[n]?.answer()
      await settled()
      expect(waiting.length - n - 1).toBeLessThanOrEqual(10)
    }
    await all
    expect(waiting).toHaveLength(150)
  })

  it('is not delayed by earlier events of a receiver that hangs', async () => {
    const { core, clock, tell, eventPoster } = await aShop()
    const other = await sampleProject(core, { name: 'Other' })
    await core.webhooks.set(other.scope, { url: 'https://other.example.com/', secretKey: other.key, ...everything })
    const { waiting, script } = slowReceiver()
    eventPoster.answer((post) => (post.url === 'https://shop.example.com/' ? script(post) : undefined))
    await tell('one')
    const all = core.worker.postEvents()
    await settled()
    await core.webhooks.publish([aMailEvent('open', { projectId: other.project._id })])
    await clock.pass(1_000)
    expect(eventPoster.posts).toHaveLength(2)
    waiting[0]?.answer()
    await all
  })

  it('gets posts of one run at a time', async () => {
    const { core, tell, eventPoster } = await aShop()
    const { waiting, script } = slowReceiver()
    eventPoster.answer(script)
    await tell(...Array.from({ length: 30 }, (_, n) => `event ${n}`))
    const all = Promise.all([core.worker.postEvents(), core.worker.postEvents()])
    await settled()
    expect(waiting).toHaveLength(10)
    for (let n = 0; n < 30; n += 1) {
      waiting[n]?.answer()
      await settled()
    }
    await all
    expect(eventPoster.posts).toHaveLength(30)
  })

  it('gets a limited number of attempts if the secret cannot be decrypted', async () => {
    const { ports, clock, tell, kept, eventPoster } = await aShop()
    await tell('one')
    const core = createCore({ ...ports, secrets: fakeSecrets('another secret') })
    for (let n = 0; n < 12; n += 1) {
      await core.worker.postEvents()
      clock.advance(day)
    }
    expect(eventPoster.posts).toEqual([])
    expect(await kept()).toMatchObject([{ state: 'given-up', attempts: 9 }])
  })
})

describe('a store that cannot be written', () => {
  it('fails the run instead of retrying without end', async () => {
    const { ports, tell, eventPoster, kept } = await aShop()
    await tell('one', 'two')
    const claim = async () => {
      throw new Error('The disk is full')
    }
    const webhookOutbox = { ...ports.webhookOutbox, claim }
    await expect(createCore({ ...ports, webhookOutbox }).worker.postEvents()).rejects.toThrow('The disk is full')
    expect(eventPoster.posts).toEqual([])
    await createCore(ports).worker.postEvents()
    expect((await kept()).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  })
})

describe('a settled event', () => {
  it('is removed after 30 days; pending ones are kept', async () => {
    const { core, clock, tell, kept } = await aShop()
    await tell('one')
    await core.worker.postEvents()
    clock.advance(day)
    await tell('two')
    await core.worker.postEvents()
    await tell('three')
    clock.advance(29 * day + 1)
    await core.worker.maintain()
    expect((await kept()).map(({ eventId }) => eventId)).toEqual(['two', 'three'])
  })

  it('is removed in any number', async () => {
    const { core, clock, tell, kept } = await aShop()
    await tell(...Array.from({ length: 1001 }, (_, n) => `event ${n}`))
    await core.worker.postEvents()
    clock.advance(31 * day)
    await core.worker.maintain()
    expect(await kept()).toEqual([])
  })
})
