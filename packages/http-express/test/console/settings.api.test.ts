import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, password } from './browser.js'

describe('the settings of a project', () => {
  let world: World
  let owner: ConsoleBrowser
  const at = (path: string) => `/projectId/${world.project.project._id}${path}`
  beforeAll(async () => {
    world = await aWorld()
    owner = await anOwner(world)
  })
  afterAll(() => world.client.close())

  // So that refusals of earlier tests do not count as attempts.
  beforeEach(() => {
    world.clock.advance(120_000)
  })

  it('list what pages of a website may call, and what each call needs', async () => {
    type Call = { readonly id: string; readonly method: string; readonly path: string; readonly needs: string }
    const { result } = await owner.call<{ items: readonly Call[] }>('GET', at('/browser-calls'))
    const needs = Object.fromEntries(result.items.map((one) => [one.id, one.needs]))
    expect(needs).toMatchObject({
      createContact: 'subscribe-only',
      submitSignupForm: 'subscribe-only',
      getContact: 'full',
    })
    expect(Object.keys(needs).filter((id) => /apiKey|campaign/i.test(id))).toEqual([])
  })

  it('say how long data is kept, by the settings of the server', async () => {
    const { result } = await owner.call('GET', at('/retention'))
    expect(result).toEqual({ events: 30, errors: 30, links: 730, audit: 400 })
  })

  it('never show what signs the posts of the webhook', async () => {
    for (const secretKey of [world.project.key, `whsec_${'A'.repeat(44)}`]) {
      const webhook = { url: 'https://shop.example.com/hooks', secretKey }
      await world.call('setWebhook', { body: webhook })
      expect((await world.call('getWebhook')).result).toMatchObject({ secretKey })
      const seen = await owner.call('GET', at('/webhook'))
      const changed = await owner.call('PATCH', at('/webhook'), { ...webhook, password })
      for (const { result } of [seen, changed]) {
        expect(result).toMatchObject({ url: webhook.url })
        expect(JSON.stringify(result)).not.toContain(secretKey)
      }
    }
  })

  it('give browsers more access only with the password again, which API keys never need', async () => {
    const statusOf = async (body: object) => (await owner.call('PATCH', at(''), body)).status
    const start = { whiteList: ['shop.example.com', 'example.org'], browserAccess: 'subscribe-only' }
    expect((await world.call('updateProject', { body: start })).status).toBe(200)
    for (const wider of [
      { whiteList: ['example.org', 'evil.example'] },
      { whiteList: [' EVIL.example '] },
      { browserAccess: 'full' },
      { browserAccess: null },
    ]) {
      expect(await statusOf(wider)).toBe(401)
      expect(await statusOf({ ...wider, password: 'a wrong password' })).toBe(401)
    }
    expect((await world.call('getProject')).result).toMatchObject(start)
    for (const other of [{ name: 'Shop' }, { whiteList: ['SHOP.example.com'] }, { browserAccess: 'none' }])
      expect(await statusOf(other)).toBe(200)
    expect(await statusOf({ browserAccess: 'subscribe-only', password })).toBe(200)
    expect(await statusOf({ whiteList: ['shop.example.com', 'example.org'], password })).toBe(200)
    expect((await world.call('getProject')).result).toMatchObject(start)
    expect(await statusOf({ whiteList: null, name: 'Shop' })).toBe(200)
    const refused = await world.call('updateProject', { body: { whiteList: [], password } as never })
    expect(refused.status).toBe(400)
  })

  it('lead recipients to another page only with the password again', async () => {
    const page = 'https://shop.example.com/letters'
    const statusOf = async (body: object) => (await owner.call('PATCH', at(''), body)).status
    expect(await statusOf({ customSubscriptionPreferencesUrl: page })).toBe(401)
    expect((await world.call('getProject')).result).not.toHaveProperty('customSubscriptionPreferencesUrl')
    expect(await statusOf({ customSubscriptionPreferencesUrl: page, password })).toBe(200)
    expect(await statusOf({ name: 'Letters', customSubscriptionPreferencesUrl: page })).toBe(200)
    expect(await statusOf({ customSubscriptionPreferencesUrl: 'https://evil.example/letters' })).toBe(401)
    expect(await statusOf({ customSubscriptionPreferencesUrl: '' })).toBe(200)
    expect(await statusOf({ customSubscriptionPreferencesUrl: null })).toBe(200)
  })

  it('take the credentials of another cloud account only with the password again', async () => {
    const statusOf = async (body: object) => (await owner.call('PATCH', at(''), body)).status
    const roleArn = 'arn:aws:iam::123456789012:role/posthorn'
    const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-secret-of-an-example' }
    for (const cloudConfig of [{ roleArn }, keys]) expect(await statusOf({ cloudConfig })).toBe(401)
    expect(await statusOf({ cloudConfig: { roleArn }, password })).toBe(200)
    expect(await statusOf({ cloudConfig: { ...keys, removeCredentials: 'role' } })).toBe(401)
    expect(await statusOf({ cloudConfig: { region: 'eu-west-1', limit: 5 } })).toBe(200)
    expect(await statusOf({ cloudConfig: null })).toBe(200)
  })

  it('post events to another URL, or by a new secret, only with the password again', async () => {
    const url = 'https://shop.example.com/events'
    const statusOf = async (method: string, path: string, body: object) =>
      (await owner.call(method, at(path), body)).status
    const secretKey = `whsec_${'B'.repeat(44)}`
    expect(await statusOf('PATCH', '/webhook', { url, secretKey })).toBe(401)
    expect(await statusOf('POST', '/webhooks', { url })).toBe(401)
    const { status, result } = await owner.call<{ _id: string }>('POST', at('/webhooks'), { url, password })
    expect(status).toBe(201)
    const endpoint = `/webhooks/${result._id}`
    for (const change of [{ url: 'https://evil.example/events' }, { secretKey }, { secretKey: null }]) {
      expect(await statusOf('PATCH', endpoint, change)).toBe(401)
      expect(await statusOf('PATCH', endpoint, { ...change, password: 'a wrong password' })).toBe(401)
    }
    expect((await owner.call('GET', at(endpoint))).result).toMatchObject({ url })
    expect(await statusOf('PATCH', endpoint, { url, types: ['sent'], enabled: false })).toBe(200)
    expect(await statusOf('PATCH', endpoint, { url: `${url}/2`, secretKey: null, password })).toBe(200)
    expect((await world.call('createWebhook', { body: { url, password } as never })).status).toBe(400)
  })
})
