import { createCore } from '@posthorn/core'
import { aDelivery, aDispatch, inMemoryPorts, numberedId, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const page = { skip: 0, limit: 10 }
const email = 'ada@example.com'

const aWorld = async (settings: object = {}) => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore({ ...ports, settings: { ...ports.settings, ...settings } })
  const project = await sampleProject(core)
  const { scope } = project
  return { ...world, ports, core, project, scope }
}

const text = { name: 'Receipt', subject: 'Your receipt', type: 'text', document: 'https://example.com/' } as const

describe('the history of a mail', () => {
  it('has the subject that came with the send, with or without a stored email', async () => {
    const { core, scope } = await aWorld()
    await core.sends.direct(scope, { to: email, subject: 'Hello', text: 'Hello' })
    const { _id: template } = await core.transactionalEmails.create(scope, text)
    await core.sends.direct(scope, { to: email, template, subject: 'Your other receipt' })
    await core.worker.runUntilIdle()
    const { items } = await core.mailHistories.list(scope, { ...page, email })
    expect(items.map(({ subject }) => subject).toSorted()).toEqual(['Hello', 'Your other receipt'])
  })

  const sentOne = async () => {
    const world = await aWorld()
    const { core, scope, clock } = world
    await core.webhooks.endpoints.create(scope, { url: 'https://a.example.com/' })
    const { _id } = await core.transactionalEmails.create(scope, text)
    const { deliveryId = '' } = await core.sends.transactional(scope, {
      transactionalId: _id,
      email: 'Ada@Example.com',
    })
    clock.advance(1_000)
    await core.worker.runUntilIdle()
    return { ...world, emailId: _id, deliveryId }
  }

  it('has what happened to it, oldest first, and where that was posted to', async () => {
    const { core, scope, clock, deliveryId, emailId, eventPoster } = await sentOne()
    clock.advance(60_000)
    const seen = { link: 'https://example.com/', userAgent: 'Mozilla/5.0' }
    await core.deliveryEvents.record({ deliveryId, type: 'open' })
    await core.deliveryEvents.record({ deliveryId, type: 'click', seen })
    clock.advance(60_000)
    const reason = { name: '5.1.1', message: '550 5.1.1 User unknown' }
    await core.deliveryEvents.record({ deliveryId, type: 'bounce', reason })
    await core.worker.postEvents()
    const { events, webhooks, ...history } = await core.mailHistories.get(scope, deliveryId)
    expect(history).toMatchObject({
      ...{ deliveryId, emailId, kind: 'transactional', name: 'Receipt', subject: 'Your receipt', status: 'sent' },
      ...{ email: 'Ada@Example.com', opens: 1, clicks: 1, bounced: true, complained: false },
      providerMessageId: expect.any(String),
    })
    expect(events.map(({ type, by }) => [type, by])).toEqual([
      ['accepted', undefined],
      ['sent', undefined],
      ['open', 'person'],
      ['click', 'person'],
      ['bounce', undefined],
    ])
    expect(events[1]).toMatchObject({ attempts: 1 })
    expect(events[3]?.link).toBe('https://example.com/')
    expect(events[4]?.reply).toEqual(reason)
    expect(webhooks.map(({ type }) => type).toSorted()).toEqual(['bounce', 'click', 'open', 'sent'])
    expect(webhooks.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
    expect(webhooks[0]?.deliveredAt).toBe(webhooks[0]?.lastAttempt?.at)
    expect(eventPoster.posts).toHaveLength(4)
    expect((await core.mailHistories.list(scope, { ...page, email })).items[0]?.webhooks).toEqual(webhooks)
  })

  it('is found by its id in its project only, and says which mails are gone', async () => {
    const { core, scope, deliveryId } = await sentOne()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await expect(core.mailHistories.get(other, deliveryId)).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Mail not found',
    })
    expect((await core.mailHistories.list(other, { ...page, email })).count).toBe(0)
    expect((await core.mailHistories.get(scope, deliveryId)).keptSince).toMatchObject({ mails: null })
  })
})

