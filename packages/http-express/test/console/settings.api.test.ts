import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser } from './browser.js'

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
})
