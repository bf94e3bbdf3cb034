import { aDelivery, aDispatch, numberedId, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

const hard = "o'hara+a/b?c=d&e#%f@example.com"

const aMailTo = async (email: string, projectId: string, dispatchId: string) => {
  const dispatch = aDispatch({ _id: dispatchId, projectId })
  const delivery = aDelivery({ _id: `${dispatchId}:${email}`, dispatchId, projectId, email, status: 'sent' })
  await world.ports.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
  return delivery._id
}

describe('getMailHistory', () => {
  it('takes every delivery id, encoded for the URL', async () => {
    const id = await aMailTo(hard, world.project.project._id, numberedId(0xd01))
    const { result } = await world.call('getMailHistory', { params: { id } })
    expect(result).toMatchObject({ deliveryId: id, email: hard, webhooks: [], keptSince: { mails: null } })
  })

  it('answers the same for a mail of another project and for none', async () => {
    const other = await sampleProject(world.core, { name: 'Other' })
    const id = await aMailTo('ada@example.com', other.project._id, numberedId(0xd02))
    const asked = [id, `${numberedId(0xd03)}:ada@example.com`, 'x'].map((one) =>
      world.call('getMailHistory', { params: { id: one } }),
    )
    for (const { status, error } of await Promise.all(asked))
      expect([status, error?.message]).toEqual([404, 'Mail not found'])
  })
})

describe('listMailHistories', () => {
  it('finds the mails to an address in any spelling, and needs one', async () => {
    await aMailTo('Alan@Example.com', world.project.project._id, numberedId(0xd04))
    const query = { email: 'alan@example.COM', 'filter[kind]': 'transactional' }
    const { result } = await world.call('listMailHistories', { query })
    expect(result).toMatchObject({ count: expect.any(Number), next: null, keptSince: { mails: null } })
    const all = await world.call('listMailHistories', { query: { email: 'alan@example.COM' } })
    expect(all.result).toMatchObject({ count: 1, items: [{ email: 'Alan@Example.com' }] })
    for (const [wrong, message] of [
      [{}, 'Missing required field: email'],
      [{ email: 'alan' }, 'Invalid email format'],
      [{ email: 'a@example.com', 'filter[size]': '1' }, 'filter[size]: unknown field'],
    ] as const) {
      const { status, error } = await world.call('listMailHistories', { query: wrong })
      expect([status, error?.message]).toEqual([400, message])
    }
  })
})
