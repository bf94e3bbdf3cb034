import { describe, expect, it } from 'vitest'
import { aSentCampaign } from '../tracking/sent-campaign.js'

describe('an email’s recipients', () => {
  it('have statuses with reasons', async () => {
    const world = await aSentCampaign(3)
    const { core, project, recipients } = world
    await core.subscribers.update(project.scope, project.list._id, 'reader1@example.com', { status: 'unsubscribed' })
    const [first] = world.mails
    expect((await recipients({ sort: 'email', order: 'asc' })).items[0]).toEqual({
      email: 'reader1@example.com',
      dispatchId: first?.dispatchId,
      deliveryId: first?._id,
      status: 'sent',
      createdAt: world.clock.now().toISOString(),
      sentAt: world.clock.now().toISOString(),
      opens: 0,
      clicks: 0,
      bounced: false,
      complained: false,
      unsubscribed: false,
      paused: false,
      subscribed: false,
      resubscribed: false,
      errors: [],
    })
  })

  it.each([
    [{ email: 'reader2@example.com' }, 1],
    [{ email: 'Reader2@EXAMPLE.com' }, 1],
    [{ status: 'sent' }, 3],
    [{ status: 'failed' }, 0],
    [{ opened: 'true' }, 1],
    [{ opened: 'false' }, 2],
    [{ opens: '0' }, 2],
    [{ clicked: 'true', opened: 'true' }, 0],
  ])('can be filtered by %j', async (filter, count) => {
    const { core, mails, recipients } = await aSentCampaign(3)
    await core.deliveryEvents.record({ deliveryId: mails[2]?._id ?? '', type: 'open' })
    expect(await recipients({ filter })).toMatchObject({ count })
  })

  it('can be filtered by their mail, their dispatch, and when they became recipients', async () => {
    const { mails, recipients } = await aSentCampaign(3)
    const { _id: deliveryId = '', dispatchId = '', createdAt = '' } = mails[1] ?? {}
    expect((await recipients({ filter: { deliveryId } })).items).toMatchObject([{ deliveryId }])
    expect(await recipients({ filter: { dispatchId, createdAt } })).toMatchObject({ count: 3 })
    expect(await recipients({ filter: { dispatchId: deliveryId } })).toMatchObject({ count: 0 })
    expect(await recipients({ filter: { createdAt: '2020-01-01T00:00:00.000Z' } })).toMatchObject({ count: 0 })
    await expect(recipients({ filter: { errors: 'x' } })).rejects.toThrow('filter[errors]: unknown field')
  })

  it('include excluded ones only if requested', async () => {
    const { core, project, campaignId, clock, recipients } = await aSentCampaign(3)
    await core.suppressions.create(project.scope, { email: 'reader1@example.com', reason: 'other' })
    clock.advance(60_000)
    const scheduledTo = clock.now().toISOString()
    await core.campaigns.update(project.scope, campaignId, { status: 'draft' })
    await core.campaigns.update(project.scope, campaignId, { status: 'scheduled', scheduledTo })
    await core.worker.runUntilIdle()
    const emails = (await recipients()).items.map(({ email, status }) => `${email} ${status}`)
    expect(emails.filter((one) => one.startsWith('reader1@'))).toEqual(['reader1@example.com sent'])
    expect((await recipients()).count).toBe(5)
    expect(await recipients({ filter: { status: 'excluded' } })).toMatchObject({
      items: [{ email: 'reader1@example.com', errors: [{ name: 'Excluded', message: 'suppressed' }] }],
      count: 1,
    })
  })

  it('include all of an address’s deliveries and exclusions, if it is named without a status', async () => {
    const { core, project, campaignId, clock, recipients } = await aSentCampaign(2)
    await core.suppressions.create(project.scope, { email: 'reader1@example.com', reason: 'other' })
    clock.advance(60_000)
    const scheduledTo = clock.now().toISOString()
    await core.campaigns.update(project.scope, campaignId, { status: 'draft' })
    await core.campaigns.update(project.scope, campaignId, { status: 'scheduled', scheduledTo })
    await core.worker.runUntilIdle()
    const statuses = async (filter: Readonly<Record<string, string>>) =>
      (await recipients({ filter })).items.map(({ status }) => status)
    const email = 'reader1@example.com'
    expect(new Set(await statuses({ email }))).toEqual(new Set(['sent', 'excluded']))
    expect(await statuses({ email, status: 'sent' })).toEqual(['sent'])
    expect(await statuses({ email, status: 'excluded' })).toEqual(['excluded'])
  })

  it.each([
    { sort: 'opens' },
    { filter: { errors: 'x' } },
    { filter: { opened: 'perhaps' } },
    { filter: { opens: 'x' } },
  ])('reject %j', async (query) => {
    const { recipients } = await aSentCampaign(1)
    await expect(recipients(query)).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('an email’s error log', () => {
  const everything = { skip: 0, limit: 30 }

  it('lists errors, counts unseen ones, and forgets them after 30 days', async () => {
    const { core, project, clock, mailer, campaignId } = await aSentCampaign(1)
    const { scope } = project
    const log = () => core.statistics.errorLog(scope, campaignId, everything)
    expect(await log()).toEqual({ items: [], count: 0, unseenCount: 0 })
    const { _id } = await core.transactionalEmails.create(scope, {
      name: 'T',
      subject: 's',
      type: 'text',
      document: 'd',
    })
    mailer.answer(() => ({ kind: 'refused', error: { name: '550', message: 'No such user' } }))
    await core.sends.transactional(scope, { email: '550@example.com', transactionalId: _id })
    await core.worker.runUntilIdle()
    const ofTransactional = () => core.statistics.errorLog(scope, _id, everything)
    expect(await ofTransactional()).toMatchObject({
      items: [{ source: 'delivery', recipient: '550@example.com', errorName: '550', errorMessage: 'No such user' }],
      count: 1,
      unseenCount: 1,
    })
    expect(await ofTransactional()).toMatchObject({ count: 1, unseenCount: 0 })
    clock.advance(31 * 24 * 60 * 60_000)
    expect(await ofTransactional()).toMatchObject({ count: 0, unseenCount: 0 })
  })

  it('is not found for another project or an unknown email', async () => {
    const { core } = await aSentCampaign(1)
    await expect(
      core.statistics.errorLog({ projectId: 'other', caller: 'api-key' }, 'nothing', everything),
    ).rejects.toMatchObject({ kind: 'not-found' })
  })
})
