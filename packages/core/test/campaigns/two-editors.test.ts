import { createCore, type Scope } from '@posthorn/core'
import { permissions } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const setUp = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const as = (name: string): Scope => ({ ...scope, caller: 'person', person: { _id: name, name, permissions } })
  const draft = await core.campaigns.create(as('Theo'), {
    ...{ name: 'News', subject: 'One', type: 'text', document: 'd', timeZone: 'UTC', subscriberListId: list._id },
  })
  clock.advance(1_000)
  return { core, scope, as, draft, clock }
}

describe('two people on one draft', () => {
  it('learn who saved it and when, instead of replacing each other’s changes', async () => {
    const { core, as, draft, clock } = await setUp()
    const basedOn = draft.updatedAt
    const saved = await core.campaigns.update(as('Mara'), draft._id, { subject: 'Two', basedOn })
    expect(saved).toMatchObject({ subject: 'Two', updatedBy: 'Mara' })
    clock.advance(1_000)
    await expect(core.campaigns.update(as('Theo'), draft._id, { subject: 'Three', basedOn })).rejects.toMatchObject({
      kind: 'duplicate',
      code: 'changed-since',
      message: `Mara changed this at ${saved.updatedAt}.`,
    })
    expect((await core.campaigns.get(as('Theo'), draft._id)).subject).toBe('Two')
    const kept = await core.campaigns.update(as('Theo'), draft._id, { subject: 'Three', basedOn: saved.updatedAt })
    expect(kept).toMatchObject({ subject: 'Three', updatedBy: 'Theo' })
  })

  it('are named only until a program changes it, which needs no version', async () => {
    const { core, scope, draft } = await setUp()
    expect(draft.updatedBy).toBe('Theo')
    const changed = await core.campaigns.update(scope, draft._id, { subject: 'Two' })
    expect([changed.subject, changed.updatedBy]).toEqual(['Two', undefined])
    expect(changed).not.toHaveProperty('basedOn')
  })
})
