import { createCore } from '@posthorn/core'
import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { bootstrap, exportLines, greeting, standing, welcome } from '../src/bootstrap.js'

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
    expect(text).toContain('export KEY="$POSTHORN_BOOTSTRAP_KEY"\n')
    expect(text.match(/^curl .*"Authorization: Bearer \$KEY"/gm)).toHaveLength(3)
    expect(await core.access.byKey(key)).toMatchObject({ projectId: made?.projectId })
  })

  it('sets what the README names by lines that can be pasted', async () => {
    const made = await bootstrap(createCore(inMemoryPorts().ports), { region })
    const lines = made ? welcome(made, 'http://127.0.0.1:3000').split('\n') : []
    expect(lines.filter((line) => line.startsWith('export '))).toEqual([
      'export POSTHORN=http://127.0.0.1:3000',
      `export ACCOUNT=${made?.accountId}`,
      `export PROJECT=${made?.projectId}`,
      `export LIST=${made?.listId}`,
      `export KEY=${made?.key}`,
    ])
  })

  it('leaves nothing to be repaired, as no older version was there', async () => {
    const { ports, jobs } = inMemoryPorts()
    const core = createCore(ports)
    await bootstrap(core, { region })
    await core.worker.start()
    expect(jobs.waiting().map(({ key }) => key)).not.toContain('repair')
    await core.worker.stop()
  })

  it('happens once for two processes that start together', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const made = await Promise.all([bootstrap(core, { region }), bootstrap(core, { region })])
    expect(made.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await core.projects.all()).toHaveLength(1)
  })
})

describe('a later start', () => {
  it('says again what it may: all but the key', async () => {
    const { ports } = inMemoryPorts()
    const made = await bootstrap(createCore(ports), { region })
    const known = await standing(ports.repositories)
    expect(known).toEqual({ accountId: made?.accountId, projectId: made?.projectId, listId: made?.listId })
    const text = greeting(known, 'http://127.0.0.1:3000')
    expect(text).toContain(`export PROJECT=${made?.projectId}\n`)
    expect(text).toContain('export KEY=$(npm run --silent posthorn -- key create)')
    expect(text).not.toContain(made?.key)
  })

  it('says where to look alone, where there are several projects or none', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    expect(await standing(ports.repositories)).toBeUndefined()
    const made = await bootstrap(core, { region })
    await core.projects.create({ accountId: made?.accountId ?? '', name: 'Second' })
    expect(await standing(ports.repositories)).toBeUndefined()
    expect(greeting(undefined, 'http://127.0.0.1:3000')).toBe(
      '\nThe API    http://127.0.0.1:3000/docs\nThe mail   http://127.0.0.1:3000/outbox\n',
    )
  })

  it('leaves out what is not known', () => {
    expect(exportLines({ A: '1', B: undefined })).toBe('export A=1')
  })
})
