import { createCore } from '@posthorn/core'
import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { bootstrap, welcome } from '../src/bootstrap.js'

const region = 'eu-west-1'

describe('the first start', () => {
  it('makes what a newcomer needs to send, and says it once', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const made = await bootstrap(core, { region })
    expect((await core.accounts.list()).map(({ credits }) => credits)).toEqual([10_000])
    const text = made ? welcome(made, 'http://127.0.0.1:3000') : ''
    for (const part of [made?.projectId, made?.listId, made?.key]) expect(text).toContain(part)
    expect(await bootstrap(core, { region })).toBeUndefined()
  })

  it('prints no key that was given', async () => {
    const core = createCore(inMemoryPorts().ports)
    const key = 'a-key-that-only-tests-have-0001'
    const made = await bootstrap(core, { region, key })
    const text = made ? welcome(made, 'http://127.0.0.1:3000') : ''
    expect(text).not.toContain(key)
    expect(text).toContain('the key that you gave')
    expect(text.match(/^curl .*"Authorization: Bearer \$POSTHORN_BOOTSTRAP_KEY"/gm)).toHaveLength(3)
    expect(await core.access.byKey(key)).toMatchObject({ projectId: made?.projectId })
  })

  it('happens once for two processes that start together', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const made = await Promise.all([bootstrap(core, { region }), bootstrap(core, { region })])
    expect(made.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await core.projects.all()).toHaveLength(1)
  })
})
