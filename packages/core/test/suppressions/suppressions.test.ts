import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const core = createCore(inMemoryPorts().ports)
  return { core, ...(await sampleProject(core)) }
}

describe('the suppression list', () => {
  it('contains an address once, in any spelling', async () => {
    const { core, scope } = await start()
    const entry = await core.suppressions.create(scope, { email: 'Gone@example.com', reason: 'asked us' })
    expect(entry).toEqual({
      _id: entry._id,
      email: 'Gone@example.com',
      reason: 'asked us',
      createdAt: '2026-01-06T12:00:00.000Z',
    })
    await expect(core.suppressions.create(scope, { email: 'gone@EXAMPLE.com' })).rejects.toMatchObject({
      kind: 'duplicate',
      message: 'This email is already in the suppression list.',
    })
  })

  it('is separate for each project', async () => {
    const { core, scope } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    const { _id } = await core.suppressions.create(scope, { email: 'gone@example.com' })
    expect((await core.suppressions.list(other, { limit: 10, skip: 0 })).count).toBe(0)
    await expect(core.suppressions.remove(other, _id)).rejects.toMatchObject({ kind: 'not-found' })
    await core.suppressions.create(other, { email: 'gone@example.com' })
  })

  it('can be filtered, and addresses can be removed', async () => {
    const { core, scope } = await start()
    await core.suppressions.create(scope, { email: 'one@example.com', reason: 'bounce' })
    const two = await core.suppressions.create(scope, { email: 'two@example.com' })
    const bounced = await core.suppressions.list(scope, { limit: 10, skip: 0, filter: { reason: 'bounce' } })
    expect(bounced.items.map(({ email }) => email)).toEqual(['one@example.com'])
    await expect(core.suppressions.list(scope, { limit: 10, skip: 0, filter: { emailKey: 'x' } })).rejects.toThrow(
      'filter[emailKey]: unknown field',
    )
    expect(await core.suppressions.remove(scope, two._id)).toEqual(two)
    expect((await core.suppressions.list(scope, { limit: 10, skip: 0 })).count).toBe(1)
  })

  it.each([
    [{}, 'Missing required field: email'],
    [{ email: 'nobody' }, 'Invalid email format'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'Invalid email format'],
    [{ email: 3, why: 1 }, 'Invalid email format; Unexpected field: why'],
  ])('rejects %j', async (input, message) => {
    const { core, scope } = await start()
    await expect(core.suppressions.create(scope, input as never)).rejects.toMatchObject({ kind: 'invalid', message })
  })
})
