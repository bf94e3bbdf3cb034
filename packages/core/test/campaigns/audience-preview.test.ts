import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Reader = {
  readonly status: 'active' | 'paused' | 'unsubscribed' | 'unverified'
  readonly city: string | undefined
  readonly isSuppressed: boolean
  readonly isIdle: boolean
}

const setUp = async (readers: readonly Reader[], { credits = 10_000, production = true } = {}) => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core, { credits, production })
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  await core.customFields.create(scope, { name: 'idle', type: 'boolean' })
  await core.projects.update(scope, {
    unengagedContactSegment: { groups: [{ conditions: [{ property: 'idle', operator: 'is-true' }] }] },
  })
  const segment = await core.segments.create(scope, {
    name: 'With a city',
    groups: [{ conditions: [{ property: 'city', operator: 'is-not-empty' }] }],
  })
  for (const [n, { status, city, isSuppressed, isIdle }] of readers.entries()) {
    const email = `reader${n}@example.com`
    await core.contacts.create(scope, { email, idle: isIdle, ...(city && { city }) })
    await core.subscribers.subscribe(scope, list._id, { email, status: status === 'unverified' ? status : 'active' })
    if (status === 'unsubscribed') await core.subscribers.update(scope, list._id, email, { status })
    if (status === 'paused') {
      const pausedUntil = new Date(clock.now().getTime() + 86_400_000).toISOString()
      await core.subscribers.update(scope, list._id, email, { status, pausedUntil })
    }
    if (isSuppressed) await core.suppressions.create(scope, { email })
  }
  const draft = (changes: object = {}) =>
    core.campaigns.create(scope, {
      ...{ name: 'News', subject: 'For {{contact.name}}', type: 'text', document: 'From {{contact.city}}' },
      ...{ timeZone: 'UTC', subscriberListId: list._id, status: 'draft', ...changes },
    })
  return { core, clock, scope, list, segment, draft }
}

const reader = fc.record({
  status: fc.constantFrom('active', 'active', 'active', 'paused', 'unsubscribed', 'unverified'),
  city: fc.option(fc.constantFrom('Bern', 'Graz'), { nil: undefined }),
  isSuppressed: fc.boolean(),
  isIdle: fc.boolean(),
})

describe('the dry run of a campaign', () => {
  it('predicts exactly whom the sending reaches and excludes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reader, { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        async (readers, excludeUnengaged, isNarrowed) => {
          const { core, clock, scope, segment, draft } = await setUp(readers)
          const { _id } = await draft({ excludeUnengaged, ...(isNarrowed && { segmentId: segment._id }) })
          const preview = await core.campaigns.audience(scope, _id)
          await core.campaigns.update(scope, _id, { status: 'scheduled', scheduledTo: clock.now().toISOString() })
          await core.worker.runUntilIdle()
          const { deliveries, excluded } = await core.campaigns.progress(scope, _id)
          expect(preview.recipients).toBe(deliveries.sent ?? 0)
          for (const reason of ['suppressed', 'unengaged'] as const)
            expect(preview.excluded[reason] ?? 0).toBe(excluded[reason] ?? 0)
          const others = Object.values(preview.excluded).reduce((sum, n) => sum + n, 0)
          expect(preview.recipients + preview.outsideSegment + others).toBe(readers.length)
          expect(preview.subscribers).toBe(readers.length)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('changes nothing and takes no credit', async () => {
    const { core, scope, draft } = await setUp([{ status: 'active', city: 'Bern', isSuppressed: false, isIdle: false }])
    const before = await draft()
    await core.campaigns.audience(scope, before._id)
    expect(await core.campaigns.get(scope, before._id)).toEqual(before)
    expect((await core.campaigns.audience(scope, before._id)).limits).toMatchObject([
      { name: 'credit', left: 10_000 },
      {},
    ])
  })

  it('counts the recipients who have no value for a merge tag', async () => {
    const active = { status: 'active', isSuppressed: false, isIdle: false } as const
    const { core, scope, segment, draft } = await setUp([
      { ...active, city: 'Bern' },
      { ...active, city: undefined },
      { ...active, city: undefined, isSuppressed: true },
    ])
    const { _id } = await draft()
    expect((await core.campaigns.audience(scope, _id)).emptyTags).toEqual([
      { tag: 'contact.city', recipients: 1 },
      { tag: 'contact.name', recipients: 2 },
    ])
    const misspelt = await draft({ document: 'Dear {{contact.nmae}} {{contact.email}} {{contact.tags.[0]}}' })
    expect((await core.campaigns.audience(scope, misspelt._id)).emptyTags).toContainEqual({
      tag: 'contact.nmae',
      recipients: 2,
    })
    expect((await core.campaigns.audience(scope, misspelt._id)).emptyTags.map(({ tag }) => tag)).not.toContain(
      'contact.tags',
    )
    const narrowed = await draft({ segmentId: segment._id })
    expect((await core.campaigns.audience(scope, narrowed._id)).emptyTags).toEqual([
      { tag: 'contact.city', recipients: 0 },
      { tag: 'contact.name', recipients: 1 },
    ])
  })

  it('lists the addresses behind a reason', async () => {
    const { core, scope, draft } = await setUp([
      { status: 'active', city: 'Bern', isSuppressed: true, isIdle: true },
      { status: 'active', city: 'Bern', isSuppressed: false, isIdle: true },
    ])
    const { _id } = await draft({ excludeUnengaged: true })
    expect(await core.campaigns.excluded(scope, _id, { reason: 'suppressed' })).toEqual({
      emails: ['reader0@example.com'],
    })
    expect(await core.campaigns.excluded(scope, _id, { reason: 'unengaged' })).toEqual({
      emails: ['reader1@example.com'],
    })
    await expect(core.campaigns.excluded(scope, _id, { reason: 'no-credit' as 'suppressed' })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })

  it('reports what is left of the sandbox day, and why the campaign cannot be sent', async () => {
    const { core, scope, draft } = await setUp([], { production: false, credits: 3 })
    const { _id } = await draft({ document: undefined })
    const { limits, problem } = await core.campaigns.audience(scope, _id)
    expect(problem).toMatch(/document/)
    expect(limits).toEqual([])
    await core.campaigns.update(scope, _id, { document: 'Hello' })
    const preview = await core.campaigns.audience(scope, _id)
    expect(preview).not.toHaveProperty('problem')
    expect(preview.limits).toEqual([
      { name: 'credit', left: 3 },
      { name: 'sandbox-day', left: expect.any(Number) },
    ])
  })

  it('does not find a campaign of another project', async () => {
    const { core, draft } = await setUp([])
    const { scope: other } = await sampleProject(core, { name: 'Other' })
    const { _id } = await draft()
    await expect(core.campaigns.audience(other, _id)).rejects.toMatchObject({ kind: 'not-found' })
    await expect(core.campaigns.excluded(other, _id, { reason: 'suppressed' })).rejects.toMatchObject({
      kind: 'not-found',
    })
  })
})
