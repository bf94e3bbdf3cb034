import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, consoleBrowser, password, tokenIn } from './browser.js'

type View = { readonly _id: string; readonly name: string; readonly search: string }

describe('saved views', () => {
  let world: World
  let owner: ConsoleBrowser
  let analyst: ConsoleBrowser
  const at = (path = '') => `/projectId/${world.project.project._id}/views${path}`
  const view = { page: 'campaigns', name: 'Sent letters', search: 'find=letter&status=sent' }
  const namesOf = async (browser: ConsoleBrowser) =>
    (await browser.call<{ items: View[] }>('GET', at())).result.items.map(({ name }) => name)

  beforeAll(async () => {
    world = await aWorld()
    owner = await anOwner(world)
    const invited = await owner.call<{ link: string }>(
      'POST',
      `/projectId/${world.project.project._id}/people/invitations`,
      { email: 'theo@example.com', role: 'analyst', within: 'project', password },
    )
    analyst = consoleBrowser(world.client.base)
    await analyst.call('POST', '/invitations/accept', { token: tokenIn(invited.result.link), name: 'Theo', password })
  })
  afterAll(() => world.client.close())

  it('belong to one person, also to one who may only read', async () => {
    expect((await analyst.call('POST', at(), view)).status).toBe(201)
    expect(await namesOf(analyst)).toEqual(['Sent letters'])
    expect(await namesOf(owner)).toEqual([])
    const [mine] = (await analyst.call<{ items: View[] }>('GET', at())).result.items
    expect((await owner.call('PATCH', at(`/${mine?._id}`), { name: 'Taken' })).status).toBe(404)
    expect((await owner.call('DELETE', at(`/${mine?._id}`))).status).toBe(404)
  })

  it('have one name each on a page', async () => {
    const other = await owner.call<View>('POST', at(), { ...view, name: 'Other' })
    await owner.call('POST', at(), view)
    expect((await owner.call('POST', at(), view)).error?.message).toMatch('You have a view of this name already')
    expect((await owner.call('PATCH', at(`/${other.result._id}`), { name: view.name })).error?.message).toMatch(
      'already',
    )
    expect((await owner.call('POST', at(), { ...view, page: 'audit' })).status).toBe(201)
    expect((await owner.call<View>('PATCH', at(`/${other.result._id}`), { name: ' Renamed ' })).result.name).toBe(
      'Renamed',
    )
    expect((await owner.call('DELETE', at(`/${other.result._id}`))).status).toBe(200)
  })

  it.each([
    ['an unknown page', { page: 'people' }],
    ['no name', { name: '  ' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['a long name', { name: 'a'.repeat(81) }],
    ['no filter', { search: '' }],
    ['a long filter', { search: 'a'.repeat(4_001) }],
  ])('are refused with %s', async (_name, wrong) => {
    expect((await owner.call('POST', at(), { ...view, ...wrong })).status).toBe(400)
  })

  it('are at most fifty', async () => {
    const own = await namesOf(owner)
    for (let count = own.length; count < 50; count += 1)
      await owner.call('POST', at(), { ...view, name: `View ${count}` })
    expect((await owner.call('POST', at(), { ...view, name: 'One more' })).error?.message).toMatch('You have 50 views')
    expect(await namesOf(owner)).toHaveLength(50)
  })

  it('end with the membership, and are not in the audit log', async () => {
    const { items } = (await owner.call<{ items: { action: string }[] }>('GET', at().replace('/views', '/audit')))
      .result
    expect(items.filter(({ action }) => /view/i.test(action))).toEqual([])
    const people = await owner.call<{ people: { _id: string; name: string }[] }>(
      'GET',
      at().replace('/views', '/people'),
    )
    const theo = people.result.people.find(({ name }) => name === 'Theo')?._id
    await owner.call('DELETE', at().replace('/views', `/people/${theo}`), { password })
    expect(await world.ports.repositories.savedViews.get({ personId: theo })).toBeUndefined()
  })
})
