import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (production: boolean) => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const { scope, list } = await sampleProject(core, { production })
  const { _id: transactionalId } = await core.transactionalEmails.create(scope, {
    name: 'Receipt',
    subject: 'Receipt',
    type: 'text',
    document: 'Thanks',
  })
  const { _id } = await core.campaigns.create(scope, {
    name: 'News',
    subject: 'News',
    type: 'text',
    document: 'leave: {{unsubscribeLink}}',
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })
  return {
    ...world,
    core,
    single: () => core.sends.transactional(scope, { email: 'reader@example.com', transactionalId }),
    status: async () => (await core.campaigns.get(scope, _id)).status,
    sent: () => world.mailer.sent.map(({ to }) => to),
  }
}

describe.each([
  { name: 'a project in production', production: true },
  { name: 'a sandbox', production: false },
])('a campaign of $name to an empty list', ({ production }) => {
  it('does not block later single mails', async () => {
    const { core, single, status, sent } = await start(production)
    await core.worker.runUntilIdle()
    expect(await status()).toBe('sent')
    await single()
    await core.worker.runUntilIdle()
    expect(sent()).toEqual(['reader@example.com'])
  })

  it('does not block earlier single mails', async () => {
    const { core, single, status, sent } = await start(production)
    await single()
    await core.worker.runUntilIdle()
    expect([await status(), sent()]).toEqual(['sent', ['reader@example.com']])
  })

  it('does not block single mails of a running worker', async () => {
    const { core, clock, mailer, single, sent } = await start(production)
    await core.worker.start()
    await clock.pass(20_000)
    await single()
    await clock.passUntil(() => mailer.sent.length > 0)
    const stopped = core.worker.stop()
    await clock.pass(1_000)
    await stopped
    expect(sent()).toEqual(['reader@example.com'])
  })
})
