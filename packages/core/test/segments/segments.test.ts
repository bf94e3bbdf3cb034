import { createCore } from '@posthorn/core'
import { blocked } from '@posthorn/core/ports/runtime'
import type { Campaign } from '@posthorn/core/ports/storage'
import { aCampaign, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const query = { limit: 10, skip: 0 }

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  return { core, ports, clock, scope, list }
}

const vip = { conditions: [{ category: 'contact-property' as const, operator: 'has-tag' as const, value: 'vip' }] }

describe('a segment', () => {
  it('is stored with default category and operator', async () => {
    const { core, scope } = await start()
    const made = await core.segments.create(scope, {
      name: 'Everybody',
      groups: [{ conditions: [{}] }, {}],
    })
    expect(made).toMatchObject({
      groups: [{ conditions: [{ category: 'contact-property', operator: 'any' }] }, { conditions: [] }],
    })
    expect(await core.segments.get(scope, made._id)).toEqual(made)
    expect(await core.segments.list(scope, query)).toEqual({ items: [made], count: 1 })
    expect(made).not.toHaveProperty('projectId')
  })

  it('is rejected with all violations in one message', async () => {
    const { core, scope } = await start()
    await expect(
      core.segments.create(scope, { groups: [{ conditions: [{ operator: 'is' }] }], x: 1 } as never),
    ).rejects.toThrow(/^Missing required field: name; groups\[0\]\.conditions\[0\]\.operator: .*; Unexpected field: x$/)
    await expect(
      core.segments.create(scope, {
        name: 'X',
        groups: [{ conditions: [{ operator: 'equals' }, { operator: 'has-tag' }] }],
      }),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message: 'groups[0].conditions[0]: equals needs a property; groups[0].conditions[1]: has-tag needs a tag',
    })
  })

  it('keeps fields that an update omits, and replaces its groups as a whole', async () => {
    const { core, scope, clock } = await start()
    const made = await core.segments.create(scope, { name: 'VIP', groups: [vip] })
    clock.advance(1000)
    const renamed = await core.segments.update(scope, made._id, { name: 'Friends' })
    expect(renamed).toEqual({ ...made, name: 'Friends', updatedAt: '2026-01-06T12:00:01.000Z' })
    expect((await core.segments.update(scope, made._id, { groups: [] })).groups).toEqual([])
  })

  it('is unchanged by an update without changes', async () => {
    const { core, scope, clock } = await start()
    const made = await core.segments.create(scope, { name: 'VIP', groups: [vip] })
    clock.advance(1000)
    expect(await core.segments.update(scope, made._id, {})).toEqual(made)
    expect(await core.segments.update(scope, made._id, { name: 'VIP' })).toEqual(made)
  })

  it('of another project is not found', async () => {
    const { core, scope } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    const { _id } = await core.segments.create(scope, { name: 'VIP' })
    const refused = { kind: 'not-found', message: 'Segment not found' }
    await expect(core.segments.get(other, _id)).rejects.toMatchObject(refused)
    await expect(core.segments.update(other, _id, { name: 'Mine' })).rejects.toMatchObject(refused)
    await expect(core.segments.remove(other, _id)).rejects.toMatchObject(refused)
    expect((await core.segments.get(scope, _id)).name).toBe('VIP')
  })

  it.each<[Campaign['status'], boolean]>([
    ['draft', true],
    ['scheduled', true],
    ['being-sent', true],
    ['error', true],
    ['sent', false],
    ['archive', false],
  ])('used by a campaign in status %s is in use: %s', async (status, used) => {
    const { core, ports, scope, list } = await start()
    const { _id } = await core.segments.create(scope, { name: 'VIP' })
    await ports.repositories.campaigns.add(
      aCampaign({ projectId: scope.projectId, status, segmentId: _id, subscriberListId: list._id }),
    )
    const outcome = await core.segments.remove(scope, _id).then(
      ({ name }) => `${name} is gone`,
      (refusal: unknown) => refusal,
    )
    expect(outcome).toEqual(used ? blocked('The segment is in use by the campaign News.') : 'VIP is gone')
  })
})
