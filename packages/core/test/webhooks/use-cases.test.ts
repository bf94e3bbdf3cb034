import { createCore, type WebhookEventType, webhookEventTypes } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const url = 'https://shop.example.com/hooks'

const aShop = async () => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const set = (fields: object = {}) => core.webhooks.set(project.scope, { url, secretKey: project.key, ...fields })
  return { ...world, ports, core, project, set }
}

const off = {
  bounce: false,
  complaint: false,
  click: false,
  open: false,
  sent: false,
  failed: false,
  subscription: false,
}

describe('the configuration of a webhook', () => {
  it('is replaced whole: what is not given is off again', async () => {
    const { core, project, set } = await aShop()
    expect(await core.webhooks.get(project.scope)).toBeNull()
    await set({ click: true, open: true })
    const replaced = await set({ url: 'http://shop.example.com:8080/', sent: true })
    expect(replaced).toEqual({ ...off, url: 'http://shop.example.com:8080/', secretKey: project.key, sent: true })
    expect(await core.webhooks.get(project.scope)).toEqual(replaced)
  })

  it('is one, also when two are made at once', async () => {
    const { core, project, ports, set } = await aShop()
    await Promise.all([set({ sent: true }), set({ open: true }), set({ click: true })])
    expect((await ports.repositories.webhooks.removeAll({ projectId: project.project._id })) === 1).toBe(true)
    expect(await core.webhooks.get(project.scope)).toBeNull()
  })

  it('keeps its secret sealed', async () => {
    const { project, ports, set } = await aShop()
    await set()
    const stored = await ports.repositories.webhooks.get({ projectId: project.project._id })
    expect(JSON.stringify(stored)).not.toContain(project.key)
    expect(ports.secrets.open(stored?.secretKey ?? '')).toBe(project.key)
  })

  it('takes any living key of the project, and no other', async () => {
    const { core, project, set } = await aShop()
    const second = await core.apiKeys.create(project.project._id, {})
    const stranger = await sampleProject(core, { name: 'Other' })
    expect(await set({ secretKey: second.key })).toMatchObject({ secretKey: second.key })
    await core.apiKeys.revoke(project.project._id, second.apiKey._id)
    for (const secretKey of [second.key, stranger.key, 'ph_unknown', ''])
      await expect(set({ secretKey })).rejects.toThrow('secretKey: expected an API key of the project')
  })

  it.each([
    'nowhere',
    '//shop.example.com',
    'ftp://shop.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pass@shop.example.com/',
    `https://shop.example.com/${'x'.repeat(2000)}`,
    7,
    null,
  ])('refuses the URL %s', async (wrong) => {
    const { set } = await aShop()
    await expect(set({ url: wrong })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^url: /),
    })
  })

  it('tells all violations together', async () => {
    const { core, project } = await aShop()
    await expect(core.webhooks.set(project.scope, { sent: 'yes', colour: 'red' })).rejects.toThrow(
      /Missing required field: url; Missing required field: secretKey; sent: .*; Unexpected field: colour/,
    )
  })

  it('is removed once', async () => {
    const { core, project, set } = await aShop()
    await set({ sent: true })
    expect(await core.webhooks.remove(project.scope)).toMatchObject({ url, sent: true })
    expect(await core.webhooks.get(project.scope)).toBeNull()
    await expect(core.webhooks.remove(project.scope)).rejects.toMatchObject({ kind: 'not-found' })
  })
})

describe('a test of a webhook', () => {
  const kinds = (type: WebhookEventType) =>
    ['subscribe', 'unsubscribe', 'resubscribe', 'pause-subscription'].includes(type) ? 'subscription' : 'emailData'

  it.each(webhookEventTypes)('posts a %s as a real one would be, whatever the switches say', async (type) => {
    const { core, project, set, eventPoster } = await aShop()
    await set()
    expect(await core.webhooks.test(project.scope, { type })).toEqual({ success: true })
    const [post] = eventPoster.posts
    const body = JSON.parse(post?.body ?? '')
    expect(post?.url).toBe(url)
    expect(body).toMatchObject({ type, project: { _id: project.project._id }, account: { _id: project.account._id } })
    expect(body[kinds(type)]).toBeDefined()
  })

  it('leaves nothing behind', async () => {
    const { core, project, set, ports, eventPoster } = await aShop()
    await set({ sent: true })
    await core.webhooks.test(project.scope, { type: 'sent' })
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
    expect(await ports.repositories.webhookDeliveries.get({})).toBeUndefined()
  })

  it('needs a webhook, and a type that webhooks hear of', async () => {
    const { core, project, set } = await aShop()
    await expect(core.webhooks.test(project.scope, { type: 'sent' })).rejects.toMatchObject({ kind: 'blocked' })
    await set()
    for (const type of ['unpause-subscription', 'subscription', 'constructor', undefined])
      await expect(core.webhooks.test(project.scope, { type })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('says what the receiver answered, or why it did not', async () => {
    const { core, project, set, eventPoster } = await aShop()
    await set()
    eventPoster.answer(() => ({ kind: 'answered', status: 302 }))
    await expect(core.webhooks.test(project.scope, { type: 'sent' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The webhook endpoint answered 302.',
    })
    eventPoster.answer(() => ({ kind: 'unreachable', reason: 'it refused the connection' }))
    await expect(core.webhooks.test(project.scope, { type: 'sent' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The webhook endpoint could not be reached because it refused the connection.',
    })
  })
})
