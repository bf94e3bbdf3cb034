import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

/** A campaign that was sent to a segment of a list, both deleted since. */
const aSentCampaign = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, subscribe } = await sampleProject(core)
  await subscribe(2)
  const condition = { property: 'email', operator: 'contains', value: '@' } as const
  const segment = await core.segments.create(scope, { name: 'All', groups: [{ conditions: [condition] }] })
  const { _id } = await core.campaigns.create(scope, {
    name: 'News',
    subject: 's',
    type: 'text',
    document: 'd',
    timeZone: 'UTC',
    subscriberListId: list._id,
    segmentId: segment._id,
    status: 'scheduled',
    scheduledTo: clock.now().toISOString(),
  })
  await core.worker.runUntilIdle()
  await core.segments.remove(scope, segment._id)
  const update = (changes: object) => core.campaigns.update(scope, _id, changes)
  const schedule = () => {
    clock.advance(60_000)
    return update({ status: 'scheduled', scheduledTo: clock.now().toISOString() })
  }
  return { core, scope, list, segment, update, schedule }
}

describe('a campaign whose segment was deleted', () => {
  it('can still be renamed, archived and changed', async () => {
    const { update } = await aSentCampaign()
    expect(await update({ name: 'Old news' })).toMatchObject({ name: 'Old news', status: 'sent' })
    expect(await update({ status: 'archive' })).toMatchObject({ status: 'archive' })
    expect(await update({ subject: 'New', document: 'e' })).toMatchObject({ subject: 'New' })
  })

  it('cannot be scheduled until the segment is removed or replaced', async () => {
    const { core, scope, update, schedule, segment } = await aSentCampaign()
    const missing = { kind: 'not-found', message: 'Segment not found' }
    await expect(schedule()).rejects.toMatchObject(missing)
    await expect(update({ segmentId: segment._id })).rejects.toMatchObject(missing)
    await update({ segmentId: null })
    expect(await schedule()).toMatchObject({ status: 'being-sent' })
    await core.worker.runUntilIdle()
    const { _id } = await core.segments.create(scope, { name: 'Again', groups: segment.groups })
    expect(await update({ segmentId: _id })).toMatchObject({ segmentId: _id })
  })
})

describe('a campaign whose list was deleted', () => {
  it('can still be renamed, and can be scheduled after its list is replaced', async () => {
    const { core, scope, list, update, schedule } = await aSentCampaign()
    await update({ status: 'archive' })
    await core.subscriberLists.remove(scope, list._id)
    expect(await update({ name: 'Old news' })).toMatchObject({ name: 'Old news' })
    expect(await update({ status: 'archive', subject: 'New' })).toMatchObject({ status: 'archive', subject: 'New' })
    await update({ segmentId: null })
    await expect(schedule()).rejects.toMatchObject({ kind: 'not-found', message: 'Subscriber list not found' })
    const { _id } = await core.subscriberLists.create(scope, { name: 'Other' })
    await update({ subscriberListId: _id })
    expect(await schedule()).toMatchObject({ status: 'being-sent' })
  })
})
