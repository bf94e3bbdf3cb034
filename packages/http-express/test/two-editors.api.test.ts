import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OperationId } from '../src/index.js'
import { aWorld, type World } from './world.js'

let world: World
beforeEach(async () => {
  world = await aWorld()
})
afterEach(() => world.client.close())

const mail = { name: 'N', subject: 'S', type: 'text', document: 'd' }
const primary = (value: string) => ({
  setOverrides: [{ category: 'variables', key: 'colors', name: 'primary', value }],
})

type Kind = readonly [
  update: OperationId,
  make: () => Promise<{ readonly _id: string; readonly updatedAt: string }>,
  first: object,
  second: object,
]

const created = async (id: OperationId, body: object) =>
  (await world.call(id, { body })).result as { readonly _id: string; readonly updatedAt: string }

const kinds: readonly Kind[] = [
  [
    'updateCampaign',
    () => created('createCampaign', { ...mail, timeZone: 'UTC', subscriberListId: world.project.list._id }),
    { subject: 'A' },
    { subject: 'B' },
  ],
  [
    'updateTemplate',
    () => created('createTemplate', { name: 'N', subject: 'S', document: {} }),
    { subject: 'A' },
    { subject: 'B' },
  ],
  ['updateTransactionalEmail', () => created('createTransactionalEmail', mail), { subject: 'A' }, { subject: 'B' }],
  [
    'updateTriggeredEmail',
    () => created('createTriggeredEmail', { ...mail, subscriberListId: world.project.list._id }),
    { subject: 'A' },
    { subject: 'B' },
  ],
  ['updateSignupForm', () => created('createSignupForm', { name: 'N' }), { name: 'A' }, { name: 'B' }],
  [
    'updateDesignSystem',
    async () => {
      const { items } = (await world.call('listDesignSystems')).result
      return items[0] as { readonly _id: string; readonly updatedAt: string }
    },
    primary('#111111'),
    primary('#222222'),
  ],
]

describe.each(kinds)('%s', (update, make, first, second) => {
  const patch = (_id: string, body: object) => world.call(update, { params: { id: _id }, body })

  it('of the version that somebody else has changed is a conflict, and loses nothing', async () => {
    const { _id, updatedAt } = await make()
    world.clock.advance(5)
    const saved = await patch(_id, { ...first, basedOn: updatedAt })
    expect(saved.status).toBe(200)
    world.clock.advance(5)
    const refused = await patch(_id, { ...second, basedOn: updatedAt })
    expect(refused).toMatchObject({ status: 409, error: { code: 'changed-since' } })
    const { updatedAt: now } = saved.result as { readonly updatedAt: string }
    expect(now).not.toBe(updatedAt)
    const accepted = await patch(_id, { ...second, basedOn: now })
    expect(accepted.status).toBe(200)
    expect(accepted.result).not.toHaveProperty('basedOn')
  })

  it('by two at once succeeds for one', async () => {
    const { _id, updatedAt } = await make()
    world.clock.advance(5)
    const both = await Promise.all([first, second].map((body) => patch(_id, { ...body, basedOn: updatedAt })))
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]))
  })

  it('needs no version', async () => {
    const { _id } = await make()
    world.clock.advance(5)
    expect([(await patch(_id, first)).status, (await patch(_id, second)).status]).toEqual([200, 200])
  })
})
