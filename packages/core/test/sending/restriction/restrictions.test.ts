import { createCore, standardCoreSettings } from '@posthorn/core'
import { type FigureMetric, figureSubject } from '@posthorn/core/ports/storage'
import { inMemoryPorts, type MailerScript, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from '../../tracking/sent-campaign.js'

const day = 24 * 60 * 60_000

const start = async () => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  const { _id } = project.project
  return {
    ...world,
    core,
    project,
    projectId: _id,
    check: () => core.restriction.check(_id),
    /** So many, now. */
    counted: (counts: Partial<Record<FigureMetric, number>>) =>
      world.ports.figures.add(
        Object.entries(counts).map(([metric, n]) => ({
          subject: figureSubject.project(_id),
          metric: metric as FigureMetric,
          slot: world.clock.now().toISOString().slice(0, 13).concat(':00'),
          n,
        })),
      ),
    standing: async () => {
      const { restricted, restrictedReason } = await core.projects.get(project.scope)
      return restricted ? restrictedReason : restricted
    },
  }
}

const byoCloudSes = {
  status: 'byoCloudSes',
  cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
}

describe('a project with bounces', () => {
  it('is restricted, with the rate and window as reason', async () => {
    const { check, counted, standing, lines } = await start()
    await counted({ sent: 1000, bounces: 25 })
    await check()
    expect(await standing()).toBe(false)
    await counted({ bounces: 1 })
    await check()
    expect(await standing()).toBe('bounce rate of 2.6 % over the last 7 days (26 of 1000 mails), above 2.5 %')
    expect(lines.filter(({ message }) => message === 'A project was restricted')).toHaveLength(1)
  })

  it('is judged by the last 90 days only', async () => {
    const { check, counted, standing, clock } = await start()
    await counted({ sent: 1000, bounces: 200 })
    clock.advance(91 * day)
    await counted({ sent: 500, complaints: 2 })
    await check()
    expect(await standing()).toBe(false)
    clock.advance(31 * day)
    await counted({ complaints: 1 })
    await check()
    expect(await standing()).toContain('complaint rate of 0.6 % over the last 90 days')
  })

  it('keeps the operator’s reason', async () => {
    const { core, check, counted, standing, projectId } = await start()
    await core.restriction.restrict(projectId, { reason: 'spam' })
    await counted({ sent: 1000, bounces: 100 })
    await check()
    expect(await standing()).toBe('spam')
  })

  it('is not restricted with an own account', async () => {
    const { core, check, counted, standing, project } = await start()
    await core.projects.update(project.scope, byoCloudSes)
    await counted({ sent: 1000, bounces: 100 })
    await check()
    expect(await standing()).toBe(false)
  })

  it('is restricted by reported bounces', async () => {
    const restriction = { ...standardCoreSettings.restriction, minimumSent: 4, bounces: 2 }
    const { settings } = inMemoryPorts().ports
    const { core, project, mails } = await aSentCampaign(4, { settings: { ...settings, restriction } })
    const report = (n: number) => core.deliveryEvents.record({ deliveryId: mails[n]?._id ?? '', type: 'bounce' })
    await report(0)
    expect(await core.projects.get(project.scope)).toMatchObject({ restricted: false })
    await report(1)
    expect(await core.projects.get(project.scope)).toMatchObject({
      restricted: true,
      restrictedReason: 'bounce rate of 50 % over the last 7 days (2 of 4 mails), above 2.5 %',
    })
  })
})

/** A project that is restricted when both of two mails bounce, and each bounces while it is being sent. */
const aBouncingSender = async () => {
  const { ports, mailer, jobs, clock } = inMemoryPorts()
  const restriction = { ...standardCoreSettings.restriction, minimumSent: 2, bounces: 2 }
  const core = createCore({ ...ports, settings: { ...ports.settings, restriction } })
  const { scope } = await sampleProject(core)
  const code = { name: 'Code', subject: 'Code', type: 'text', document: '1' } as const
  const { _id: transactionalId } = await core.transactionalEmails.create(scope, code)
  const bounces: MailerScript = async ({ deliveryId }) => {
    await core.deliveryEvents.record({ deliveryId, type: 'bounce' })
    return undefined
  }
  mailer.answer(bounces)
  return {
    core,
    mailer,
    bounces,
    send: (who: string) => core.sends.transactional(scope, { email: `${who}@example.com`, transactionalId }),
    standing: async () => (await core.projects.get(scope)).restrictedReason,
    /** Until what was told before its mail was counted is judged again. */
    moment: async () => {
      clock.advance(3_000)
      await jobs.runDue()
    },
  }
}
const bothBounced = 'bounce rate of 100 % over the last 7 days (2 of 2 mails), above 2.5 %'

