import { createCore } from '@posthorn/core'
import type { WebhookPost, WebhookPostOutcome } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { aMailEvent, aSubscriptionEvent } from './events.js'
import { aShop, down, hour, names } from './shop.js'

const query = { skip: 0, limit: 30 }
const own = `whsec_${Buffer.alloc(24, 1).toString('base64')}`

/** A project without webhooks. */
const aProject = async () => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const { scope } = project
  const projectId = project.project._id
  const add = (fields: object = {}) =>
    core.webhooks.endpoints.create(scope, { url: 'https://a.example.com/', ...fields })
  const tell = (...ids: readonly string[]) =>
    core.webhooks.publish(ids.map((_id) => aMailEvent('sent', { _id, projectId })))
  const postsTo = (url: string) => world.eventPoster.posts.filter((post) => post.url === url)
  return { ...world, ports, core, project, scope, projectId, add, tell, postsTo }
}

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

describe('a webhook of several', () => {
  it('gets a secret of its own, which only the response to its creation shows', async () => {
    const { core, scope, add, ports } = await aProject()
    const { secretKey = '', ...made } = await add({ description: 'CRM' })
    const second = await add()
    expect(secretKey).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/)
    expect(second.secretKey).not.toBe(secretKey)
    expect(await core.webhooks.endpoints.get(scope, made._id)).toEqual(made)
    expect(made).toMatchObject({ url: 'https://a.example.com/', description: 'CRM', enabled: true, batches: false })
    expect(JSON.stringify(await core.webhooks.endpoints.list(scope, query))).not.toContain('whsec_')
    expect(JSON.stringify(await ports.repositories.webhooks.get({ _id: made._id }))).not.toContain(secretKey)
  })

  it('takes a given secret or key, and gets a new one on request', async () => {
    const { core, scope, add, project } = await aProject()
    const { endpoints } = core.webhooks
    expect((await add({ secretKey: own })).secretKey).toBe(own)
    const { _id } = await add({ secretKey: project.key })
    expect((await endpoints.update(scope, _id, { secretKey: null })).secretKey).toMatch(/^whsec_/)
    expect(await endpoints.update(scope, _id, { description: 'x' })).not.toHaveProperty('secretKey')
    await expect(add({ secretKey: 'whsec_short', types: [] })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/types.*secretKey|secretKey.*types/s),
    })
  })

  it('hides path and query of its URL from keys that may only read', async () => {
    const { core, scope, add, projectId } = await aProject()
    const { _id } = await add({ url: 'https://a.example.com/T0/secret?token=secret' })
    const { apiKey } = await core.apiKeys.create(projectId, { scope: 'read' })
    const reader = { ...scope, apiKey }
    expect((await core.webhooks.endpoints.get(reader, _id)).url).toBe('https://a.example.com')
    expect(JSON.stringify(await core.webhooks.endpoints.list(reader, query))).not.toContain('secret?')
  })

  it('is found only in its project', async () => {
    const { core, scope, add } = await aProject()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    const { _id } = await add()
    const { endpoints } = core.webhooks
    const asked = [
      () => endpoints.get(other, _id),
      () => endpoints.update(other, _id, { enabled: false }),
      () => endpoints.remove(other, _id),
      () => endpoints.test(other, _id, { type: 'sent' }),
      () => endpoints.log(other, _id, query),
      () => endpoints.replay(other, _id, { state: 'given-up' }),
      () => endpoints.get(other, scope.projectId),
    ]
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ kind: 'not-found' })
  })

  it('is one of 20 at most, with the specification’s; that one can always be set', async () => {
    const { core, scope, add, project } = await aProject()
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => add()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    await expect(add()).rejects.toThrow(
      'The project may have at most 20 webhooks. Delete some, or ask the operator to raise the limit.',
    )
    await core.webhooks.set(scope, { url: 'https://shop.example.com/', secretKey: project.key })
    expect((await core.webhooks.endpoints.list(scope, query)).count).toBe(21)
  })

  it('lists the specification’s webhook with its id, the project’s', async () => {
    const { core, scope, projectId, project } = await aProject()
    await core.webhooks.set(scope, {
      url: 'https://shop.example.com/',
      secretKey: project.key,
      sent: true,
      subscription: true,
    })
    const { types } = await core.webhooks.endpoints.get(scope, projectId)
    expect(types).toEqual(['sent', 'subscribe', 'unsubscribe', 'resubscribe', 'pause-subscription'])
    await core.webhooks.endpoints.update(scope, projectId, { types: ['unsubscribe'] })
    expect(await core.webhooks.get(scope)).toMatchObject({ sent: false, subscription: true })
    await core.webhooks.endpoints.remove(scope, projectId)
    expect(await core.webhooks.get(scope)).toBeNull()
  })
})

