import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

  it('never show an API key that signs the posts of the webhook', async () => {
    const { key } = world.project
    const webhook = { url: 'https://shop.example.com/hooks', secretKey: key }
    await world.call('setWebhook', { body: webhook })
    expect((await world.call('getWebhook')).result).toMatchObject({ secretKey: key })
    const seen = await owner.call('GET', at('/webhook'))
    const changed = await owner.call('PATCH', at('/webhook'), webhook)
    for (const { result } of [seen, changed]) {
      expect(result).toMatchObject({ url: webhook.url })
      expect(JSON.stringify(result)).not.toContain(key)
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
})
