import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

describe('null for an optional project field', () => {
  it('restores the default of new projects and of the installation', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore({ ...ports, settings: { ...ports.settings, browserAccess: 'none' } })
    const { scope, project } = await sampleProject(core, { production: false })
    const { updatedAt: _, ...fresh } = project
    await core.projects.update(scope, {
      logoUrl: 'https://example.com/logo.png',
      unengagedContactSegment: { groups: [] },
      autoRemoveFromList: { bounce: 'off', complaint: 'deleteContact' },
      whiteList: ['shop.example'],
      browserAccess: 'full',
      tracking: { opens: false },
      language: 'de',
      customSubscriptionPreferencesUrl: 'https://example.com/preferences',
      cloudConfig: { region: 'eu-west-1' },
    })
    const after = await core.projects.update(scope, {
      logoUrl: null,
      unengagedContactSegment: null,
      autoRemoveFromList: null,
      whiteList: null,
      browserAccess: null,
      tracking: null,
      language: null,
      customSubscriptionPreferencesUrl: null,
      cloudConfig: null,
      status: null,
    })
    expect(after).toMatchObject(fresh)
    expect(after).not.toHaveProperty('logoUrl')
    expect(after).not.toHaveProperty('cloudConfig')
  })

  it('is rejected for the name', async () => {
    const core = createCore(inMemoryPorts().ports)
    const { scope } = await sampleProject(core)
    await expect(core.projects.update(scope, { name: null } as never)).rejects.toMatchObject({ kind: 'invalid' })
  })
})
