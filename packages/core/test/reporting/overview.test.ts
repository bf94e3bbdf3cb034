import { allowAnySenderDomain, createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { figureSubject, quarterHourFigures } from '../../src/reporting/figures/figure.js'
import { creditExhaustedAt } from '../../src/reporting/overview.js'

const day = 24 * 60 * 60_000

const aWorld = async () => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const sample = await sampleProject(core)
  const sent = async (projectId: string, daysAgo: number, mails: number, metric: 'sent' | 'failed' = 'sent') => {
    const at = new Date(world.clock.now().getTime() - daysAgo * day).toISOString()
    const figures = quarterHourFigures([{ subject: figureSubject.project(projectId), metric }], at)
    await world.ports.figures.add(figures.map((one) => ({ ...one, n: mails })))
  }
  return { ...world, core, sample, scope: sample.scope, sent }
}

describe('the overview of a project', () => {
  it('has every one of the last thirty days, also those without mails', async () => {
    const { core, scope, sent } = await aWorld()
    await sent(scope.projectId, 0, 7)
    await sent(scope.projectId, 2, 3, 'failed')
    await sent(scope.projectId, 40, 1_000)
    const { days } = await core.overviews.get(scope, { timeZone: 'UTC' })
    expect(days).toHaveLength(30)
    expect(days.at(-1)).toMatchObject({ sent: 7, failed: 0 })
    expect(days.at(-3)).toMatchObject({ sent: 0, failed: 3 })
    expect(days.reduce((sum, one) => sum + one.sent, 0)).toBe(7)
  })

  it('counts the mails of all projects that share the credit', async () => {
    const { core, scope, sent, sample } = await aWorld()
    const other = await core.projects.create({ accountId: sample.account._id, name: 'Another' })
    await sent(scope.projectId, 1, 30)
    await sent(other._id, 1, 60)
    const { credit } = await core.overviews.get(scope, { timeZone: 'UTC' })
    expect(credit.perDay).toBe(3)
    expect(credit.endsAt).toBeUndefined()
  })

  it('has a month only in production with a limit', async () => {
    const { core, scope, ports } = await aWorld()
    expect((await core.overviews.get(scope, { timeZone: 'UTC' })).month).toBeUndefined()
    await ports.repositories.projects.change({ _id: scope.projectId }, (one) => ({
      ...one,
      status: 'production',
      monthlyLimit: 100,
    }))
    expect((await core.overviews.get(scope, { timeZone: 'UTC' })).month).toMatchObject({
      left: 100,
      limit: 100,
      sent: 0,
    })
  })

  it('says who decides about the domains that it sends from', async () => {
    const { scope, ports } = await aWorld()
    const checking = createCore({ ...ports, domainVerified: undefined })
    const relaying = createCore({ ...ports, domainVerified: allowAnySenderDomain })
    const decides = async (one: ReturnType<typeof createCore>) =>
      (await one.overviews.get(scope, { timeZone: 'UTC' })).senderDomains
    expect([await decides(checking), await decides(relaying)]).toEqual(['verified', 'relay'])
    await ports.repositories.projects.change({ _id: scope.projectId }, (one) => ({ ...one, status: 'byoCloudSes' }))
    expect([await decides(checking), await decides(relaying)]).toEqual(['account', 'account'])
  })
})

describe('when a supply ends', () => {
  const now = new Date('2026-03-01T00:00:00.000Z')
  const until = new Date(now.getTime() + 90 * day)
  it.each([
    ['at its rate', 20, 10, '2026-03-03T00:00:00.000Z'],
    ['never if nothing is used', 20, 0, undefined],
    ['unsaid if it is far away', 20, 0.1, undefined],
    ['now if nothing is left', 0, 0, now.toISOString()],
    ['now if more than all was taken', -3, 10, now.toISOString()],
  ])('is %s', (_name, left, perDay, end) => {
    expect(creditExhaustedAt(left, perDay, now, until)).toBe(end)
  })
})