describe('the history of an address', () => {
  const ledgerOf = async (settings: object = {}) => {
    const world = await aWorld(settings)
    const { ports, scope } = world
    const { projectId } = scope
    const rows = [
      { kind: 'campaign', status: 'excluded', reason: 'paused', emailId: numberedId(0xe1) },
      { kind: 'test', status: 'sent' },
      { kind: 'triggered', status: 'failed', error: { name: '550', message: 'No' }, emailId: numberedId(0xe2) },
      { kind: 'transactional', status: 'uncertain', attempts: 2, emailId: numberedId(0xe3) },
      {
        kind: 'transactional',
        status: 'queued',
        attempts: 1,
        error: { name: '451', message: 'Later' },
        emailId: numberedId(0xe3),
      },
    ] as const
    for (const [n, { kind, ...given }] of rows.entries()) {
      const dispatchId = numberedId(0xd00 + n)
      const createdAt = new Date(Date.parse('2026-01-06T12:00:00.000Z') + n * 1_000).toISOString()
      const dispatch = aDispatch({
        _id: dispatchId,
        projectId,
        kind,
        emailId: given.status === 'sent' ? numberedId(0xe9) : given.emailId,
      })
      const delivery = aDelivery({
        _id: `${dispatchId}:a`,
        dispatchId,
        projectId,
        email: 'ADA@example.com',
        createdAt,
        ...given,
      })
      await ports.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
    }
    return { ...world, projectId }
  }

  it('is listed newest first, in pages, with the outcome of each mail', async () => {
    const { core, scope } = await ledgerOf()
    const { items, count } = await core.mailHistories.list(scope, { ...page, email })
    expect(count).toBe(5)
    expect(items.map(({ kind, events }) => [kind, events.at(-1)?.type])).toEqual([
      ['transactional', 'put-off'],
      ['transactional', 'uncertain'],
      ['triggered', 'failed'],
      ['test', 'sent'],
      ['campaign', 'excluded'],
    ])
    expect(items[0]?.events.at(-1)).toMatchObject({ attempts: 1, reply: { name: '451' }, until: expect.any(String) })
    expect(items[4]?.events.at(-1)).toMatchObject({ reason: 'paused' })
    const second = await core.mailHistories.list(scope, { skip: 2, limit: 2, email })
    expect([second.count, second.items.map(({ kind }) => kind)]).toEqual([5, ['triggered', 'test']])
  })

  it('is narrowed by status, dispatch and kind, together', async () => {
    const { core, scope } = await ledgerOf()
    const kinds = async (filter: Record<string, string>) => {
      const { items, count } = await core.mailHistories.list(scope, { ...page, email, filter })
      return [count, items.map(({ kind }) => kind)]
    }
    expect(await kinds({ status: 'excluded' })).toEqual([1, ['campaign']])
    expect(await kinds({ status: 'being-sent' })).toEqual([1, ['transactional']])
    expect(await kinds({ kind: 'transactional' })).toEqual([2, ['transactional', 'transactional']])
    expect(await kinds({ kind: 'test' })).toEqual([1, ['test']])
    expect(await kinds({ dispatchId: numberedId(0xd02) })).toEqual([1, ['triggered']])
    expect(await kinds({ kind: 'transactional', status: 'scheduled' })).toEqual([1, ['transactional']])
    await expect(kinds({ kind: 'letter' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('says since when it is complete', async () => {
    const { core, scope, clock } = await ledgerOf({ retention: { deliveries: 10, events: 5, errors: 30, links: 730 } })
    const ago = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString()
    const { keptSince } = await core.mailHistories.list(scope, { ...page, email })
    expect(keptSince).toEqual({ mails: ago(10), webhookEvents: ago(5) })
    await expect(core.mailHistories.get(scope, `${numberedId(1)}:x`)).rejects.toThrow(
      `Mail not found. Mails that ended before ${ago(10)} are removed.`,
    )
  })
})
