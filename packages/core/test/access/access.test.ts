import { createCore } from '@posthorn/core'
import { keyScopes } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const aProject = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const sample = await sampleProject(core)
  const projectId = sample.project._id
  const opens = (bearer: string, keys: readonly (typeof keyScopes)[number][], project = projectId) =>
    core.access.authorize(project, { bearer }, { keys })
  return { ports, core, projectId, sample, opens }
}

describe('the scope of an API key', () => {
  it.each(keyScopes)('is stored and shown: %s', async (scope) => {
    const { core, projectId } = await aProject()
    const { apiKey } = await core.apiKeys.create(projectId, { scope })
    expect(apiKey.scope).toBe(scope)
    expect((await core.apiKeys.list(projectId)).at(-1)).toEqual(apiKey)
  })

  it('is full by default', async () => {
    const { core, projectId, opens } = await aProject()
    const { apiKey, key } = await core.apiKeys.create(projectId, {})
    expect(apiKey.scope).toBe('full')
    expect((await core.apiKeys.list(projectId)).map(({ scope }) => scope)).toEqual(['full', 'full'])
    expect(await opens(key, [])).toMatchObject({ apiKey: { _id: apiKey._id, scope: 'full' } })
  })

  it('must be one of the four', async () => {
    const { core, projectId } = await aProject()
    await expect(core.apiKeys.create(projectId, { scope: 'admin' as never })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it.each(keyScopes)('opens what requires it, and everything if it is full: %s', async (scope) => {
    const { core, projectId, opens } = await aProject()
    const { key } = await core.apiKeys.create(projectId, { scope })
    for (const asked of keyScopes) {
      const opened = await opens(key, [asked]).then(
        () => true,
        () => false,
      )
      expect([asked, opened]).toEqual([asked, scope === 'full' || scope === asked])
    }
  })

  it('is named to holders of a key of the project, with the scope that is required', async () => {
    const { core, projectId, opens } = await aProject()
    const { key } = await core.apiKeys.create(projectId, { scope: 'read' })
    await expect(opens(key, ['send'])).rejects.toThrow(
      'This API key has the scope read; this takes a key with the scope send or full.',
    )
    await expect(core.access.byKey(key)).rejects.toThrow('takes a key with the scope full.')
  })

  it('is not named to anybody else', async () => {
    const { core, projectId, opens } = await aProject()
    const other = await sampleProject(core, { name: 'Other' })
    const { key, apiKey } = await core.apiKeys.create(projectId, { scope: 'read' })
    await expect(opens(key, ['send'], other.project._id)).rejects.toThrow('Missing or invalid API key.')
    await core.apiKeys.revoke(projectId, apiKey._id)
    await expect(opens(key, ['send'])).rejects.toThrow('Missing or invalid API key.')
  })
})

describe('an API key given by the caller', () => {
  it('must not look like a webhook’s own secret', async () => {
    const { core, projectId } = await aProject()
    await expect(core.apiKeys.create(projectId, { key: `whsec_${'a'.repeat(32)}` })).rejects.toThrow(
      'must not begin with whsec_',
    )
  })
})
