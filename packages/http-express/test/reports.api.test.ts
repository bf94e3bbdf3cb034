import { type FigureMetric, figureSubject } from '@posthorn/core/ports/storage'
import { aDomain, anObservedDns, sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OperationId } from '../src/index.js'
import { aWorld, type World } from './world.js'

let world: World
let project: Awaited<ReturnType<typeof sampleProject>>
let projectId = ''
let transactionalId = ''

const ask = <I extends OperationId>(id: I, body?: object) =>
  world.client.call(id, { key: project.key, params: { projectId }, ...(body && { body }) })

beforeEach(async () => {
  world = await aWorld({ settings: { sandboxDailyLimit: 3 } })
  project = await sampleProject(world.core, { production: false, name: 'Newcomer' })
  projectId = project.project._id
  transactionalId = (await ask('createTransactionalEmail', { name: 'T', subject: 's', type: 'text', document: 'd' }))
    .result._id
})
afterEach(() => world.client.close())

const send = async (n: number) => {
  const answers: string[] = []
  for (let i = 0; i < n; i += 1) {
    const { status, error } = await ask('sendTransactional', { email: `reader${i}@example.com`, transactionalId })
    answers.push(error ? `${status} ${error.message}` : String(status))
    world.clock.advance(60_000)
    await world.core.worker.runUntilIdle()
  }
  return answers
}

const day = 24 * 60 * 60_000

/** So many, that many days ago. */
const counted = (subject: string, daysAgo: number, counts: Partial<Record<FigureMetric, number>>) => {
  const slot = new Date(world.clock.now().getTime() - daysAgo * day).toISOString().slice(0, 13).concat(':00')
  return world.ports.figures.add(
    Object.entries(counts).map(([metric, n]) => ({ subject, metric: metric as FigureMetric, slot, n })),
  )
}

const addDomain = (domain: string, seen: Parameters<typeof anObservedDns>[0] = {}) =>
  world.ports.repositories.domains.add(
    aDomain({ _id: world.ports.newId(), projectId, domain, observed: anObservedDns(seen) }),
  )

describe('getSandboxDeliverability', () => {
  const report = async () => (await ask('getSandboxDeliverability')).result

  it('is all zero before anything is sent', async () => {
    expect(await report()).toEqual({
      sentCount: 0,
      productionAccessReqStatus: 'none',
      bounce: { rate: 0, pct: 0 },
      complaint: { rate: 0, pct: 0 },
    })
  })

  it('counts as the daily limit does, and restarts with the UTC day', async () => {
    expect(await send(4)).toEqual(['200', '200', '200', '405 Daily sandbox limit exceeded'])
    expect((await report()).sentCount).toBe(3)
    world.clock.advance(day)
    expect((await report()).sentCount).toBe(0)
    expect(await send(1)).toEqual(['200'])
  })

  it('returns rates in percent of sent mails and of the restriction threshold', async () => {
    await counted(figureSubject.project(projectId), 0, { sent: 1000, bounces: 5, complaints: 2 })
    await addDomain('example.com')
    await world.core.accessReviews.approve(projectId)
    await world.core.accessReviews.revoke(projectId)
    expect(await report()).toMatchObject({
      productionAccessReqStatus: 'revoked',
      bounce: { rate: 0.5, pct: 20 },
      complaint: { rate: 0.2, pct: 400 },
    })
  })
})

describe('getProductionDeliverability', () => {
  const report = async () => (await ask('getProductionDeliverability')).result

  it('returns the worst rate of 7, 30 and 90 days, separately for bounces and complaints', async () => {
    const subject = figureSubject.project(projectId)
    await counted(subject, 1, { sent: 100, bounces: 1 })
    await counted(subject, 20, { sent: 100, bounces: 3 })
    await counted(subject, 80, { sent: 200, complaints: 1 })
    await counted(subject, 91, { sent: 100, bounces: 100, complaints: 100 })
    expect(await report()).toMatchObject({
      bounce: { rate: 2, pct: 80, windowLabel: 'last 30 days' },
      complaint: { rate: 0.25, pct: 500, windowLabel: 'last 90 days' },
    })
  })

  it('names the shortest window if nothing was sent', async () => {
    const nothing = { rate: 0, pct: 0, windowLabel: 'last 7 days' }
    expect(await report()).toEqual({
      bounce: nothing,
      complaint: nothing,
      domains: [],
      monthly: { sent: 0, limit: 0 },
    })
  })

  it('returns the figures of each verified domain', async () => {
    await addDomain('example.com')
    await addDomain('pending.example.com', { dkim: false })
    await addDomain('unused.example.com')
    await send(2)
    const { items } = await world.ports.deliveries.list({
      where: { emailId: transactionalId, projectId },
      by: 'email',
      order: 'asc',
      skip: 0,
      limit: 10,
    })
    await world.core.deliveryEvents.record({ deliveryId: items[0]?._id ?? '', type: 'bounce' })
    await world.core.deliveryEvents.record({ deliveryId: items[1]?._id ?? '', type: 'complaint' })
    const { bounce, domains } = await report()
    expect(domains).toEqual([
      { domain: 'example.com', region: 'eu-west-1', sent: 2, bounces: 1, complaints: 1 },
      { domain: 'unused.example.com', region: 'eu-west-1', sent: 0, bounces: 0, complaints: 0 },
    ])
    expect(bounce.rate).toBe(50)
  })

  it('counts the month as the monthly limit does', async () => {
    await world.core.accessReviews.approve(projectId, { monthlyLimit: 5 })
    expect(await send(6)).toEqual([...Array(5).fill('200'), '405 Monthly limit exceeded'])
    expect((await report()).monthly).toEqual({ sent: 5, limit: 5 })
    world.clock.advance(31 * day)
    expect((await report()).monthly).toEqual({ sent: 0, limit: 5 })
    expect(await send(1)).toEqual(['200'])
  })

  it('counts the month without a limit, too, so that a later limit applies', async () => {
    await world.core.accessReviews.approve(projectId)
    expect(await send(5)).toEqual(Array(5).fill('200'))
    expect((await report()).monthly).toEqual({ sent: 5, limit: 0 })
    await world.core.accessReviews.revoke(projectId)
    await world.core.accessReviews.approve(projectId, { monthlyLimit: 6 })
    expect(await send(2)).toEqual(['200', '405 Monthly limit exceeded'])
  })
})

it.each(['getSandboxDeliverability', 'getProductionDeliverability'] as const)(
  '%s is refused with another project’s key',
  async (id) => {
    expect((await world.call(id, { params: { projectId } })).status).toBe(403)
  },
)
