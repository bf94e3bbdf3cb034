import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, password, tokenIn } from './browser.js'

let world: World
let owner: ConsoleBrowser
beforeAll(async () => {
  world = await aWorld()
  owner = await anOwner(world)
})
afterAll(() => world.client.close())

const entries = async () => {
  const all = []
  for await (const one of world.ports.repositories.auditEntries.each({})) all.push(one)
  return all
}
const newPassword = 'another long password'
const since = async (before: number) => (await entries()).slice(before).map(({ action }) => action)

describe('what people do in the console', () => {
  it('is recorded once, without the links and keys that are shown only once', async () => {
    const before = (await entries()).length
    const at = `/projectId/${world.project.project._id}/people`
    const invited = await owner.call<{ _id: string; link: string }>('POST', `${at}/invitations`, {
      email: 'eve@example.com',
      role: 'writer',
      password,
    })
    await owner.call('DELETE', `${at}/invitations/${invited.result._id}`)
    const started = await owner.call<{ secret: string; uri: string }>('POST', '/me/totp', { password })
    expect(started.result.uri).toContain(started.result.secret)
    await owner.call('PATCH', '/me', { name: 'Olga O.' })
    await owner.call('POST', '/me/password', { password, newPassword })
    expect(await since(before)).toEqual(['invitePerson', 'cancelInvitation', 'changeMe', 'changePassword'])
    const text = JSON.stringify(await entries())
    for (const secret of [tokenIn(invited.result.link), started.result.secret, password, newPassword])
      expect([secret.length > 5, text.includes(secret)]).toEqual([true, false])
  })

  it('needs a reason to lift a suppression, which is recorded', async () => {
    const at = `/projectId/${world.project.project._id}/suppression-list`
    const made = await owner.call<{ _id: string }>('POST', at, { email: 'sorry@example.com' })
    const lift = `${at}/${made.result._id}/lift`
    for (const body of [{}, { reason: ' ' }, { reason: { any: 1 } }, { reason: 'They asked', other: 1 }])
      expect((await owner.call('POST', lift, body)).status).toBe(400)
    expect((await owner.call('POST', lift, { reason: ' They asked ' })).status).toBe(200)
    expect((await entries()).at(-1)).toMatchObject({ action: 'liftSuppression', after: { reason: 'They asked' } })
  })

  it('is recorded for API keys, without the key', async () => {
    const at = `/projectId/${world.project.project._id}/api-keys`
    const made = await owner.call<{ apiKey: { _id: string; lastFour: string }; key: string }>('POST', at, {
      name: ' Shop ',
      scope: 'send',
      password: newPassword,
    })
    const { apiKey, key } = made.result
    expect(made.status).toBe(201)
    expect((await owner.call('DELETE', `${at}/${apiKey._id}`)).status).toBe(200)
    const shown = { name: 'Shop', scope: 'send', lastFour: apiKey.lastFour }
    expect((await entries()).slice(-2)).toMatchObject([
      { action: 'createApiKey', record: apiKey._id, after: shown },
      { action: 'revokeApiKey', record: apiKey._id, before: shown },
    ])
    expect(JSON.stringify([await entries(), (await owner.call('GET', at)).result])).not.toContain(key)
    expect(
      (await owner.call('POST', at, { name: 'Shop', key: 'a-key-of-my-own-choice', password: newPassword })).status,
    ).toBe(400)
  })

  it('is not done with a wrong password, or none, if it makes keys or changes people', async () => {
    const at = `/projectId/${world.project.project._id}`
    const before = (await entries()).length
    const { people } = (await owner.call<{ people: { _id: string }[] }>('GET', `${at}/people`)).result
    const one = `${at}/people/${people[0]?._id}`
    for (const proof of [{}, { password: '' }, { password: 'a guess of a thief' }])
      for (const [method, path, fields] of [
        ['POST', `${at}/api-keys`, { name: 'Shop', scope: 'full' }],
        ['POST', `${at}/people/invitations`, { email: 'thief@example.com', role: 'owner', within: 'account' }],
        ['PATCH', one, { role: 'analyst' }],
        ['DELETE', one, {}],
      ] as const) {
        // One attempt in ten seconds is permitted.
        world.clock.advance(10_000)
        const { status, error } = await owner.call(method, path, { ...fields, ...proof })
        expect([path, status, error?.code]).toEqual([path, 401, 'wrong-password'])
      }
    expect(await since(before)).toEqual([])
    expect((await owner.call('DELETE', one)).status).toBe(401)
    expect((await owner.call('GET', '/session')).status).toBe(200)
  })

  it('is found by who did it, what, and when', async () => {
    const at = `/projectId/${world.project.project._id}/audit`
    const found = async (query: string) =>
      (await owner.call<{ items: { action: string }[] }>('GET', `${at}?${query}`)).result?.items.map(
        ({ action }) => action,
      )
    expect(new Set(await found('action=createApiKey'))).toEqual(new Set(['createApiKey']))
    expect(await found('by=operator')).toEqual([])
    expect(await found('from=2999-01-01T00:00:00Z')).toEqual([])
    expect((await found('until=2999-01-01T00:00:00%2B02:00'))?.length).toBeGreaterThan(0)
    for (const wrong of ['by=nobody', 'from=yesterday', 'until=', 'record=', 'other=1'])
      expect([wrong, (await owner.call('GET', `${at}?${wrong}`)).status]).toEqual([wrong, 400])
  })

  it('is recorded for each batch of contacts, with their number and without an address', async () => {
    const at = `/projectId/${world.project.project._id}`
    await owner.call('POST', `${at}/contacts`, { email: 'acted-on@example.com' })
    const before = (await entries()).length
    const of = { emails: ['acted-on@example.com', 'nobody@example.com'] }
    await owner.call('POST', `${at}/contacts/act`, { ...of, act: { kind: 'add-tags', tags: ['vip'] } })
    await owner.call('POST', `${at}/contacts/act`, { ...of, act: { kind: 'suppress', reason: 'Asked for it' } })
    await owner.call('POST', `${at}/contacts/act`, { ...of, act: { kind: 'delete' } })
    await owner.call('POST', `${at}/contacts/act`, { ...of, act: { kind: 'delete' } })
    expect((await entries()).slice(before)).toMatchObject([
      { action: 'updateContacts', after: { contacts: 1, tags: ['vip'] } },
      { action: 'createSuppression', after: { contacts: 1, reason: 'Asked for it' } },
      { action: 'deleteContacts', after: { contacts: 1 } },
    ])
    expect(JSON.stringify((await entries()).slice(before))).not.toContain('acted-on')
  })

  it('is recorded with the fields that differ, for every record of the project', async () => {
    const at = `/projectId/${world.project.project._id}`
    const made = await owner.call<{ _id: string }>('POST', `${at}/subscriber-lists`, { name: 'News' })
    await owner.call('PATCH', `${at}/subscriber-lists/${made.result._id}`, { name: 'Weekly' })
    expect((await entries()).at(-1)).toMatchObject({
      by: 'person',
      byName: 'Olga O.',
      action: 'updateSubscriberList',
      record: made.result._id,
      before: { name: 'News' },
      after: { name: 'Weekly' },
    })
  })

  it('is not recorded if it was refused', async () => {
    const before = (await entries()).length
    await owner.call('POST', `/projectId/${world.project.project._id}/subscriber-lists`, {})
    await owner.call('POST', '/me/password', { password: 'wrong', newPassword })
    expect(await since(before)).toEqual([])
  })
})
