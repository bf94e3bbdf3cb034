import { createHmac } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { httpEventPoster } from '@posthorn/adapters-node'
import { WebhookEvent, webhookEventTypes } from '@posthorn/core/ports/transport'
import { localReceiver, type ReceivedRequest, sampleProject } from '@posthorn/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

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

let world: World
let other: Awaited<ReturnType<typeof sampleProject>>
let receiver: Awaited<ReturnType<typeof localReceiver>>
let answer: RequestListener

beforeAll(async () => {
  world = await aWorld({ eventPoster: httpEventPoster({ allowPrivate: true, timeoutMs: 2_000 }) })
  other = await sampleProject(world.core, { name: 'Other' })
})
afterAll(() => world.client.close())

beforeEach(async () => {
  answer = (_, response) => response.writeHead(200).end()
  receiver = await localReceiver((request, response) => answer(request, response))
})
afterEach(async () => {
  await world.call('deleteWebhook')
  await receiver.close()
})

const set = (fields: object = {}) =>
  world.call('setWebhook', { body: { url: receiver.url, secretKey: world.project.key, ...fields } })
const test = (type: string) => world.call('testWebhook', { query: { type } })

/** As a receiver checks it. */
const signatureOf = ({ headers, body }: ReceivedRequest) => {
  const text = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.')
  return `v1,${createHmac('sha256', world.project.key).update(text).digest('base64')}`
}

describe('getWebhook', () => {
  it('returns 200 with null if none is configured, else the webhook', async () => {
    expect(await world.call('getWebhook')).toMatchObject({ status: 200, result: null })
    await set({ click: true })
    expect((await world.call('getWebhook')).result).toEqual({
      ...off,
      url: receiver.url,
      secretKey: world.project.key,
      click: true,
    })
  })

  it('returns 403 without a key of the project', async () => {
    expect((await world.call('getWebhook', { key: other.key })).status).toBe(403)
  })
})

describe('setWebhook', () => {
  it('returns 200, and creates or replaces the webhook', async () => {
    expect(await set({ sent: true, subscription: true })).toMatchObject({ status: 200, result: { sent: true } })
    expect((await set({ open: true })).result).toEqual({
      ...off,
      url: receiver.url,
      secretKey: world.project.key,
      open: true,
    })
  })

  it('returns 400 for a key of another project', async () => {
    for (const secretKey of [other.key, 'secret'])
      expect(await set({ secretKey })).toMatchObject({
        status: 400,
        error: {
          name: 'VALIDATION_ERROR',
          message: 'secretKey: expected an API key of the project, or whsec_ and base64',
        },
      })
    expect((await world.call('getWebhook')).result).toBeNull()
  })

  it('returns 400 with all violations together', async () => {
    const { status, error } = await world.call('setWebhook', { body: { url: 'ftp://x', sent: 1, _id: 'x' } })
    expect(status).toBe(400)
    for (const part of ['url: ', 'Missing required field: secretKey', 'sent: ', 'Unexpected field: _id'])
      expect(error?.message).toContain(part)
  })

  it('returns 403 without a key', async () => {
    expect((await world.call('setWebhook', { key: '', body: {} })).status).toBe(403)
  })
})

describe('deleteWebhook', () => {
  it('returns 200 with the removed webhook, then 404', async () => {
    await set({ sent: true })
    expect(await world.call('deleteWebhook')).toMatchObject({ status: 200, result: { sent: true } })
    expect(await world.call('deleteWebhook')).toMatchObject({
      status: 404,
      error: { name: 'NOT_FOUND', message: 'Webhook not found' },
    })
  })

  it('returns 403 without a key', async () => {
    expect((await world.call('deleteWebhook', { key: '' })).status).toBe(403)
  })
})