describe('a project whose bounces arrive before its mails are counted as sent', () => {
  it('is restricted once they are counted', async () => {
    const { core, send, standing, moment } = await aBouncingSender()
    for (const who of ['ada', 'bob']) await send(who)
    await core.worker.runUntilIdle()
    expect(await standing()).toBeUndefined()
    await moment()
    expect(await standing()).toBe(bothBounced)
  })

  it('is restricted once the last is counted, however long it was in flight', async () => {
    const { core, mailer, bounces, send, standing, moment } = await aBouncingSender()
    await send('ada')
    await core.worker.runUntilIdle()
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const bounced = new Promise<void>((resolve) => {
      mailer.answer(async (mail) => {
        await bounces(mail)
        resolve()
        await answered
        return undefined
      })
    })
    await send('bob')
    const sent = core.worker.runUntilIdle()
    await bounced
    for (let n = 0; n < 3; n += 1) await moment()
    expect(await standing()).toBeUndefined()
    answer()
    await sent
    await moment()
    expect(await standing()).toBe(bothBounced)
  })
})

describe('the operator', () => {
  it('lifts a restriction, and earlier events no longer count', async () => {
    const { core, check, counted, standing, projectId, clock } = await start()
    await counted({ sent: 1000, bounces: 100 })
    await check()
    expect(await core.restriction.unrestrict(projectId)).not.toHaveProperty('restrictedReason')
    await counted({ bounces: 1 })
    await check()
    expect(await standing()).toBe(false)
    clock.advance(day)
    await counted({ sent: 300, bounces: 10 })
    await check()
    expect(await standing()).toBe('bounce rate of 3.33 % over the last 7 days (10 of 300 mails), above 2.5 %')
  })

  it('is refused meaningless input', async () => {
    const { core, project, projectId } = await start()
    const { restrict, unrestrict } = core.restriction
    for (const input of [{}, { reason: ' ' }, { reason: 'spam', for: 'ever' }])
      await expect(restrict(projectId, input as never)).rejects.toMatchObject({ kind: 'invalid' })
    await expect(restrict('nobody', { reason: 'spam' })).rejects.toThrow('Project not found')
    await expect(unrestrict('nobody')).rejects.toThrow('Project not found')
    await expect(unrestrict(projectId)).rejects.toThrow('The project is not restricted.')
    await core.projects.update(project.scope, byoCloudSes)
    await expect(restrict(projectId, { reason: 'spam' })).rejects.toMatchObject({ kind: 'blocked' })
  })

  it('is not overruled by a check that began before the lift', async () => {
    const { core, counted, standing, projectId, ports } = await start()
    await counted({ sent: 1000, bounces: 100 })
    const totals = ports.figures.totals.bind(ports.figures)
    ports.figures.totals = async (...asked) => {
      ports.figures.totals = totals
      await core.restriction.restrict(projectId, { reason: 'spam' })
      await core.restriction.unrestrict(projectId)
      return totals(...asked)
    }
    await core.restriction.check(projectId)
    expect(await standing()).toBe(false)
  })
})

describe('accepted mails of a restricted project', () => {
  const campaign = {
    name: 'January',
    subject: 'Hello',
    type: 'text',
    document: 'Hello',
    timeZone: 'UTC',
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  } as const

  it('are stopped with the reason, and their credit is returned', async () => {
    const { core, project, projectId, mailer } = await start()
    await project.subscribe(3)
    const credits = await project.credits()
    const { _id } = await core.campaigns.create(project.scope, { ...campaign, subscriberListId: project.list._id })
    await core.restriction.restrict(projectId, { reason: 'spam' })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: 'Sending is restricted: spam',
    })
    expect(await project.credits()).toBe(credits)
  })

  it('fail if they are single mails, with the reason', async () => {
    const { core, project, projectId, mailer, ports } = await start()
    const credits = await project.credits()
    const email = { name: 'T', subject: 'Hello', type: 'text', document: 'Hello' } as const
    const { _id: transactionalId } = await core.transactionalEmails.create(project.scope, email)
    await core.sends.transactional(project.scope, { email: 'ada@example.com', transactionalId })
    await core.restriction.restrict(projectId, { reason: 'spam' })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    expect(await project.credits()).toBe(credits)
    const everything = { where: { emailId: transactionalId, projectId }, skip: 0, limit: 10 }
    expect((await ports.deliveries.list({ ...everything, by: 'email', order: 'asc' })).items).toMatchObject([
      { status: 'failed', error: { message: 'Sending is restricted: spam' } },
    ])
  })

  it('are stopped even if some were sent', async () => {
    const { core, project, projectId, mailer, clock } = await start()
    await core.accessReviews.revoke(projectId)
    await project.subscribe(3)
    const { _id } = await core.campaigns.create(project.scope, { ...campaign, subscriberListId: project.list._id })
    const send = mailer.send.bind(mailer)
    mailer.send = async (mail) => {
      await core.restriction.restrict(projectId, { reason: 'spam' })
      return send(mail)
    }
    await core.worker.runUntilIdle()
    clock.advance(60_000)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
    expect((await core.campaigns.get(project.scope, _id)).status).toBe('error')
  })
})
