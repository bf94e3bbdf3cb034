import { createCore } from '@posthorn/core'
import { renderingAndSending } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { monthCounterKey } from '../../../src/sending/acceptance/quota.js'

const now = '2020-01-01T00:00:00Z'
const later = '2026-02-01T12:00:00Z'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A project, with a worker unless `working` is false. `begun` lists what was started; counting waits for `letCount`. */
const start = async ({ working = true } = {}) => {
  const world = inMemoryPorts()
  const begun: string[] = []
  let letCount = () => {}
  const mayCount = new Promise<void>((resolve) => {
    letCount = resolve
  })
  const { audience } = world.ports
  const core = createCore({
    ...world.ports,
    renderAndSend: { ...renderingAndSending(world.ports), expectMails: () => begun.push('thread') },
    plainText: async (html) => {
      begun.push('plain text')
      return html
    },
    audience: {
      ...audience,
      count: async (question) => {
        begun.push('count')
        await mayCount
        return audience.count(question)
      },
    },
  })
  const project = await sampleProject(core, { credits: 10 })
  await project.subscribe(3)
  if (working) {
    await core.worker.start()
    ends.push(core.worker.stop)
  }
  const campaign = (scheduledTo: string, subscriberListId = project.list._id) =>
    core.campaigns.create(project.scope, {
      name: 'News',
      subject: 'News for {{contact.name}}',
      type: 'html',
      document: '<p>Dear {{contact.name}}</p>',
      timeZone: 'UTC',
      subscriberListId,
      status: 'scheduled',
      scheduledTo,
    })
  return { ...world, core, project, campaign, begun, letCount }
}

/** Several turns of the event loop. */
const soon = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0))
}

describe('a due campaign', () => {
  it('starts the sending thread and compiles its plain text while recipients are counted', async () => {
    const { campaign, begun, letCount, mailer } = await start()
    const made = campaign(now)
    await soon()
    expect([...begun].sort()).toEqual(['count', 'plain text', 'thread'])
    letCount()
    await made
    await expect.poll(() => mailer.sent.length).toBe(3)
    expect(begun.filter((one) => one === 'plain text')).toEqual(['plain text'])
  })

  it('warms up nothing in a process without a worker', async () => {
    const { campaign, begun, letCount } = await start({ working: false })
    letCount()
    await campaign(now)
    expect([...new Set(begun)]).toEqual(['count'])
  })

  it('warms up nothing for a restricted project', async () => {
    const { core, project, campaign, begun, letCount } = await start()
    letCount()
    await core.restriction.restrict(project.scope.projectId, { reason: 'bounces' })
    await expect(campaign(now)).rejects.toThrow('bounces')
    expect(begun).not.toContain('thread')
  })
})

describe('a draft that is scheduled', () => {
  it('takes quota for the list that it has when it starts', async () => {
    const { core, project, campaign, letCount, ports, clock } = await start({ working: false })
    const empty = await core.subscriberLists.create(project.scope, { name: 'Empty' })
    letCount()
    const { _id } = await campaign(later, empty._id)
    await core.campaigns.update(project.scope, _id, { status: 'draft' })
    const scheduled = core.campaigns.update(project.scope, _id, { status: 'scheduled', scheduledTo: now })
    await core.campaigns.update(project.scope, _id, { subscriberListId: project.list._id })
    expect((await scheduled).status).toBe('being-sent')
    expect(await ports.counters.used(monthCounterKey(project.scope.projectId, clock.now()))).toBe(3)
  })
})

describe('a campaign scheduled for later', () => {
  it('starts the sending thread at its time, not when scheduled', async () => {
    const { campaign, begun, letCount, clock, core, mailer } = await start()
    letCount()
    await campaign(later)
    expect(begun).toEqual(['count'])
    begun.splice(0)
    clock.advance(Date.parse(later) - clock.now().getTime())
    await core.worker.maintain()
    expect([...new Set(begun)].sort()).toEqual(['count', 'plain text', 'thread'])
    await expect.poll(() => mailer.sent.length).toBe(3)
  })
})
