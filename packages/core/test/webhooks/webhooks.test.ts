import { createCore } from '@posthorn/core'
import { webhookEventTypes } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { WebhookEventType } from '../../src/webhooks/webhook.js'

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
  batches: false,
}

describe('the configuration of a webhook', () => {
  it('is replaced as a whole: omitted switches are off', async () => {
    const { core, project, set } = await aShop()
    expect(await core.webhooks.get(project.scope)).toBeNull()
    await set({ click: true, open: true })
    const replaced = await set({ url: 'http://shop.example.com:8080/', sent: true })
    expect(replaced).toEqual({ ...off, url: 'http://shop.example.com:8080/', secretKey: project.key, sent: true })
    expect(await core.webhooks.get(project.scope)).toEqual(replaced)
  })

  it('exists once, even if two are created at once', async () => {
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

  it('accepts only valid keys of the project', async () => {
    const { core, project, set } = await aShop()
    const second = await core.apiKeys.create(project.project._id, {})
    const stranger = await sampleProject(core, { name: 'Other' })
    expect(await set({ secretKey: second.key })).toMatchObject({ secretKey: second.key })
    await core.apiKeys.revoke(project.project._id, second.apiKey._id)
    for (const secretKey of [second.key, stranger.key, 'ph_unknown', ''])
      await expect(set({ secretKey })).rejects.toThrow('secretKey: expected an API key of the project')
  })

  it('accepts keys with the scope webhook or full only', async () => {
    const { core, project, set } = await aShop()
    for (const scope of ['webhook', 'full'] as const) {
      const { key } = await core.apiKeys.create(project.project._id, { scope })
      expect(await set({ secretKey: key })).toMatchObject({ secretKey: key })
    }
    for (const scope of ['send', 'read'] as const) {
      const { key } = await core.apiKeys.create(project.project._id, { scope })
      await expect(set({ secretKey: key })).rejects.toThrow(
        'secretKey: expected an API key with the scope webhook or full',
      )
    }
  })

  const own = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`

  it('accepts a secret of its own of 24 bytes or more', async () => {
    const { set } = await aShop()
    for (const bytes of [24, 32, 64])
      expect(await set({ secretKey: own(bytes) })).toMatchObject({ secretKey: own(bytes) })
  })

  it.each([
    ['too short', own(23)],
    ['none', 'whsec_'],
    ['base64url', `whsec_${'-_'.repeat(16)}`],
    ['without its padding', own(25).replace(/=+$/, '')],
    ['base64 with a line break', `${own(24)}\n`],
    ['too long', own(1000)],
  ])('refuses a secret of its own that is %s', async (_, secretKey) => {
    const { set } = await aShop()
    await expect(set({ secretKey })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^secretKey: /),
    })
  })

  it('shows secret and URL to full keys and to the key that is its secret', async () => {
    const { core, project, set } = await aShop()
    const holder = async (scope: 'full' | 'read' | 'send' | 'webhook') => {
      const { key, apiKey } = await core.apiKeys.create(project.project._id, { scope })
      return { key, scope: { ...project.scope, apiKey } }
    }
    const [full, mine, another, reader] = await Promise.all(
      (['full', 'webhook', 'webhook', 'read'] as const).map(holder),
    )
    await set({ secretKey: mine?.key, url: 'https://hooks.example.com:8443/services/T0/secret?token=secret' })
    const shown = async (who: typeof mine) => (await core.webhooks.get(who?.scope ?? project.scope))?.secretKey
    expect(await Promise.all([full, mine, another, reader].map(shown))).toEqual([
      mine?.key,
      mine?.key,
      undefined,
      undefined,
    ])
    for (const who of [reader, another]) {
      const scope = who?.scope ?? project.scope
      const url = 'https://hooks.example.com:8443'
      expect(await core.webhooks.get(scope)).toEqual({ ...off, url })
      const endpoint = await core.webhooks.endpoints.get(scope, project.project._id)
      expect([endpoint.url, endpoint.secretKey]).toEqual([url, undefined])
    }
    expect((await core.webhooks.get(mine?.scope ?? project.scope))?.url).toContain('?token=secret')
  })

  it('is not shown to people while it is an API key', async () => {
    const { core, project, set } = await aShop()
    const manager = { projectId: project.project._id, caller: 'person' } as const
    await set({ secretKey: project.key })
    expect(await core.webhooks.get(manager)).toMatchObject({ url: expect.any(String) })
    expect((await core.webhooks.get(manager))?.secretKey).toBeUndefined()
    const { secretKey } = await core.webhooks.endpoints.create(manager, {
      url: 'https://a.example.com',
      types: ['sent'],
    })
    expect(secretKey).toMatch(/^whsec_/)
  })

  it('is shown as switched off after its key was revoked, until it has another', async () => {
    const { core, project, clock, set } = await aShop()
    const { key, apiKey } = await core.apiKeys.create(project.project._id, { scope: 'webhook' })
    expect(await set({ secretKey: key, sent: true })).not.toHaveProperty('disabled')
    clock.advance(1000)
    await core.apiKeys.revoke(project.project._id, apiKey._id)
    const since = clock.now().toISOString()
    clock.advance(1000)
    expect(await core.webhooks.get(project.scope)).toMatchObject({
      sent: true,
      disabled: { reason: `The API key …${key.slice(-4)} was revoked`, since },
    })
    expect(await set({ sent: true })).not.toHaveProperty('disabled')
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

  it('reports all violations together', async () => {
    const { core, project } = await aShop()
    await expect(core.webhooks.set(project.scope, { sent: 'yes', colour: 'red' } as never)).rejects.toThrow(
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

  it.each(webhookEventTypes)('posts a %s like a real one, even if it is switched off', async (type) => {
    const { core, project, set, eventPoster } = await aShop()
    await set()
    expect(await core.webhooks.test(project.scope, { type: type as never })).toEqual({ success: true })
    const [post] = eventPoster.posts
    const body = JSON.parse(post?.body ?? '')
    expect(post?.url).toBe(url)
    expect(body).toMatchObject({ type, project: { _id: project.project._id }, account: { _id: project.account._id } })
    expect(body[kinds(type)]).toBeDefined()
  })

  it('stores nothing', async () => {
    const { core, project, set, ports, eventPoster } = await aShop()
    await set({ sent: true })
    await core.webhooks.test(project.scope, { type: 'sent' })
    await core.worker.postEvents()
    expect(eventPoster.posts).toHaveLength(1)
    expect(await ports.repositories.webhookDeliveries.get({})).toBeUndefined()
  })

  it('of a subscription posts a subscribe', async () => {
    const { core, project, set, eventPoster } = await aShop()
    await set()
    await core.webhooks.test(project.scope, { type: 'subscription' })
    expect(JSON.parse(eventPoster.posts[0]?.body ?? '')).toMatchObject({ type: 'subscribe' })
  })

  it('posts nothing after its key was revoked', async () => {
    const { core, project, set, eventPoster } = await aShop()
    const { key, apiKey } = await core.apiKeys.create(project.project._id, {})
    await set({ secretKey: key })
    await core.apiKeys.revoke(project.project._id, apiKey._id)
    await expect(core.webhooks.test(project.scope, { type: 'sent' })).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringMatching(/^The webhook is switched off: The API key .* was revoked\. Please /),
    })
    expect(eventPoster.posts).toEqual([])
  })

  it('requires a webhook, and a type that webhooks receive', async () => {
    const { core, project, set } = await aShop()
    await expect(core.webhooks.test(project.scope, { type: 'sent' })).rejects.toMatchObject({ kind: 'blocked' })
    await set()
    for (const type of ['unpause-subscription', 'constructor', undefined])
      await expect(core.webhooks.test(project.scope, { type: type as never })).rejects.toMatchObject({
        kind: 'invalid',
      })
  })

  it('reports the receiver’s status, or why there was no response', async () => {
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
