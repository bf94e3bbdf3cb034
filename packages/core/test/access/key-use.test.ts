import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const aKey = async () => {
  const { ports, clock, lines } = inMemoryPorts()
  let writes = 0
  const { apiKeys } = ports.repositories
  const change = apiKeys.change.bind(apiKeys)
  Object.assign(apiKeys, {
    change: (...given: Parameters<typeof change>) => {
      writes += 1
      return change(...given)
    },
  })
  const core = createCore(ports)
  const projectId = (await sampleProject(core)).project._id
  const { apiKey, key } = await core.apiKeys.create(projectId, { scope: 'read' })
  const use = (admits: readonly 'read'[] = ['read']) =>
    core.access.authorize(projectId, { bearer: key }, { keys: admits })
  /** Resolves when pending writes are stored. */
  const lastUsed = async () => {
    await new Promise(setImmediate)
    return (await core.apiKeys.list(projectId)).find(({ _id }) => _id === apiKey._id)?.lastUsedAt
  }
  return { core, ports, apiKeys, apiKey, projectId, use, lastUsed, clock, lines, writes: () => writes }
}

const hour = 60 * 60_000

describe('the last use of an API key', () => {
  it('is unknown before the first request', async () => {
    const { lastUsed } = await aKey()
    expect(await lastUsed()).toBeUndefined()
  })

  it('is stored once an hour, however many requests there are', async () => {
    const { use, lastUsed, clock, writes } = await aKey()
    const first = clock.now().toISOString()
    await Promise.all(Array.from({ length: 50 }, () => use()))
    expect(await lastUsed()).toBe(first)
    clock.advance(hour - 1)
    await use()
    expect([await lastUsed(), writes()]).toEqual([first, 1])
    clock.advance(1)
    const second = clock.now().toISOString()
    await use()
    expect([await lastUsed(), writes()]).toEqual([second, 2])
  })

  it('is not stored again by another process within the hour', async () => {
    const { ports, use, lastUsed, clock, writes, projectId } = await aKey()
    await use()
    const first = await lastUsed()
    clock.advance(hour / 2)
    const other = createCore(ports)
    const { key } = await other.apiKeys.create(projectId, { scope: 'read' })
    await other.access.byKey(key, { keys: ['read'] })
    await use()
    expect([await lastUsed(), writes()]).toEqual([first, 2])
  })

  it('never delays or fails a request whose store does not write', async () => {
    const { apiKeys, use, lastUsed, lines } = await aKey()
    Object.assign(apiKeys, { change: () => Promise.reject(new Error('read-only')) })
    expect(await use()).toMatchObject({ caller: 'api-key' })
    expect(await lastUsed()).toBeUndefined()
    expect(lines.map(({ message }) => message)).toEqual(['The last use of an API key could not be stored'])
    Object.assign(apiKeys, { change: () => new Promise(() => {}) })
    expect(await use()).toMatchObject({ caller: 'api-key' })
    await use()
    expect(lines).toHaveLength(1)
  })

  it('is not that of somebody who guesses a key, or uses one that was revoked', async () => {
    const { core, apiKey, projectId, use, lastUsed } = await aKey()
    await core.apiKeys.revoke(projectId, apiKey._id)
    await expect(use()).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(core.access.byKey('ph_guessed')).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await lastUsed()).toBeUndefined()
  })
})
