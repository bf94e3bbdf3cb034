import { createCore } from '@posthorn/core'
import { CampaignQuery } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { expect, it } from 'vitest'

const setUp = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const at = async (project: string, names: readonly string[]) => {
    const { scope, list } = await sampleProject(core, { name: project })
    for (const name of names) {
      clock.advance(1_000)
      await core.campaigns.create(scope, { name, subject: 'S', timeZone: 'UTC', subscriberListId: list._id })
    }
    return scope
  }
  const scope = await at('One', ['Autumn letter', 'Winter Letter', 'Ärzte', 'Letterpress'])
  await at('Two', ['Another letter'])
  const found = async (query: object) => {
    const { items, count } = await core.campaigns.list(scope, CampaignQuery.parse(query))
    return [count, ...items.map(({ name }) => name)]
  }
  return { core, scope, found }
}

it('finds campaigns of the project by a part of the name, in lower and upper case', async () => {
  const { found } = await setUp()
  expect(await found({ find: 'LETTER' })).toEqual([3, 'Letterpress', 'Winter Letter', 'Autumn letter'])
  expect(await found({ find: ' ärz ' })).toEqual([1, 'Ärzte'])
  expect(await found({ find: 'l.tter' })).toEqual([0])
})

it('finds all with an empty text', async () => {
  const { found } = await setUp()
  expect((await found({ find: '  ' }))[0]).toBe(4)
})

it('sorts and pages what it finds', async () => {
  const { found } = await setUp()
  const query = { find: 'letter', sort: 'name', order: 'asc', limit: '1', skip: '1' }
  expect(await found(query)).toEqual([3, 'Letterpress'])
})

it('applies the filters, too, also one on the name', async () => {
  const { core, scope, found } = await setUp()
  const [newest] = (await core.campaigns.list(scope, { limit: 1, skip: 0 })).items
  await core.campaigns.update(scope, newest?._id ?? '', { status: 'archive' })
  expect(await found({ find: 'letter', filter: { status: 'archive' } })).toEqual([1, 'Letterpress'])
  expect(await found({ find: 'letter', filter: { name: 'Winter Letter' } })).toEqual([1, 'Winter Letter'])
  expect(await found({ find: 'autumn', filter: { name: 'Winter Letter' } })).toEqual([0])
})