describe('testWebhook', () => {
  it.each(webhookEventTypes)('returns 200 after posting a complete, signed %s event', async (type) => {
    await set()
    expect(await test(type)).toMatchObject({ status: 200, result: { success: true } })
    const [post] = receiver.received
    if (!post) throw new Error('Nothing was received')
    expect(post.method).toBe('POST')
    expect(post.headers['content-type']).toBe('application/json')
    expect(post.headers.authorization).toBe(`Bearer ${world.project.key}`)
    expect(post.headers['webhook-signature']).toBe(signatureOf(post))
    const event = JSON.parse(post.body)
    expect(WebhookEvent.parse(event)).toEqual(event)
    expect(event.type).toBe(type)
  })

  it('returns 400 for types that webhooks do not receive', async () => {
    await set()
    for (const type of ['', 'unpause-subscription', '__proto__']) expect((await test(type)).status).toBe(400)
    expect(await world.call('testWebhook')).toMatchObject({
      status: 400,
      error: { message: 'Missing required field: type' },
    })
    expect(receiver.received).toEqual([])
  })

  it('returns 403 without a key', async () => {
    expect((await world.call('testWebhook', { key: '', query: { type: 'sent' } })).status).toBe(403)
  })

  it('returns 405 without a webhook', async () => {
    expect(await test('sent')).toMatchObject({
      status: 405,
      error: { name: 'METHOD_NOT_ALLOWED', message: 'No webhook is configured.' },
    })
  })

  it.each([301, 400, 401, 404, 500])('returns 503 if the receiver answers %i', async (status) => {
    await set()
    answer = (_, response) => response.writeHead(status, { location: receiver.url }).end()
    expect(await test('sent')).toMatchObject({
      status: 503,
      error: { name: 'SERVICE_UNAVAILABLE', message: `The webhook endpoint answered ${status}.` },
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('returns 503 if the receiver is silent, disconnects or is down', async () => {
    await set()
    answer = () => undefined
    expect(await test('sent')).toMatchObject({
      status: 503,
      error: { message: 'The webhook endpoint could not be reached because it took too long to answer.' },
    })
    answer = (request) => request.socket.destroy()
    expect((await test('sent')).status).toBe(503)
    await receiver.close()
    expect((await test('sent')).status).toBe(503)
  })

  it('returns 503 if a name leads into the server’s own network', async () => {
    const here = [{ address: '127.0.0.1', family: 4 }] as const
    const strict = await aWorld({ eventPoster: httpEventPoster({ lookup: async () => here }) })
    const url = receiver.url.replace('127.0.0.1', 'inside.example.com')
    expect((await strict.call('setWebhook', { body: { url, secretKey: strict.project.key } })).status).toBe(200)
    expect(await strict.call('testWebhook', { query: { type: 'sent' } })).toMatchObject({
      status: 503,
      error: { message: 'The webhook endpoint could not be reached because it is not on the public internet.' },
    })
    await strict.client.close()
    expect(receiver.received).toEqual([])
  })

  it('is refused for an address of the server’s own network, unless the operator allows these', async () => {
    const strict = await aWorld({ eventPoster: httpEventPoster() })
    const message = expect.stringMatching(/^url: expected a URL on the public internet: this server posts nothing/)
    const secretKey = strict.project.key
    for (const host of ['127.0.0.1', 'localhost', 'localhost.', '10.1.2.3', '169.254.169.254', '[::1]', '2130706433']) {
      const url = `http://${host}:8080/`
      const refused = { status: 400, error: { message } }
      expect(await strict.call('setWebhook', { body: { url, secretKey } })).toMatchObject(refused)
      expect(await strict.call('createWebhook', { body: { url } })).toMatchObject(refused)
    }
    const { result } = await strict.call('createWebhook', { body: { url: 'https://example.com/' } })
    const params = { id: (result as { _id: string })._id }
    const moved = { url: 'http://192.168.0.1/', types: [] } as const
    const { status, error } = await strict.call('updateWebhook', { params, body: moved as never })
    expect([status, error?.message]).toEqual([400, expect.stringMatching(/types.*public internet/s)])
    expect((await set()).status).toBe(200)
    await strict.client.close()
  })
})

describe('a webhook’s own secret', () => {
  it('signs with its bytes, and is never sent', async () => {
    const bytes = Buffer.alloc(32, 7)
    const secretKey = `whsec_${bytes.toString('base64')}`
    expect(await set({ secretKey })).toMatchObject({ status: 200, result: { secretKey } })
    await test('subscription')
    const [post] = receiver.received
    if (!post) throw new Error('Nothing was received')
    const text = [post.headers['webhook-id'], post.headers['webhook-timestamp'], post.body].join('.')
    const right = createHmac('sha256', bytes).update(text).digest('base64')
    expect(post.headers['webhook-signature']).toBe(`v1,${right}`)
    expect(JSON.stringify(post)).not.toContain(secretKey)
    expect(post.headers).not.toHaveProperty('authorization')
  })
})

describe('a webhook whose key was revoked', () => {
  it('is switched off, returns 405, and says since when', async () => {
    const { key, apiKey } = await world.core.apiKeys.create(world.project.project._id, { scope: 'webhook' })
    await set({ secretKey: key })
    const { revokedAt } = await world.core.apiKeys.revoke(world.project.project._id, apiKey._id)
    expect((await world.call('getWebhook')).result?.disabled).toMatchObject({ since: revokedAt })
    expect((await test('sent')).status).toBe(405)
    expect((await world.call('getWebhook', { key })).status).toBe(403)
    expect(receiver.received).toEqual([])
  })
})

describe('the events of a project', () => {
  it('reach its webhook, from subscribing and sending to unsubscribing', async () => {
    await set({ sent: true, subscription: true })
    const { list } = world.project
    const params = { id: list._id }
    await world.call('subscribe', { params, body: { email: 'ada@example.com', name: 'Ada', status: 'active' } })
    const body = { name: 'N', subject: 'Hello', type: 'text', document: 'd', subscriberListId: list._id }
    const { result: campaign } = await world.call('createCampaign', {
      body: { ...body, timeZone: 'UTC', status: 'scheduled', scheduledTo: '2025-01-01T00:00:00Z' },
    })
    await world.core.worker.runUntilIdle()
    await world.core.worker.postEvents()
    const events = receiver.received.map((post) => JSON.parse(post.body))
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['sent', 'subscribe']))
    expect(events).toHaveLength(2)
    expect(events.find(({ type }) => type === 'subscribe')).toMatchObject({
      subscription: { email: 'ada@example.com', name: 'Ada', status: 'active', subscriberList: { name: 'Readers' } },
    })
    expect(events.find(({ type }) => type === 'sent')).toMatchObject({
      project: { _id: world.project.project._id, name: 'Sample' },
      emailData: { _id: campaign._id, to: 'ada@example.com', type: 'campaign', subject: 'Hello' },
    })
    expect(receiver.received.map((post) => post.headers['webhook-signature'])).toEqual(
      receiver.received.map(signatureOf),
    )
  })
})

describe('the log of the webhook', () => {
  const told = async () => {
    await set({ sent: true })
    await world.core.webhooks.publish([
      {
        ...{ _id: `event ${Math.random()}`, projectId: world.project.project._id, at: '2026-01-06T12:00:00.000Z' },
        type: 'sent',
        mail: { deliveryId: 'd:a', emailId: 'e', kind: 'campaign', subject: 'Hello', to: 'ada@example.com' },
      },
    ])
    await world.core.worker.postEvents()
    const { result } = await world.call('listWebhookLog')
    const [entry] = result.items
    if (!entry) throw new Error('Nothing was told')
    return entry
  }

  it('listWebhookLog returns 200 with the state of events, and filters', async () => {
    answer = (_, response) => response.writeHead(500).end()
    expect(await told()).toMatchObject({ type: 'sent', state: 'pending', attempts: [{ status: 500 }] })
    const given = await world.call('listWebhookLog', { query: { 'filter[state]': 'given-up' } })
    expect(given.result).toMatchObject({ count: 0 })
    expect((await world.call('listWebhookLog', { query: { 'filter[body]': 'x' } })).status).toBe(400)
  })

  it('getWebhookLogEntry returns 200 with the event as posted, and 404 for an unknown one', async () => {
    const { _id } = await told()
    const { result } = await world.call('getWebhookLogEntry', { params: { id: _id } })
    expect(result.event).toEqual(JSON.parse(receiver.received.at(-1)?.body ?? ''))
    expect((await world.call('getWebhookLogEntry', { params: { id: '0'.repeat(24) } })).status).toBe(404)
  })

  it('replayWebhookEvents returns 200 and posts again; 400 or 405 if it cannot', async () => {
    const { _id } = await told()
    const before = receiver.received.length
    expect(await world.call('replayWebhookEvents', { body: { ids: [_id] } })).toMatchObject({
      status: 200,
      result: { replayed: 1, next: null },
    })
    await world.core.worker.postEvents()
    expect(receiver.received[before]?.headers['webhook-id']).toBe(_id)
    expect((await world.call('replayWebhookEvents', { body: {} })).status).toBe(400)
    await world.call('deleteWebhook')
    expect((await world.call('replayWebhookEvents', { body: { ids: [_id] } })).status).toBe(405)
    expect((await world.call('enableWebhook')).status).toBe(405)
  })

  it('enableWebhook returns 200 with the webhook', async () => {
    await set()
    expect(await world.call('enableWebhook')).toMatchObject({ status: 200, result: { url: receiver.url } })
  })
})
