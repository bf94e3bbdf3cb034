import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

/** A campaign to so many readers, on a store whose pages have so many, and how many each page was asked for. */
const campaign = async (readers: number, pageSize: number) => {
  const { ports, mailer } = inMemoryPorts()
  const asked: number[] = []
  const audience: typeof ports.audience = {
    ...ports.audience,
    pageSize,
    page: (question, after, limit) => {
      asked.push(limit)
      return ports.audience.page(question, after, limit)
    },
  }
  const core = createCore({ ...ports, audience })
  const project = await sampleProject(core)
  await project.subscribe(readers)
  await core.campaigns.create(project.scope, {
    name: 'News',
    subject: 'News',
    type: 'text',
    document: 'leave: {{unsubscribeLink}}',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })
  await core.worker.runUntilIdle()
  return { asked, to: mailer.sent.map(({ to }) => to).toSorted() }
}

describe('an audience’s pages', () => {
  it('have the store’s page size, and miss nobody', async () => {
    const { asked, to } = await campaign(7, 3)
    expect(asked).toEqual([3, 3, 3])
    expect(to).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `reader${n}@example.com`))
  })

  it('end with an empty page if the last was full', async () => {
    const { asked, to } = await campaign(6, 3)
    expect(asked).toEqual([3, 3, 3])
    expect(to).toHaveLength(6)
  })
})
