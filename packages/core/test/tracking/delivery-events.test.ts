import { createCore } from '@posthorn/core'
import { inMemoryPorts, outcomeLosingMailerScript, recordingMailer, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from './sent-campaign.js'

describe('a permanent bounce', () => {
  it('suppresses the address, removes the contact from lists, and counts once', async () => {
    const { core, project, mails, totals, suppressed, recipients } = await aSentCampaign(3)
    const deliveryId = mails[0]?._id ?? ''
    for (let told = 0; told < 3; told += 1) await core.deliveryEvents.record({ deliveryId, type: 'bounce' })
    expect(await suppressed()).toMatchObject([{ email: 'reader1@example.com', reason: 'bounce' }])
    expect(await totals()).toMatchObject({ sent: 3, bounce: 1, complaint: 0 })
    expect((await recipients({ filter: { bounced: 'true' } })).items.map(({ email }) => email)).toEqual([
      'reader1@example.com',
    ])
    expect(await core.subscriberLists.stats(project.scope, project.list._id)).toMatchObject({ active: 2, bounce: 1 })
    await expect(
      core.subscribers.subscribe(project.scope, project.list._id, { email: 'reader1@example.com' }),
    ).rejects.toMatchObject({ kind: 'blocked' })
  })

  it.each([
    ['off', 3, true],
    ['removeFromLists', 2, true],
    ['deleteContact', 2, false],
  ] as const)('changes the contact as the project configured: %s', async (wish, active, kept) => {
    const { core, project, mails, contact } = await aSentCampaign(3)
    await core.projects.update(project.scope, { autoRemoveFromList: { bounce: wish, complaint: 'off' } })
    await core.deliveryEvents.record({ deliveryId: mails[0]?._id ?? '', type: 'bounce' })
    expect((await core.subscriberLists.stats(project.scope, project.list._id)).active).toBe(active)
    const found = await contact('reader1@example.com').then(
      () => true,
      () => false,
    )
    expect(found).toBe(kept)
  })

  it('changes nothing if it is transient', async () => {
    const { core, mails, totals, suppressed } = await aSentCampaign(1)
    await core.deliveryEvents.record({ deliveryId: mails[0]?._id ?? '', type: 'bounce', transient: true })
    expect(await suppressed()).toEqual([])
    expect(await totals()).toMatchObject({ bounce: 0 })
  })

  it('of a test suppresses the address, without statistics', async () => {
    const { core, project, campaignId, ports, totals, suppressed } = await aSentCampaign(1)
    await core.sends.test(project.scope, campaignId, { type: 'campaign', email: 'me@example.com' })
    await core.worker.runUntilIdle()
    const [dispatch] = (
      await ports.repositories.dispatches.list({
        where: { kind: 'test' },
        sort: { by: '_id', order: 'asc' },
        skip: 0,
        limit: 1,
      })
    ).items
    await core.deliveryEvents.record({ deliveryId: `${dispatch?._id}:me@example.com`, type: 'bounce' })
    expect(await suppressed()).toMatchObject([{ email: 'me@example.com' }])
    expect(await totals()).toMatchObject({ sent: 1, bounce: 0 })
  })
})

describe('a complaint', () => {
  it('suppresses the address with its own reason, also after a bounce', async () => {
    const { core, mails, suppressed, totals } = await aSentCampaign(2)
    const [first, second] = mails.map(({ _id }) => _id)
    await core.deliveryEvents.record({ deliveryId: first ?? '', type: 'complaint' })
    await core.deliveryEvents.record({ deliveryId: second ?? '', type: 'bounce' })
    await core.deliveryEvents.record({ deliveryId: second ?? '', type: 'complaint' })
    expect((await suppressed()).map(({ email, reason }) => `${email}: ${reason}`).sort()).toEqual([
      'reader1@example.com: complaint',
      'reader2@example.com: bounce',
    ])
    expect(await totals()).toMatchObject({ bounce: 1, complaint: 2 })
  })
})

describe('opens and clicks', () => {
  it('count each time, and once per mail as unique; the contact stores the last', async () => {
    const { core, clock, mails, totals, contact, recipients } = await aSentCampaign(2)
    const deliveryId = mails[1]?._id ?? ''
    await core.deliveryEvents.record({ deliveryId, type: 'open', seen: { userAgent: 'Mail' } })
    clock.advance(60_000)
    await core.deliveryEvents.record({ deliveryId, type: 'open' })
    await core.deliveryEvents.record({ deliveryId, type: 'click', seen: { link: 'https://example.com/' } })
    expect(await totals()).toMatchObject({ opens: 2, uniqueOpens: 1, clicks: 1, uniqueClicks: 1 })
    const now = clock.now().toISOString()
    expect(await contact('reader2@example.com')).toMatchObject({ lastOpenDate: now, lastClickDate: now })
    expect((await recipients({ filter: { opened: 'true', opens: '2' } })).count).toBe(1)
    expect((await recipients({ filter: { clicked: 'false' } })).count).toBe(1)
  })
})

describe('the provider’s Send event', () => {
  const anUncertainMail = async (changes: Parameters<typeof aSentCampaign>[1] = {}) => {
    const mailer = recordingMailer({ reportsSends: true })
    mailer.answer(outcomeLosingMailerScript())
    const world = await aSentCampaign(1, { mailer, ...changes })
    mailer.answer(() => undefined)
    const deliveryId = world.mails[0]?._id ?? ''
    const status = async () => (await world.ports.deliveries.get(deliveryId))?.status
    return { ...world, mailer, deliveryId, status }
  }

  it('settles an unknown outcome, so that nobody gets the mail twice', async () => {
    const { core, clock, mailer, deliveryId, status, totals } = await anUncertainMail()
    expect(await status()).toBe('uncertain')
    for (let told = 0; told < 2; told += 1) await core.deliveryEvents.sent({ deliveryId, providerMessageId: 'ses-1' })
    expect(await status()).toBe('sent')
    clock.advance(10 * 60_000)
    await core.worker.runUntilIdle()
    expect(mailer.handed).toHaveLength(1)
    expect(await totals()).toMatchObject({ sent: 1 })
  })

  it('must be repeated while the mail is still being sent', async () => {
    const { core, clock, ports, deliveryId, status } = await anUncertainMail()
    clock.advance(10 * 60_000)
    const now = clock.now().toISOString()
    await ports.deliveries.reclaim(now, now)
    const delivery = await ports.deliveries.get(deliveryId)
    const queue = { lane: delivery?.lane ?? 'bulk', projectId: delivery?.projectId ?? '' }
    await ports.deliveries.claim({ queue, worker: 'another', now, leaseUntil: now, limit: 1 })
    expect(await status()).toBe('sending')
    await expect(core.deliveryEvents.sent({ deliveryId, providerMessageId: 'ses-1' })).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })

  it.each(['bounce', 'complaint'] as const)('restricts a project whose %s was reported earlier', async (type) => {
    const { settings } = inMemoryPorts().ports
    const restriction = { ...settings.restriction, minimumSent: 1, bounces: 1, complaints: 1 }
    const { core, project, deliveryId } = await anUncertainMail({ settings: { ...settings, restriction } })
    const isRestricted = async () => (await core.projects.get(project.scope)).restricted
    await core.deliveryEvents.record({ deliveryId, type })
    expect(await isRestricted()).toBe(false)
    await core.deliveryEvents.sent({ deliveryId, providerMessageId: 'ses-1' })
    expect(await isRestricted()).toBe(true)
  })

  it('changes nothing for a sent mail, and is refused for an unknown one', async () => {
    const { core, mails, totals } = await aSentCampaign(1)
    await core.deliveryEvents.sent({ deliveryId: mails[0]?._id ?? '', providerMessageId: 'ses-1' })
    expect(await totals()).toMatchObject({ sent: 1 })
    await expect(core.deliveryEvents.sent({ deliveryId: 'no', providerMessageId: 'x' })).rejects.toMatchObject({
      kind: 'not-found',
    })
  })
})

it('a report of an unknown mail is refused', async () => {
  const { core } = await aSentCampaign(1)
  await expect(core.deliveryEvents.record({ deliveryId: 'nothing', type: 'open' })).rejects.toMatchObject({
    kind: 'not-found',
  })
})

describe('a provider’s unclassified open or click', () => {
  const browser =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  const secondsAfter = (sentAt: string | undefined, seconds: number) =>
    new Date(Date.parse(sentAt ?? '') + seconds * 1000).toISOString()

  it.each([
    ['open', browser, 60, 'opens'],
    ['click', browser, 60, 'clicks'],
    ['open', undefined, 0, 'opens'],
    ['open', 'Mozilla/5.0', 60, 'machineOpens'],
    ['open', browser, 1, 'machineOpens'],
    ['click', browser, 3, 'machineClicks'],
    ['click', 'python-requests/2.32', 60, 'machineClicks'],
    ['click', 'GoogleImageProxy', 60, 'machineClicks'],
    ['open', 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)', 60, 'opens'],
  ] as const)('%s by “%s” %i seconds after delivery counts in %s', async (type, userAgent, seconds, metric) => {
    const { core, mails, totals, contact, clock } = await aSentCampaign(1)
    clock.advance(600_000)
    const { _id: deliveryId, sentAt } = mails[0] as (typeof mails)[number]
    await core.deliveryEvents.record({
      deliveryId,
      type,
      unjudged: true,
      at: secondsAfter(sentAt, seconds),
      name: 'once',
      seen: { ...(userAgent !== undefined && { userAgent }) },
    })
    const none = { opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0 }
    expect(await totals()).toMatchObject({ ...none, [metric]: 1 })
    const { lastOpenDate, lastClickDate } = await contact('reader1@example.com')
    expect(lastOpenDate !== undefined || lastClickDate !== undefined).toBe(!metric.startsWith('machine'))
  })

  it.each([
    [1_000, { machineOpens: 1, opens: 0 }],
    [3_000, { machineOpens: 0, opens: 1 }],
  ])(
    'uses the time since transmission while the outcome is not stored: after %i ms',
    async (milliseconds, expected) => {
      const mailer = recordingMailer()
      const world = inMemoryPorts({ mailer })
      const core = createCore(world.ports)
      const { scope } = await sampleProject(core)
      mailer.answer(async ({ deliveryId }) => {
        world.clock.advance(milliseconds)
        await core.deliveryEvents.record({
          deliveryId,
          type: 'open',
          unjudged: true,
          name: 'once',
          seen: { userAgent: browser },
        })
        return undefined
      })
      const code = { name: 'Code', subject: 'Code', type: 'text', document: '1' } as const
      const { _id } = await core.transactionalEmails.create(scope, code)
      await core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: _id })
      await core.worker.runUntilIdle()
      expect(await core.statistics.ofEmail(scope, 'transactionalEmails', _id, { timeZone: 'UTC' })).toMatchObject(
        expected,
      )
    },
  )
})
