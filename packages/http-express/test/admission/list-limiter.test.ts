import type { ContactQuery, ContactSearch } from '@posthorn/core/ports/storage'
import { inMemoryStore, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'

/** A search that takes until it is told to end, for one project. */
const slowSearch = () => {
  const { contactSearch, ...store } = inMemoryStore()
  const held: (() => void)[] = []
  let slow = ''
  let begun = 0
  const search: ContactSearch = {
    ...contactSearch,
    page: async (question: ContactQuery) => {
      if (question.projectId === slow) {
        begun += 1
        await new Promise<void>((resolve) => held.push(resolve))
      }
      return contactSearch.page(question)
    },
  }
  return {
    ports: { ...store, contactSearch: search },
    begun: () => begun,
    slowDown: (projectId: string) => {
      slow = projectId
    },
    release: () => {
      slow = ''
      for (const one of held.splice(0)) one()
    },
  }
}

describe('lists of one project', () => {
  const search = slowSearch()
  let world: World
  beforeAll(async () => {
    world = await aWorld(search.ports)
  })
  afterAll(() => world.client.close())

  it('run four at a time, let fifty wait, and refuse more with 429, without delaying other projects', async () => {
    search.slowDown(world.project.project._id)
    const all = Array.from({ length: 60 }, () => world.call('listContacts'))
    const refused = await Promise.race(all)
    expect(refused).toMatchObject({ status: 429, error: { name: 'TOO_MANY_REQUESTS' } })
    expect(search.begun()).toBe(4)

    const other = await sampleProject(world.core, { name: 'Other' })
    const params = { projectId: other.project._id }
    expect(await world.client.call('listContacts', { key: other.key, params })).toMatchObject({ status: 200 })

    search.release()
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(6)
    expect(statuses.filter((status) => status === 200)).toHaveLength(54)
  })
})
