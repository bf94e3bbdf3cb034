import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FigureMetric, figureSubject, quarterHourFigures } from '../../src/reporting/figures/figure.js'
import {
  type MailboxProvider,
  mailboxProviderOf,
  mailboxProviders,
} from '../../src/reporting/figures/mailbox-provider.js'
import { aSentCampaign } from '../tracking/sent-campaign.js'

const day = 24 * 60 * 60_000

describe('a mailbox’s provider', () => {
  it.each<[string, MailboxProvider]>([
    ['ada@GMail.com', 'gmail'],
    ['"a@hotmail.com"@web.de', 'gmx'],
    ['ada@hotmail.fr', 'microsoft'],
    ['ada@yahoo.co.uk', 'yahoo'],
    ['ada@gmx.co.uk', 'gmx'],
    ['ada@gmx.fr', 'gmx'],
    ['ada@yahoo.com.br', 'yahoo'],
    ['ada@mail.gmail.com', 'other'],
    ['ada@hotmail.example', 'other'],
    ['ada@evil-yahoo.fr', 'other'],
    ['ada@gmail.com.evil.example', 'other'],
    ['ada@constructor', 'other'],
    ['nobody', 'other'],
  ])('of %s is %s', (email, provider) => {
    expect(mailboxProviderOf(email)).toBe(provider)
  })

  it('is one of a fixed list, whatever the address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(mailboxProviders).toContain(mailboxProviderOf(text))
      }),
    )
  })
})

const aWorld = async () => {
  const { ports, clock, ...world } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, ...sample } = await sampleProject(core)
  const add = async (provider: MailboxProvider, counts: Partial<Record<FigureMetric, number>>, daysAgo = 1) => {
    const at = new Date(clock.now().getTime() - daysAgo * day).toISOString()
    for (const [metric, n] of Object.entries(counts) as [FigureMetric, number][]) {
      const figures = quarterHourFigures([{ subject: figureSubject.provider(scope.projectId, provider), metric }], at)
      await ports.figures.add(figures.map((one) => ({ ...one, n })))
    }
  }
  const report = async (days: 7 | 30 | 90 = 30) => (await core.providerReports(scope, { days })).providers
  const worse = async () => (await report()).filter(({ isWorse }) => isWorse).map(({ provider }) => provider)
  return { ...world, ...sample, ports, clock, core, scope, add, report, worse }
}

describe('the report on mailbox providers', () => {
  it('has only those with mails, the largest first, in the days asked for', async () => {
    const { add, report } = await aWorld()
    await add('gmx', { sent: 10 })
    await add('gmail', { sent: 500, failed: 3, bounces: 2, complaints: 1, uniqueOpens: 200 })
    await add('orange', { sent: 7 }, 20)
    expect(await report(7)).toEqual([
      { provider: 'gmail', sent: 498, refused: 5, complaints: 1, opens: 200, isWorse: false },
      { provider: 'gmx', sent: 10, refused: 0, complaints: 0, opens: 0, isWorse: false },
    ])
    expect((await report()).map(({ provider }) => provider)).toEqual(['gmail', 'gmx', 'orange'])
  })

  it('marks the one that refuses more than 2 %, and more than twice as many as the others', async () => {
    const { add, worse } = await aWorld()
    await add('gmail', { sent: 1_000, failed: 60 })
    await add('gmx', { sent: 1_000, failed: 20 })
    expect(await worse()).toEqual(['gmail'])
    await add('gmx', { failed: 30 })
    expect(await worse()).toEqual([])
  })

  it('marks the one with complaints, and none of fewer than a hundred mails', async () => {
    const { add, worse } = await aWorld()
    await add('gmail', { sent: 5_000 })
    await add('yahoo', { sent: 1_000, complaints: 3 })
    await add('apple', { sent: 90, failed: 9 })
    expect(await worse()).toEqual(['yahoo'])
  })

  it('marks the only one there is', async () => {
    const { add, worse } = await aWorld()
    await add('gmail', { sent: 100, failed: 10 })
    expect(await worse()).toEqual(['gmail'])
  })

  it('counts what is sent, refused later, bounced and opened, of tests nothing', async () => {
    const { core, project, mails, campaignId } = await aSentCampaign(4)
    const [first, second, third, fourth] = mails.map(({ _id }) => _id)
    const { record, rejected } = core.deliveryEvents
    await record({ deliveryId: first ?? '', type: 'bounce' })
    await record({ deliveryId: second ?? '', type: 'complaint' })
    await record({ deliveryId: third ?? '', type: 'open' })
    await record({ deliveryId: third ?? '', type: 'open' })
    await rejected({ deliveryId: fourth ?? '', error: { name: 'Rejected', message: '550 no' } })
    await core.sends.test(project.scope, campaignId, { type: 'campaign', email: 'me@gmail.com' })
    await core.worker.runUntilIdle()
    expect((await core.providerReports(project.scope, { days: 7 })).providers).toEqual([
      { provider: 'other', sent: 2, refused: 2, complaints: 1, opens: 1, isWorse: false },
    ])
  })
})
