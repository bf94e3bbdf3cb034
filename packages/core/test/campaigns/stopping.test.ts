import { createCore } from '@posthorn/core'
import { inMemoryPorts, refusingMailerScript, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** A page is added at once, and sent in several seconds. */
const slowly = { mailRatePerSecond: 6 }

const setUp = async (readers: number, settings: { readonly mailRatePerSecond?: number } = {}) => {
  const { ports: standard, mailer, clock } = inMemoryPorts()
  const ports = { ...standard, settings: { ...standard.settings, ...settings } }
  const core = createCore(ports)
  const project = await sampleProject(core)
  const { scope, list } = project
  await project.subscribe(readers)
  const { _id: id } = await core.campaigns.create(scope, {
    ...{ name: 'News', subject: 'News', type: 'text', document: 'News', timeZone: 'UTC' },
    subscriberListId: list._id,
  })
  const idle = () => core.worker.runUntilIdle()
  const isSent = async () => (await core.campaigns.get(scope, id)).status === 'sent'
  return {
    ...{ core, ports, project, scope, list, id, mailer, clock, idle },
    send: () => core.campaigns.update(scope, id, { status: 'scheduled', scheduledTo: clock.now().toISOString() }),
    stop: () => core.campaigns.stop(scope, id),
    resume: () => core.campaigns.resume(scope, id),
    isSent,
    untilSent: async () => {
      for (let second = 0; second < 200 && !(await isSent()); second += 1) {
        clock.advance(1_000)
        await idle()
      }
      expect(await isSent()).toBe(true)
    },
    progress: () => core.campaigns.progress(scope, id),
    report: () => core.campaignReports.get(scope, id),
    /** Stops when as many mails have been transmitted. */
    stopAt: (...mails: readonly number[]) => {
      let transmitted = 0
      mailer.answer(async () => {
        transmitted += 1
        if (mails.includes(transmitted)) await core.campaigns.stop(scope, id).catch(() => undefined)
        return undefined
      })
    },
  }
}

describe('a campaign that a person stops', () => {
  it('finishes mails in transfer, books the others under one reason, and returns their credit', async () => {
    const { project, mailer, send, stopAt, idle, progress, report, core, scope, id } = await setUp(60, slowly)
    stopAt(3)
    await send()
    await idle()
    const sent = mailer.sent.length
    expect(sent).toBeGreaterThanOrEqual(3)
    expect(sent).toBeLessThan(60)
    expect(await core.campaigns.get(scope, id)).toMatchObject({
      status: 'error',
      errorMessage: 'Stopped by a request.',
    })
    expect(await progress()).toMatchObject({ canContinue: true, deliveries: { sent, sending: 0, queued: 0 } })
    const { failures, failed, recipients, excluded, waiting } = await report()
    expect(failures).toEqual([{ name: 'CampaignStopped', message: 'Stopped by a request.', count: 60 - sent }])
    expect(failed).toBe(60 - sent)
    expect(recipients).toBe(sent + failed + excluded + waiting)
    expect(await project.credits()).toBe(10_000 - sent)
  })

  it('does not count the others as failed, nor post events of them', async () => {
    const { core, project, scope, id, send, stopAt, idle, mailer } = await setUp(30, slowly)
    await core.webhooks.set(scope, { url: 'https://a.example.com', secretKey: project.key, sent: true, failed: true })
    stopAt(1)
    await send()
    await idle()
    const totals = await core.statistics.ofEmail(scope, 'campaigns', id, { timeZone: 'UTC' })
    expect(totals).toMatchObject({ sent: mailer.sent.length, failed: 0 })
  })

  it('continues with the others only: who was refused is not tried again', async () => {
    const { core, scope, id, mailer, send, stop, resume, idle, untilSent } = await setUp(30, slowly)
    mailer.answer(async ({ to }) => {
      if (to === 'reader1@example.com') return { kind: 'refused', error: { name: '550', message: 'No such user' } }
      if (mailer.handed.length > 2) await stop().catch(() => undefined)
      return undefined
    })
    await send()
    await idle()
    expect(await core.campaigns.get(scope, id)).toMatchObject({ status: 'error' })
    mailer.answer(() => undefined)
    const triedFirst = mailer.handed.filter(({ to }) => to === 'reader1@example.com').length
    await resume()
    await untilSent()
    expect(mailer.handed.filter(({ to }) => to === 'reader1@example.com')).toHaveLength(1)
    expect(mailer.sent).toHaveLength(30 - triedFirst)
    await expect(stop()).rejects.toThrow('Only a campaign that is being sent can be stopped.')
    await expect(resume()).rejects.toThrow('Only a campaign that was stopped can be continued.')
  })

  it.each([
    ['others who are queued', 60, slowly],
    ['others who are not added yet', 700, {}],
  ])('stays stopped without credit for %s', async (_, readers, settings) => {
    const { core, ports, project, scope, id, send, stopAt, resume, idle, mailer, progress, untilSent } = await setUp(
      readers,
      settings,
    )
    stopAt(2)
    await send()
    await idle()
    const sent = mailer.sent.length
    const grant = (creditGranted: number) =>
      ports.repositories.accounts.change({ _id: project.account._id }, (one) => ({ ...one, creditGranted }))
    await grant(sent)
    await expect(resume()).rejects.toThrow('Insufficient credits available')
    expect(await core.campaigns.get(scope, id)).toMatchObject({
      status: 'error',
      errorMessage: 'Stopped by a request.',
    })
    expect((await progress()).canContinue).toBe(true)
    await grant(readers)
    await resume()
    await untilSent()
    expect(mailer.sent).toHaveLength(readers)
  })

  it('refuses a retry of single reasons until it is continued', async () => {
    const { core, scope, id, send, stop } = await setUp(3)
    await send()
    await stop()
    const reasons = [{ name: '550', message: 'No such user' }]
    await expect(core.campaigns.retryFailed(scope, id, { reasons })).rejects.toThrow('Continue it first')
  })

  it('that had nobody left ends as sent when it is continued', async () => {
    const { core, scope, id, send, idle, stop, resume, mailer } = await setUp(1)
    let stopped: Promise<unknown> = Promise.resolve()
    mailer.answer(async () => {
      stopped = stop()
      await stopped
      return undefined
    })
    await send()
    await idle()
    await stopped
    expect(mailer.sent).toHaveLength(1)
    await resume()
    await idle()
    expect(await core.campaigns.get(scope, id)).toMatchObject({ status: 'sent' })
    expect(mailer.sent).toHaveLength(1)
  })

  it('reaches everybody once, whenever it is stopped and continued, by whichever worker', async () => {
    const points = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), points, fc.boolean(), async (readers, stops, isEarly) => {
        const { core, ports, project, scope, id, clock, send, stop, resume, idle, stopAt, mailer, isSent } =
          await setUp(readers, slowly)
        const other = createCore({ ...ports, settings: { ...ports.settings, workerName: 'worker-2' } })
        stopAt(...stops)
        await send()
        if (isEarly) await stop()
        for (let second = 0; second < 100 && !(await isSent()); second += 1) {
          clock.advance(1_000)
          await Promise.all([idle(), other.worker.runUntilIdle()])
          await core.worker.maintain()
          if ((await core.campaigns.get(scope, id)).status === 'error') await resume()
        }
        expect(await isSent()).toBe(true)
        const reached = mailer.sent.map(({ to }) => to)
        expect(new Set(reached).size).toBe(readers)
        expect(reached).toHaveLength(readers)
        expect(await project.credits()).toBe(10_000 - readers)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a retry by reason', () => {
  const error = { name: '552', message: '552 5.2.2 Mailbox full' }
  const full = () => ({ kind: 'refused', error }) as const
  const failing = async () => {
    const world = await setUp(6)
    const { mailer, send, idle } = world
    mailer.answerTo({
      'reader1@example.com': full,
      'reader2@example.com': full,
      'reader3@example.com': full,
      'reader4@example.com': refusingMailerScript(),
    })
    await send()
    await idle()
    mailer.answerTo({})
    return world
  }
  const reasons = [error]

  it('is previewed without those who unsubscribed or were suppressed since, and changes nothing', async () => {
    const { core, scope, list, id, report } = await failing()
    await core.subscribers.update(scope, list._id, 'reader1@example.com', { status: 'unsubscribed' })
    await core.suppressions.create(scope, { email: 'reader2@example.com' })
    const before = await report()
    expect(await core.campaigns.retryPreview(scope, id, { reasons })).toEqual({
      failed: 3,
      recipients: 1,
      excluded: { unsubscribed: 1, suppressed: 1 },
      isComplete: true,
    })
    expect(await report()).toEqual(before)
  })

  it('sends only to those who failed for it, and to nobody twice', async () => {
    const { core, scope, list, id, idle, mailer, report } = await failing()
    await core.subscribers.update(scope, list._id, 'reader1@example.com', { status: 'unsubscribed' })
    expect(await core.campaigns.retryFailed(scope, id, { reasons })).toBe(3)
    await idle()
    expect(await report()).toMatchObject({ sent: 4, failed: 1, excluded: 1, waiting: 0 })
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(mailer.sent.length)
    expect(await core.campaigns.retryFailed(scope, id, { reasons })).toBe(0)
  })

  it('sends a single mail again, and refuses one that has not failed', async () => {
    const { core, scope, id, idle, mailer, report } = await failing()
    const query = { sort: 'email', order: 'asc', skip: 0, limit: 1, filter: { status: 'failed' } } as const
    const { items } = await core.statistics.recipients(scope, 'campaigns', id, query)
    const { email = '', deliveryId = '' } = items[0] ?? {}
    expect(await core.campaigns.retryPreview(scope, id, { deliveryId })).toMatchObject({ failed: 1, recipients: 1 })
    const before = mailer.sent.length
    expect(await core.campaigns.retryFailed(scope, id, { deliveryId })).toBe(1)
    await idle()
    expect(mailer.sent.slice(before).map(({ to }) => to)).toEqual([email])
    const after = await report()
    await expect(core.campaigns.retryFailed(scope, id, { deliveryId })).rejects.toThrow('did not fail')
    expect(await report()).toEqual(after)
  })

  it('refuses what is no list of reasons, and a campaign that was not sent', async () => {
    const { core, scope, list, id } = await failing()
    await expect(core.campaigns.retryFailed(scope, id, { reasons: [] })).rejects.toMatchObject({ kind: 'invalid' })
    const draft = await core.campaigns.create(scope, {
      ...{ name: 'Other', subject: 'Other', timeZone: 'UTC', subscriberListId: list._id },
    })
    await expect(core.campaigns.retryPreview(scope, draft._id, {})).rejects.toMatchObject({ kind: 'blocked' })
  })
})
