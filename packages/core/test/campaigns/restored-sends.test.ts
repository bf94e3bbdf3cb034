import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const hour = 3_600_000

const setUp = async () => {
  const { ports, mailer, clock } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const { scope, list } = project
  await project.subscribe(5)
  const at = (hours: number) => new Date(clock.now().getTime() + hours * hour).toISOString()
  const campaign = async (name: string, hours: number) => {
    const { _id } = await core.campaigns.create(scope, {
      ...{ name, subject: name, type: 'text', document: name, timeZone: 'UTC', subscriberListId: list._id },
      ...{ status: 'scheduled', scheduledTo: at(hours) },
    })
    return _id
  }
  const pass = async (hours: number) => {
    clock.advance(hours * hour)
    await core.worker.maintain()
    await core.worker.runUntilIdle()
  }
  return {
    ...{ core, project, clock, at, campaign, pass },
    status: async (id: string) => {
      const { status, errorMessage } = await core.campaigns.get(scope, id)
      return errorMessage === undefined ? status : `${status}: ${errorMessage}`
    },
    sentOf: (subject: string) => mailer.sent.filter((mail) => mail.mime.includes(`Subject: ${subject}\r\n`)).length,
  }
}

const held = 'error: Held back after a restore, as it may have been sent since the backup.'

describe('after a restore', () => {
  it('campaigns that were due until then are held back, and later ones go on', async () => {
    const { core, project, at, campaign, pass, status, sentOf } = await setUp()
    const [due, later] = [await campaign('Due', 2), await campaign('Later', 5)]
    expect(await core.restoredSends.hold(at(3))).toEqual({ campaigns: 1, sends: 0 })
    expect(await project.credits()).toBe(10_000 - 5)
    await pass(6)
    expect([await status(due), await status(later)]).toEqual([held, 'sent'])
    expect([sentOf('Due'), sentOf('Later')]).toEqual([0, 5])
  })

  it('a release starts what is overdue at once, and the rest at its time', async () => {
    const { core, project, at, campaign, pass, status, sentOf } = await setUp()
    const [due, later] = [await campaign('Due', 2), await campaign('Later', 9)]
    await core.restoredSends.hold(at(10))
    await pass(7)
    expect(await core.restoredSends.release()).toEqual({ campaigns: 2, sends: 0, refused: [] })
    expect(await core.restoredSends.release()).toEqual({ campaigns: 0, sends: 0, refused: [] })
    await pass(0)
    expect([await status(due), await status(later)]).toEqual(['sent', 'scheduled'])
    await pass(3)
    expect([sentOf('Due'), sentOf('Later')]).toEqual([5, 5])
    expect(await project.credits()).toBe(10_000 - 10)
  })

  it('a campaign under way is stopped whatever the time, and sent to the others by a release', async () => {
    const { core, project, at, campaign, pass, status, sentOf } = await setUp()
    const id = await campaign('News', -1)
    expect(await status(id)).toBe('being-sent')
    expect(await core.restoredSends.hold(at(-5))).toEqual({ campaigns: 1, sends: 0 })
    await pass(1)
    expect(await status(id)).toBe(held)
    expect(await project.credits()).toBe(10_000)
    expect(await core.campaigns.progress(project.scope, id)).toMatchObject({ canContinue: true })
    await core.restoredSends.release()
    await pass(1)
    expect([await status(id), sentOf('News')]).toEqual(['sent', 5])
  })

  it('a triggered send to several is held back and released', async () => {
    const { core, project, at, pass, sentOf } = await setUp()
    const { scope, list } = project
    const news = { name: 'Tip', subject: 'Tip', type: 'text', document: 'Tip', subscriberListId: list._id } as const
    const { _id: triggeredId } = await core.triggeredEmails.create(scope, news)
    const emails = [1, 2, 3, 4, 5].map((n) => `reader${n}@example.com`)
    await core.sends.triggered(scope, { triggeredId, emails })
    expect(await core.restoredSends.hold(at(1))).toEqual({ campaigns: 0, sends: 1 })
    await pass(1)
    expect(sentOf('Tip')).toBe(0)
    expect(await core.restoredSends.release()).toEqual({ campaigns: 0, sends: 1, refused: [] })
    await pass(1)
    expect(sentOf('Tip')).toBe(5)
    expect(await project.credits()).toBe(10_000 - 5)
  })

  it('a release names what it could not continue, which stays held back', async () => {
    const { core, project, at, campaign, status } = await setUp()
    const id = await campaign('News', 2)
    await core.restoredSends.hold(at(3))
    for (const { _id } of (await core.senderIdentities.list(project.scope, {} as never)).items)
      await core.senderIdentities.remove(project.scope, _id)
    const { refused } = await core.restoredSends.release()
    expect(refused).toMatchObject([{ campaignId: id }])
    expect(await status(id)).toBe(held)
  })
})
