import { createCore } from '@posthorn/core'
import { blocked } from '@posthorn/core/ports/runtime'
import type { Campaign } from '@posthorn/core/ports/storage'
import { aCampaign, aTriggeredEmail, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const query = { limit: 10, skip: 0 }

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  return { core, ports, clock, ...(await sampleProject(core)) }
}

describe('a subscriber list', () => {
  it('is public by default, without double opt-in, with a CAPTCHA', async () => {
    const { core, scope } = await start()
    const list = await core.subscriberLists.create(scope, { name: ' News ' })
    expect(list).toMatchObject({
      name: 'News',
      description: '',
      private: false,
      doubleOptIn: { active: false, emailId: '', redirectLink: '' },
      signupForm: { showCaptcha: true },
    })
    expect(list).not.toHaveProperty('projectId')
    expect(await core.subscriberLists.get(scope, list._id)).toEqual(list)
    expect(await core.subscriberLists.projectOf(list._id)).toBe(scope.projectId)
    expect(await core.subscriberLists.projectOf('nowhere')).toBeUndefined()
  })

  it('keeps fields that an update omits, and replaces its form and double opt-in completely', async () => {
    const { core, scope, clock } = await start()
    const made = await core.subscriberLists.create(scope, {
      name: 'News',
      private: true,
      signupForm: { showCaptcha: false, btnLabel: 'Join' },
    })
    clock.advance(1000)
    expect(await core.subscriberLists.update(scope, made._id, {})).toEqual(made)
    expect(await core.subscriberLists.update(scope, made._id, { description: 'Weekly' })).toEqual({
      ...made,
      description: 'Weekly',
      updatedAt: '2026-01-06T12:00:01.000Z',
    })
    const { signupForm } = await core.subscriberLists.update(scope, made._id, { signupForm: { btnFont: 'serif' } })
    expect(signupForm).toEqual({ showCaptcha: true, btnFont: 'serif' })
  })

  it('rejects nested _id fields and other unknown ones', async () => {
    const { core, scope } = await start()
    await expect(
      core.subscriberLists.create(scope, {
        doubleOptIn: { _id: 'x' },
        signupForm: { _id: 'y' },
        color: 'red',
      } as never),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message:
        'Missing required field: name; Unexpected field: doubleOptIn._id; Unexpected field: signupForm._id; Unexpected field: color',
    })
    await expect(
      core.subscriberLists.create(scope, { name: 'X', doubleOptIn: { redirectLink: 'javascript:alert(1)' } }),
    ).rejects.toThrow('doubleOptIn.redirectLink')
  })

  it('of another project is not found', async () => {
    const { core, list } = await start()
    const { scope } = await sampleProject(core, { name: 'Other' })
    const refused = { kind: 'not-found', message: 'Subscriber list not found' }
    const { subscriberLists } = core
    for (const attempt of [subscriberLists.get, subscriberLists.remove, subscriberLists.stats])
      await expect(attempt(scope, list._id)).rejects.toMatchObject(refused)
    await expect(subscriberLists.update(scope, list._id, { name: 'Mine' })).rejects.toMatchObject(refused)
  })

  it('is removed with its memberships, and keeps the contacts', async () => {
    const { core, ports, scope, list, subscribe } = await start()
    await subscribe(3)
    expect(await core.subscriberLists.remove(scope, list._id)).toMatchObject({ _id: list._id, name: 'Readers' })
    expect((await core.subscriberLists.list(scope, query)).count).toBe(0)
    expect(await ports.repositories.subscribers.get({})).toBeUndefined()
    expect(await core.contacts.get(scope, 'reader1@example.com')).toMatchObject({ _lists: [] })
  })

  it.each<[Campaign['status'], boolean]>([
    ['draft', true],
    ['scheduled', true],
    ['being-sent', true],
    ['sent', true],
    ['error', true],
    ['archive', false],
  ])('is in use by a campaign in status %s: %s', async (status, used) => {
    const { core, ports, scope, list } = await start()
    await ports.repositories.campaigns.add(
      aCampaign({ projectId: scope.projectId, subscriberListId: list._id, status }),
    )
    const outcome = await core.subscriberLists.remove(scope, list._id).then(
      ({ name }) => `${name} is gone`,
      (refusal: unknown) => refusal,
    )
    expect(outcome).toEqual(used ? blocked('The list is in use by the email News.') : 'Readers is gone')
  })

  it('is in use by a triggered email', async () => {
    const { core, ports, scope, list } = await start()
    await ports.repositories.triggeredEmails.add(
      aTriggeredEmail({ projectId: scope.projectId, subscriberListId: list._id }),
    )
    await expect(core.subscriberLists.remove(scope, list._id)).rejects.toMatchObject({ kind: 'blocked' })
  })

  it('counts subscribers by current status', async () => {
    const { core, clock, scope, list, subscribe } = await start()
    await subscribe(5)
    const update = (n: number, input: object) =>
      core.subscribers.update(scope, list._id, `reader${n}@example.com`, { ...input })
    await update(1, { status: 'unsubscribed' })
    await update(2, { status: 'paused', pausedUntil: '2026-02-01' })
    await update(3, { status: 'paused', pausedUntil: '2026-01-06T12:01:00Z' })
    await core.subscribers.subscribe(scope, list._id, { email: 'new@example.com', status: 'unverified' })
    const stats = () => core.subscriberLists.stats(scope, list._id)
    expect(await stats()).toEqual({
      active: 2,
      paused: 2,
      unsubscribed: 1,
      unverified: 1,
      subscribed: 5,
      unsubscribedEvents: 1,
      pausedEvents: 2,
      unpausedEvents: 0,
      bounce: 0,
      complaint: 0,
    })
    clock.advance(60_000)
    expect(await stats()).toMatchObject({ active: 3, paused: 1, unpausedEvents: 0 })
    await core.worker.maintain()
    expect(await stats()).toMatchObject({ active: 3, paused: 1, unpausedEvents: 1 })
  })

  it('counts who came and left in a span of time, and members of now', async () => {
    const { core, clock, scope, list, subscribe } = await start()
    await subscribe(3)
    clock.advance(40 * 24 * 60 * 60_000)
    await core.subscribers.subscribe(scope, list._id, { email: 'late@example.com', status: 'active' })
    await core.subscribers.update(scope, list._id, 'reader1@example.com', { status: 'unsubscribed' })
    const stats = (from: string, to?: string) =>
      core.subscriberLists.stats(scope, list._id, { from, timeZone: 'UTC', ...(to && { to }) })
    const today = clock.now().toISOString().slice(0, 10)
    expect(await stats(today)).toMatchObject({ active: 3, subscribed: 1, unsubscribedEvents: 1 })
    expect(await stats('2026-01-01', '2026-01-31')).toMatchObject({ active: 3, subscribed: 3, unsubscribedEvents: 0 })
    await expect(stats('2026-01-02', '2026-01-01')).rejects.toMatchObject({ kind: 'invalid' })
    await expect(stats('2020-01-01')).rejects.toThrow('at most 366 days')
  })
})
