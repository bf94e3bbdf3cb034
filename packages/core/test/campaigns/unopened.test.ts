import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const content = {
  name: 'News',
  subject: 'News {{contact.city}}',
  type: 'text',
  document: 'News',
  timeZone: 'UTC',
} as const

/** Six readers got a campaign: the first opened it, the second clicked, and a machine opened the third's. */
const setUp = async () => {
  const { ports, mailer, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, subscribe } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  await subscribe(6)
  const now = () => clock.now().toISOString()
  const first = await core.campaigns.create(scope, { ...content, subscriberListId: list._id })
  await core.campaigns.update(scope, first._id, { status: 'scheduled', scheduledTo: now() })
  await core.worker.runUntilIdle()
  const { dispatchId = '' } = (await ports.repositories.campaigns.get({ _id: first._id })) ?? {}
  const idOf = async (email: string) => {
    for await (const one of ports.deliveries.each(dispatchId, 'sent')) if (one.email === email) return one._id
    throw new Error(`${email} got no mail`)
  }
  const mark = async (email: string, name: 'opens' | 'clicks') =>
    ports.deliveries.mark({ _id: await idOf(email), mark: name, now: now(), counted: () => [] })
  await mark('reader1@example.com', 'opens')
  await mark('reader2@example.com', 'clicks')
  await ports.deliveries.countOnce(await idOf('reader3@example.com'), [{ name: 'machine', figures: [] }])
  let known = mailer.sent.length
  const again = (changes: object = {}) =>
    core.campaigns.create(scope, { ...content, subscriberListId: list._id, unopenedOf: first._id, ...changes })
  /** Since the last call. */
  const reached = () => {
    const { sent } = mailer
    const addresses = sent.slice(known).map(({ to }) => to)
    known = sent.length
    return addresses.sort()
  }
  return { core, ports, scope, list, clock, now, reached, first, again }
}

describe('a campaign to those who did not open another', () => {
  it('reaches them, also where only a machine opened, and books who has left since', async () => {
    const { core, scope, list, now, reached, again } = await setUp()
    await core.contacts.create(scope, { email: 'new@example.com' })
    await core.subscribers.subscribe(scope, list._id, { email: 'new@example.com' })
    await core.subscribers.update(scope, list._id, 'reader4@example.com', { status: 'unsubscribed' })
    await core.suppressions.create(scope, { email: 'reader5@example.com' })
    await core.contacts.update(scope, 'reader6@example.com', { city: 'Graz' })
    const { _id } = await again()
    expect(await core.campaigns.audience(scope, _id)).toMatchObject({
      subscribers: 4,
      recipients: 2,
      outsideSegment: 0,
      excluded: { unsubscribed: 1, suppressed: 1 },
      emptyTags: [{ tag: 'contact.city', recipients: 1 }],
    })
    expect(await core.campaigns.excluded(scope, _id, { reason: 'unsubscribed' })).toEqual({
      emails: ['reader4@example.com'],
    })
    await core.campaigns.update(scope, _id, { status: 'scheduled', scheduledTo: now() })
    await core.worker.runUntilIdle()
    expect(reached()).toEqual(['reader3@example.com', 'reader6@example.com'])
    const { excluded, deliveries } = await core.campaigns.progress(scope, _id)
    expect([excluded, deliveries.sent]).toEqual([{ unsubscribed: 1, suppressed: 1 }, 2])
  })

  it('is about the run before it, even if that campaign is sent again', async () => {
    const { core, scope, clock, now, reached, first, again } = await setUp()
    const { _id } = await again()
    clock.advance(60_000)
    await core.campaigns.update(scope, first._id, { status: 'scheduled', scheduledTo: now() })
    await core.worker.runUntilIdle()
    reached()
    await core.campaigns.update(scope, _id, { subject: 'Once more', status: 'scheduled', scheduledTo: now() })
    await core.worker.runUntilIdle()
    expect(reached()).toEqual([3, 4, 5, 6].map((n) => `reader${n}@example.com`))
  })

  it('goes to the whole list once the choice is removed', async () => {
    const { core, scope, again } = await setUp()
    const { _id } = await again()
    const { unopenedOf } = await core.campaigns.update(scope, _id, { unopenedOf: '' })
    expect(unopenedOf).toBeUndefined()
    expect((await core.campaigns.audience(scope, _id)).recipients).toBe(6)
  })

  it('is refused with a segment, for another list, and for a campaign that was not sent', async () => {
    const { core, scope, list, again, first } = await setUp()
    const other = await core.subscriberLists.create(scope, { name: 'Other' })
    const segment = await core.segments.create(scope, { name: 'All', groups: [{ conditions: [] }] })
    const draft = await core.campaigns.create(scope, { ...content, subscriberListId: list._id })
    await expect(again({ segmentId: segment._id })).rejects.toThrow('unopenedOf: not possible with a segment')
    await expect(again({ subscriberListId: other._id })).rejects.toThrow('was sent to another list')
    await expect(again({ unopenedOf: draft._id })).rejects.toThrow('unopenedOf: the campaign has not been sent')
    const made = await again()
    await expect(core.campaigns.update(scope, made._id, { subscriberListId: other._id })).rejects.toThrow(
      'another list',
    )
    await expect(again({ unopenedOf: made._id })).rejects.toThrow('has not been sent')
    expect((await core.campaigns.update(scope, made._id, { unopenedOf: first._id })).unopenedOf).toBe(first._id)
  })
})
