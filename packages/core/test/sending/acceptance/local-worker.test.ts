import { createCore } from '@posthorn/core'
import { renderingAndSending } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { monthKey } from '../../../src/sending/acceptance/quota.js'

const now = '2020-01-01T00:00:00Z'
const later = '2026-02-01T12:00:00Z'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A project with a worker beside it, whose trials of templates wait until they are let through, and what was begun by then. */
const start = async ({ working = true } = {}) => {
  const world = inMemoryPorts()
  const begun: string[] = []
  let letThrough = () => {}
  const trialIsOver = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  const { audience } = world.ports
  const core = createCore({
    ...world.ports,
    renderAndSend: { ...renderingAndSending(world.ports), expectMails: () => begun.push('mails') },
    templateTrial: async () => {
      begun.push('trial')
      await trialIsOver
    },
    plainText: async (html) => {
      begun.push('plain text')
      return html
    },
    audience: {
      ...audience,
      count: (question) => {
        begun.push('count')
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
  return { ...world, core, project, campaign, begun, letThrough }
}

/** A few turns of the event loop, in which whatever does not wait for the trial has begun. */
const soon = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0))
}

describe('a campaign that is due', () => {
  it('has its recipients counted and its mails expected while its templates are tried', async () => {
    const { campaign, begun, letThrough } = await start()
    const made = campaign(now)
    await soon()
    expect([...begun].sort()).toEqual(['count', 'mails', 'trial'])
    letThrough()
    await made
  })

  it('has its plain text made before it is accepted, once', async () => {
    const { campaign, begun, letThrough, mailer } = await start()
    letThrough()
    await campaign(now)
    expect(begun).toContain('plain text')
    await expect.poll(() => mailer.sent.length).toBe(3)
    expect(begun.filter((one) => one === 'plain text')).toEqual(['plain text'])
  })

  it('begins nothing where another process sends', async () => {
    const { campaign, begun, letThrough } = await start({ working: false })
    letThrough()
    await campaign(now)
    expect([...new Set(begun)].sort()).toEqual(['count', 'trial'])
  })

  it('expects no mails of a project that may not send', async () => {
    const { core, project, campaign, begun, letThrough } = await start()
    letThrough()
    await core.restriction.restrict(project.scope.projectId, { reason: 'bounces' })
    await expect(campaign(now)).rejects.toThrow('bounces')
    expect(begun).not.toContain('mails')
  })
})

describe('a draft that is to be sent', () => {
  it('takes its quota for the list that it has when it starts, whatever list was counted', async () => {
    const { core, project, campaign, letThrough, ports, clock } = await start({ working: false })
    const empty = await core.subscriberLists.create(project.scope, { name: 'Empty' })
    letThrough()
    const { _id } = await campaign(later, empty._id)
    await core.campaigns.update(project.scope, _id, { status: 'draft' })
    const scheduled = core.campaigns.update(project.scope, _id, { status: 'scheduled', scheduledTo: now })
    await core.campaigns.update(project.scope, _id, { subscriberListId: project.list._id })
    expect((await scheduled).status).toBe('being-sent')
    expect(await ports.counters.used(monthKey(project.scope.projectId, clock.now()))).toBe(3)
  })
})

describe('a campaign for later', () => {
  it('begins nothing when it is planned', async () => {
    const { campaign, begun, letThrough } = await start()
    letThrough()
    await campaign(later)
    expect([...begun].sort()).toEqual(['count', 'trial'])
  })

  it('has its mails expected while its recipients are counted, at its time', async () => {
    const { campaign, begun, letThrough, clock, core, mailer } = await start()
    letThrough()
    await campaign(later)
    begun.splice(0)
    clock.advance(Date.parse(later) - clock.now().getTime())
    await core.worker.maintain()
    expect(begun.slice(0, 2).sort()).toEqual(['count', 'mails'])
    await expect.poll(() => mailer.sent.length).toBe(3)
  })
})
