import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../../src/sqlite-store.js'
import { folder } from '../folder.js'

const now = '2026-01-01T00:00:00.000Z'
const key = (n: number) => ({
  _id: `key${n}`,
  projectId: 'p',
  name: `Key ${n}`,
  digest: `digest${n}`,
  lastFour: '0000',
  scope: 'full' as const,
  createdAt: now,
  updatedAt: now,
})

describe('cached records', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let one: SqliteStore
  let other: SqliteStore
  beforeEach(async () => {
    place = await folder()
    one = openSqliteStore(place)
    other = openSqliteStore(place)
    await one.repositories.apiKeys.add(key(1))
  })
  afterEach(async () => {
    await Promise.all([one.close(), other.close()])
    await place.remove()
  })

  const byDigest = (store: SqliteStore) => store.repositories.apiKeys.get({ digest: 'digest1' })
  const namesIn = async (store: SqliteStore) => {
    const names: string[] = []
    for await (const { name } of store.repositories.apiKeys.each({ projectId: 'p' })) names.push(name)
    return names
  }

  it('are read once, and cannot be changed by their readers', async () => {
    const first = await byDigest(one)
    expect(await byDigest(one)).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
  })

  it('are read again at once after a change here', async () => {
    await byDigest(one)
    await namesIn(one)
    await one.repositories.apiKeys.change({ _id: 'key1' }, (found) => ({ ...found, revokedAt: now, name: 'Old' }))
    expect(await byDigest(one)).toMatchObject({ revokedAt: now })
    await one.repositories.apiKeys.add(key(2))
    expect(await namesIn(one)).toEqual(['Old', 'Key 2'])
    await one.repositories.apiKeys.removeAll({ projectId: 'p' })
    expect(await byDigest(one)).toBeUndefined()
    expect(await namesIn(one)).toEqual([])
  })

  it('are read again at once after another connection’s change', async () => {
    await byDigest(one)
    await namesIn(one)
    await other.repositories.apiKeys.change({ _id: 'key1' }, (found) => ({ ...found, revokedAt: now }))
    expect(await byDigest(one)).toMatchObject({ revokedAt: now })
    await other.repositories.apiKeys.remove({ _id: 'key1' })
    expect(await byDigest(one)).toBeUndefined()
    expect(await namesIn(one)).toEqual([])
  })

  it('stay after a failed change', async () => {
    await byDigest(one)
    const failing = one.repositories.apiKeys.change({ _id: 'key1' }, () => {
      throw new Error('No')
    })
    await expect(failing).rejects.toThrow('No')
    await expect(one.repositories.apiKeys.add(key(1))).rejects.toThrow('taken')
    expect(await byDigest(one)).toEqual(key(1))
  })

  it('are looked up again if they did not exist', async () => {
    expect(await one.repositories.apiKeys.get({ digest: 'digest3' })).toBeUndefined()
    await one.repositories.apiKeys.add(key(3))
    expect(await one.repositories.apiKeys.get({ digest: 'digest3' })).toMatchObject({ name: 'Key 3' })
  })

  it('distinguish absent fields from unspecified ones', async () => {
    const { apiKeys } = one.repositories
    await apiKeys.change({ _id: 'key1' }, (found) => ({ ...found, revokedAt: now }))
    expect(await apiKeys.get({ projectId: 'p' })).toMatchObject({ _id: 'key1' })
    expect(await apiKeys.get({ projectId: 'p', revokedAt: undefined })).toBeUndefined()
  })
})
