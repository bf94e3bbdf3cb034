import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from '../tracking/sent-campaign.js'

const day = 24 * 60 * 60_000

/** A campaign to some readers, on a server that keeps things for so long. */
const aKeptCampaign = async (
  readers: number,
  retention: { readonly deliveries?: number; readonly figures?: number; readonly errors?: number },
) => {
  const { settings } = inMemoryPorts().ports
  const standard = settings.retention
  return aSentCampaign(readers, {
    settings: { ...settings, retention: { ...standard, ...retention } },
    sleep: async () => undefined,
  })
}

describe('the retention of deliveries', () => {
  const rowsOf = async ({ recipients }: Awaited<ReturnType<typeof aKeptCampaign>>) => (await recipients()).count

  it('is unlimited by default', async () => {
    const world = await aKeptCampaign(3, {})
    world.clock.advance(4000 * day)
    await world.core.worker.prune()
    expect(await rowsOf(world)).toBe(3)
  })

  it('begins when their campaign ends, and keeps the totals', async () => {
    const world = await aKeptCampaign(3, { deliveries: 30 })
    const { core, project, campaignId, clock } = world
    await core.deliveryEvents.record({ deliveryId: world.mails[0]?._id ?? '', type: 'open' })
    await core.deliveryEvents.record({ deliveryId: world.mails[1]?._id ?? '', type: 'bounce' })
    const [before, sums] = [await core.campaignReports.get(project.scope, campaignId), await world.totals()]
    clock.advance(29 * day)
    await core.worker.prune()
    expect(await rowsOf(world)).toBe(3)
    clock.advance(2 * day)
    await core.worker.prune()
    expect(await rowsOf(world)).toBe(0)
    const at = clock.now().toISOString()
    expect(await core.campaignReports.get(project.scope, campaignId)).toEqual({ ...before, recipientsRemovedAt: at })
    expect(await world.totals()).toEqual(sums)
    expect(await core.campaigns.progress(project.scope, campaignId)).toMatchObject({
      deliveries: { sent: 3 },
      recipientsRemovedAt: at,
    })
  })

  it('ends for one dispatch at a time: the report includes both', async () => {
    const world = await aKeptCampaign(2, { deliveries: 30 })
    const { core, project, campaignId, clock } = world
    clock.advance(31 * day)
    const again = { status: 'scheduled', scheduledTo: clock.now().toISOString() } as const
    await core.campaigns.update(project.scope, campaignId, again)
    await core.worker.runUntilIdle()
    await core.worker.prune()
    expect(await rowsOf(world)).toBe(2)
    expect(await core.campaignReports.get(project.scope, campaignId)).toMatchObject({ recipients: 4, sent: 4 })
  })

  it('prevents retries after they are removed', async () => {
    const world = await aKeptCampaign(2, { deliveries: 30 })
    world.clock.advance(31 * day)
    await world.core.worker.prune()
    await expect(world.core.campaigns.retryFailed(world.project.scope, world.campaignId)).rejects.toMatchObject({
      kind: 'blocked',
    })
  })

  it('removes them in batches, across runs', async () => {
    const world = await aKeptCampaign(40, { deliveries: 30 })
    const { core, clock, ports } = world
    const asked: number[] = []
    const prune = ports.deliveries.prune.bind(ports.deliveries)
    Object.assign(ports.deliveries, {
      prune: (ids: readonly string[], limit: number) => {
        asked.push(limit)
        return prune(ids, 3)
      },
    })
    clock.advance(31 * day)
    await core.worker.prune()
    expect(await rowsOf(world)).toBe(0)
    expect(asked.length).toBeGreaterThan(10)
    expect(new Set(asked)).toEqual(new Set([500]))
  })

  it('removes a single mail with its dispatch, and ignores later opens', async () => {
    const world = await aKeptCampaign(1, { deliveries: 30 })
    const { core, project, clock, ports } = world
    const { _id } = await core.transactionalEmails.create(project.scope, {
      name: 'Receipt',
      subject: 'Your receipt',
      type: 'text',
      document: 'Thank you',
    })
    await core.sends.transactional(project.scope, { email: 'a@example.com', transactionalId: _id })
    await core.worker.runUntilIdle()
    const where = { emailId: _id, projectId: project.project._id }
    const { items } = await ports.deliveries.list({ where, by: 'email', order: 'asc', skip: 0, limit: 10 })
    expect(items).toMatchObject([{ status: 'sent' }])
    clock.advance(31 * day)
    await core.worker.prune()
    expect(await ports.repositories.dispatches.get({ _id: items[0]?.dispatchId ?? '' })).toBeUndefined()
    await expect(core.deliveryEvents.record({ deliveryId: items[0]?._id ?? '', type: 'open' })).rejects.toMatchObject({
      kind: 'not-found',
    })
    const sums = await core.statistics.ofEmail(project.scope, 'transactionalEmails', _id, { timeZone: 'UTC' })
    expect(sums).toMatchObject({ sent: 1, opens: 0 })
  })

  it('of a single mail begins when it was sent', async () => {
    const { core, project, clock, ports } = await aKeptCampaign(1, { deliveries: 30 })
    const { _id } = await core.transactionalEmails.create(project.scope, {
      name: 'Receipt',
      subject: 'Your receipt',
      type: 'text',
      document: 'Thank you',
    })
    await core.sends.transactional(project.scope, { email: 'a@example.com', transactionalId: _id })
    const where = { emailId: _id, projectId: project.project._id }
    const rows = async () =>
      (await ports.deliveries.list({ where, by: 'email', order: 'asc', skip: 0, limit: 10 })).items
    clock.advance(40 * day)
    await core.worker.runUntilIdle()
    clock.advance(20 * day)
    await core.worker.prune()
    expect(await rows()).toMatchObject([{ status: 'sent' }])
    clock.advance(11 * day)
    await core.worker.prune()
    expect(await rows()).toEqual([])
  })
})

describe('the retention of figures', () => {
  it('ends after the configured days', async () => {
    const world = await aKeptCampaign(3, { figures: 100 })
    world.clock.advance(99 * day)
    await world.core.worker.prune()
    expect(await world.totals()).toMatchObject({ sent: 3 })
    world.clock.advance(2 * day)
    await world.core.worker.prune()
    expect(await world.totals()).toMatchObject({ sent: 0 })
  })
})

describe('the retention of errors', () => {
  it('is as configured', async () => {
    const world = await aKeptCampaign(1, { errors: 7 })
    const { core, project, campaignId, clock } = world
    const failed = { name: '550', message: 'No such user' }
    const id = world.mails[0]?._id ?? ''
    await world.ports.deliveries.reject(id, failed, clock.now().toISOString(), [])
    const log = () => core.statistics.errorLog(project.scope, campaignId, { skip: 0, limit: 10 })
    clock.advance(6 * day)
    expect((await log()).items).toHaveLength(1)
    clock.advance(2 * day)
    expect((await log()).items).toEqual([])
  })
})
