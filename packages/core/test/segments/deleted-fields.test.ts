import { createCore } from '@posthorn/core'
import type { SegmentGroups } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { SegmentCondition } from '../../src/segments/segment.js'

const query = { limit: 30, skip: 0 }
const about = (
  operator: SegmentCondition['operator'],
  value?: SegmentCondition['value'],
  property = 'city',
): SegmentCondition => ({
  category: 'contact-property',
  property,
  operator,
  ...(value !== undefined && { value }),
})
const group = (...conditions: SegmentCondition[]): SegmentGroups => [{ conditions }]

const negative: readonly SegmentCondition[] = [
  about('does-not-equal', 'Graz'),
  about('does-not-contain', 'Graz'),
  about('is-empty'),
]

const start = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, sender } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  await core.subscribers.subscribe(scope, list._id, { email: 'a@example.com', name: 'Ada', city: 'Wien' })
  await core.subscribers.subscribe(scope, list._id, { email: 'b@example.com', name: 'Bob' })
  const segment = (groups: SegmentGroups) => core.segments.create(scope, { name: 'S', groups })
  const found = async (segmentId: string) =>
    (await core.contacts.list(scope, { ...query, sort: 'email', order: 'asc', filter: { segmentId } })).items.map(
      ({ email }) => email,
    )
  /** Who gets a campaign. */
  const reached = async (given: object) => {
    const campaign = await core.campaigns.create(scope, {
      ...{ name: 'C', subject: 'S', type: 'text', document: 'D', timeZone: 'UTC', senderIdentity: sender._id },
      ...{ subscriberListId: list._id, status: 'scheduled', scheduledTo: '2026-01-06T12:00:00Z', ...given },
    })
    await core.worker.runUntilIdle()
    const { items } = await core.statistics.recipients(scope, 'campaigns', campaign._id, query)
    return items.map(({ email }) => email).toSorted()
  }
  return { core, scope, segment, found, reached }
}

describe('a condition on a deleted custom field', () => {
  it.each(negative)('matches nobody as $operator', async (condition) => {
    const { core, scope, segment, found, reached } = await start()
    const { _id } = await segment(group(condition))
    expect(await found(_id)).toContain('b@example.com')
    await core.customFields.remove(scope, 'city')
    expect(await found(_id)).toEqual([])
    expect(await reached({ segmentId: _id })).toEqual([])
  })

  it('leaves the other groups of its segment working', async () => {
    const { core, scope, segment, found } = await start()
    const { _id } = await segment([...group(about('is-empty')), ...group(about('equals', 'Ada', 'name'))])
    await core.customFields.remove(scope, 'city')
    expect(await found(_id)).toEqual(['a@example.com'])
  })

  it('is reported with the segment', async () => {
    const { core, scope, segment } = await start()
    const made = await segment(group(about('is-empty'), about('is-not-empty')))
    expect(made).not.toHaveProperty('warnings')
    await core.customFields.remove(scope, 'city')
    const warnings = ['The custom field city no longer exists: conditions on it match no contact.']
    expect((await core.segments.get(scope, made._id)).warnings).toEqual(warnings)
    expect((await core.segments.list(scope, query)).items[0]?.warnings).toEqual(warnings)
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    expect(await core.segments.get(scope, made._id)).toEqual(made)
  })

  it('adds nobody to the recipients excluded as unengaged before', async () => {
    const { core, scope, reached } = await start()
    const groups = group(about('equals', 'Ada', 'name'), about('equals', 'Wien'))
    await core.projects.update(scope, { unengagedContactSegment: { groups } })
    expect(await reached({ excludeUnengaged: true })).toEqual(['b@example.com'])
    await core.customFields.remove(scope, 'city')
    expect(await reached({ excludeUnengaged: true })).toEqual(['b@example.com'])
  })
})

describe('a condition about a tag', () => {
  it('matches the tag’s new name in a running dispatch', async () => {
    const { core, scope, segment, reached } = await start()
    const tag = await core.contactTags.create(scope, { value: 'vip' })
    await core.contacts.update(scope, 'a@example.com', { tags: ['vip'] })
    const { _id } = await segment(group({ category: 'contact-property', operator: 'has-tag', value: 'vip' }))
    await core.contactTags.update(scope, tag._id, { value: 'friend' })
    expect(await reached({ segmentId: _id })).toEqual(['a@example.com'])
    await core.contactTags.remove(scope, tag._id)
    expect(await reached({ segmentId: _id })).toEqual([])
  })
})

describe('a condition on a field that was recreated with another type', () => {
  it('is reported as a warning of the segment, and matches nobody', async () => {
    const { core, scope, segment, found } = await start()
    const { _id } = await segment(group(about('does-not-equal', 'Graz')))
    expect(await found(_id)).toEqual(['a@example.com', 'b@example.com'])
    await core.customFields.remove(scope, 'city')
    await core.customFields.create(scope, { name: 'city', type: 'number' })
    expect(await found(_id)).toEqual([])
    expect((await core.segments.get(scope, _id)).warnings).toEqual([
      'The custom field city now has the type number: the condition matches no contact, because does-not-equal needs a number.',
    ])
  })
})
