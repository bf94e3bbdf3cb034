import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { checkRecords } from '../../src/backup/records-check.js'

const start = async () => {
  const { ports } = inMemoryPorts()
  const project = await sampleProject(createCore(ports))
  await project.subscribe(3)
  return { repositories: ports.repositories, project }
}

describe('a check of the records', () => {
  it('finds nothing in a sound store, and counts', async () => {
    const { repositories } = await start()
    const { problems, counts } = await checkRecords(repositories)
    expect(problems).toEqual([])
    expect(counts).toMatchObject({ projects: 1, contacts: 3, subscribers: 3, subscriberLists: 1 })
  })

  it('names subscribers without their contact or list, and records without their project', async () => {
    const { repositories, project } = await start()
    const [contact] = (
      await repositories.contacts.list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 })
    ).items
    await repositories.contacts.remove({ _id: contact?._id ?? '' })
    await repositories.subscriberLists.remove({ _id: project.list._id })
    const { problems } = await checkRecords(repositories)
    expect(problems).toEqual([
      expect.stringMatching(/^1 subscribers without their contact: \w+$/),
      expect.stringMatching(/^3 subscribers without their list: \w+, \w+, \w+$/),
    ])
    await repositories.projects.remove({ _id: project.scope.projectId })
    expect((await checkRecords(repositories)).problems).toContainEqual(
      expect.stringMatching(/^2 contacts without their account or project: \w+, \w+$/),
    )
  })

  it('does not report what a server removes while it reads', async () => {
    const { repositories } = await start()
    const { subscribers, contacts } = repositories
    const removing: typeof repositories = {
      ...repositories,
      contacts: {
        ...contacts,
        list: async (query) => {
          await Promise.all([subscribers.removeAll({}), contacts.removeAll({})])
          return contacts.list(query)
        },
      },
    }
    expect((await checkRecords(removing)).problems).toEqual([])
  })
})
