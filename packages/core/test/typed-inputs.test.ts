import {
  type CampaignView,
  type ContactView,
  createCore,
  type ProjectView,
  type SegmentFields,
  type SegmentView,
} from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, expectTypeOf, it } from 'vitest'

const start = async () => {
  const core = createCore(inMemoryPorts().ports)
  return { core, ...(await sampleProject(core)) }
}

/** `npm run types` holds what is expected of types here. */
describe('a use case’s input', () => {
  it('accepts its fields only, also at run time', async () => {
    const { core, scope, project } = await start()
    // @ts-expect-error: misspelt
    await expect(core.campaigns.create(scope, { nmae: 'typo' })).rejects.toThrow('Unexpected field: nmae')
    // @ts-expect-error: misspelt
    await expect(core.projects.update(scope, { nmae: 'typo' })).rejects.toThrow('Unexpected field: nmae')
    // @ts-expect-error: misspelt
    await expect(core.triggeredEmails.update(scope, '', { nmae: 'typo' })).rejects.toThrow('Unexpected field: nmae')
    // @ts-expect-error: there is no such scope
    await expect(core.apiKeys.create(project._id, { scope: 'everything' })).rejects.toThrow('scope: ')
    // @ts-expect-error: without an address
    await expect(core.contacts.create(scope, { name: 'Ada' })).rejects.toThrow('Missing required field: email')
  })

  it('is checked at every depth', async () => {
    const { core, scope } = await start()
    const groups = [{ conditions: [{ operator: 'is', value: 'vip' }] }]
    // @ts-expect-error: there is no such operator
    await expect(core.segments.create(scope, { name: 'VIP', groups })).rejects.toThrow('conditions[0].operator: ')
  })

  it('has the type that clients send, not the type that is read', async () => {
    const { core, scope } = await start()
    expectTypeOf<{ name: string }>().toExtend<SegmentFields>()
    const { _id } = await core.segments.create(scope, { name: 'VIP', groups: [{}] })
    expect((await core.segments.update(scope, _id, { groups: null })).groups).toEqual([])
    // @ts-expect-error: a name has no default that null could bring back
    await expect(core.segments.update(scope, _id, { name: null })).rejects.toThrow('name: ')
  })

  it('may have flat custom fields', async () => {
    const { core, scope } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    expect(await core.contacts.create(scope, { email: 'ada@example.com', city: 'Wien' })).toMatchObject({
      city: 'Wien',
    })
  })
})

it('a use case returns the type of its view', async () => {
  const { core, scope } = await start()
  expectTypeOf(core.segments.get).returns.resolves.toEqualTypeOf<SegmentView>()
  expectTypeOf(core.campaigns.update).returns.resolves.toEqualTypeOf<CampaignView>()
  expectTypeOf(core.contacts.create).returns.resolves.toEqualTypeOf<ContactView>()
  expectTypeOf(core.projects.get).returns.resolves.toEqualTypeOf<ProjectView>()
  // @ts-expect-error: a project's secrets are not in its view
  expect((await core.projects.get(scope)).cloudExternalId).toBeUndefined()
})