describe('an event', () => {
  it('is posted once to each webhook that wants its type, each with its own id and signature', async () => {
    const { core, scope, add, tell, eventPoster, projectId, project, postsTo } = await aProject()
    await core.webhooks.set(scope, { url: 'https://shop.example.com/', secretKey: project.key, sent: true })
    await add({ types: ['sent', 'bounce'] })
    await add({ url: 'https://b.example.com/', types: ['unsubscribe'] })
    await tell('one')
    await tell('one')
    const list = await core.subscriberLists.create(scope, { name: 'L' })
    await core.webhooks.publish([aSubscriptionEvent('unsubscribe', list._id, { projectId })])
    await core.webhooks.publish([aSubscriptionEvent('subscribe', list._id, { projectId })])
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(3)
    const [first] = postsTo('https://shop.example.com/')
    const [second] = postsTo('https://a.example.com/')
    expect(first?.body).toBe(second?.body)
    expect(first?.headers['webhook-id']).not.toBe(second?.headers['webhook-id'])
    expect(first?.headers['webhook-signature']).not.toBe(second?.headers['webhook-signature'])
    expect(second?.headers).not.toHaveProperty('authorization')
    expect(JSON.parse(postsTo('https://b.example.com/')[0]?.body ?? '')).toMatchObject({ type: 'unsubscribe' })
  })

  it('that one webhook does not take is retried there only; each has its own log, health and replay', async () => {
    const { core, scope, add, tell, eventPoster, clock, postsTo } = await aProject()
    const { endpoints } = core.webhooks
    const broken = await add({ url: 'https://broken.example.com/' })
    const fine = await add({ url: 'https://fine.example.com/' })
    eventPoster.answer(({ url }: WebhookPost): WebhookPostOutcome | undefined =>
      url.includes('broken') ? down : undefined,
    )
    await tell(...names(3))
    for (let minutes = 0; minutes < 26 * 60; minutes += 1) {
      await core.worker.postEvents()
      clock.advance(60_000)
    }
    expect(postsTo('https://fine.example.com/')).toHaveLength(3)
    const states = async (id: string) => (await endpoints.log(scope, id, query)).items.map(({ state }) => state)
    expect(await states(fine._id)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(await states(broken._id)).toEqual(['given-up', 'given-up', 'given-up'])
    expect((await endpoints.get(scope, broken._id)).failing).toBeDefined()
    expect(await endpoints.get(scope, fine._id)).not.toHaveProperty('failing')
    eventPoster.answer(() => undefined)
    const before = eventPoster.posts.length
    expect(await endpoints.replay(scope, broken._id, { state: 'given-up' })).toMatchObject({ replayed: 3 })
    await core.worker.postEvents()
    expect(eventPoster.posts.slice(before).map(({ url }) => url)).toEqual(Array(3).fill('https://broken.example.com/'))
    expect(await states(broken._id)).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('is not posted to a webhook that is switched off, and is kept for a replay', async () => {
    const { core, scope, add, tell, eventPoster, clock } = await aProject()
    const { endpoints } = core.webhooks
    const { _id } = await add()
    const since = clock.now().toISOString()
    const off = await endpoints.update(scope, _id, { enabled: false })
    expect(off).toMatchObject({ enabled: false, disabled: { reason: 'It was switched off by a request', since } })
    await tell('one')
    await core.worker.postEvents()
    expect(eventPoster.posts).toEqual([])
    await expect(endpoints.replay(scope, _id, { state: 'given-up' })).rejects.toMatchObject({ kind: 'blocked' })
    expect(await endpoints.update(scope, _id, { enabled: true })).toMatchObject({ enabled: true })
    await endpoints.replay(scope, _id, { state: 'given-up' })
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
  })

  it('that waits for a deleted webhook is not posted, and for the others is', async () => {
    const { core, scope, add, tell, eventPoster } = await aProject()
    const { _id } = await add()
    await add({ url: 'https://b.example.com/' })
    await tell('one')
    await core.webhooks.endpoints.remove(scope, _id)
    await core.worker.postEvents()
    expect(eventPoster.posts.map(({ url }) => url)).toEqual(['https://b.example.com/'])
  })
})

describe('slow webhooks of one project', () => {
  it('do not delay the others', async () => {
    const { core, add, tell, eventPoster, clock, postsTo } = await aProject()
    for (const name of names(19, 'slow')) await add({ url: `https://slow.example.com/${encodeURIComponent(name)}` })
    await add({ url: 'https://quick.example.com/' })
    eventPoster.answer(async ({ url }: WebhookPost) => {
      if (url.includes('slow')) await clock.sleep(9_000)
      return undefined
    })
    await tell(...names(60))
    await core.worker.start()
    running.push(core.worker)
    await clock.pass(10_000)
    expect(postsTo('https://quick.example.com/')).toHaveLength(60)
    await tell(...names(20, 'later'))
    await clock.pass(5_000)
    expect(postsTo('https://quick.example.com/')).toHaveLength(80)
    const stopped = core.worker.stop()
    await clock.pass(60_000)
    await stopped
  })
})

describe('the specification’s webhook', () => {
  it('keeps its log when it is removed and set again', async () => {
    const { core, project, tell, set, work } = await aShop()
    await tell('one')
    await work(hour)
    await core.webhooks.remove(project.scope)
    await set()
    expect((await core.webhooks.log(project.scope, query)).count).toBe(1)
  })
})
