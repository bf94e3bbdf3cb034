import { createCore, type Scope } from '@posthorn/core'
import { blocked, busy } from '@posthorn/core/ports/runtime'
import { requestLease } from '@posthorn/core/ports/transport'
import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { keyAge } from '../../src/idempotency/idempotent-request.js'
import type { KeyedAnswer } from '../../src/idempotency/idempotent-requests.js'

const scope: Scope = { projectId: 'p1', caller: 'api-key' }

const start = () => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const runs: (string | undefined)[] = []
  const ask = (
    given: { key?: string; fingerprint?: string; scope?: Scope; run?: () => Promise<unknown>; made?: unknown } = {},
  ): Promise<KeyedAnswer | undefined> =>
    core.idempotency.once(given.scope ?? scope, {
      key: given.key ?? 'order-1',
      fingerprint: given.fingerprint ?? 'body',
      run: async ({ requestId }) => {
        runs.push(requestId)
        return given.run ? given.run() : { n: runs.length }
      },
      ...('made' in given && { made: async () => given.made }),
    })
  const requests = () => world.ports.repositories.idempotentRequests
  return { ...world, core, ask, runs, requests }
}

const dead = new Promise<never>(() => {})

describe('a request with an Idempotency-Key', () => {
  it('is carried out once, and answers the same again', async () => {
    const { ask, runs } = start()
    expect([await ask(), await ask(), await ask()]).toEqual([
      { result: { n: 1 }, isReplayed: false },
      { result: { n: 1 }, isReplayed: true },
      { result: { n: 1 }, isReplayed: true },
    ])
    expect(runs).toHaveLength(1)
  })

  it('is carried out once when many ask at the same time', async () => {
    const { ask, runs } = start()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(runs).toHaveLength(1)
    expect(answers.filter((answer) => answer?.isReplayed === false)).toHaveLength(1)
  })

  it('is another one with another key, in another project, and from a page of an Origin', async () => {
    const { ask, runs } = start()
    await ask()
    await ask({ key: 'order-2' })
    await ask({ scope: { ...scope, projectId: 'p2' } })
    await ask({ scope: { ...scope, caller: 'origin' } })
    expect(new Set(runs).size).toBe(4)
  })

  it('is refused when the key was used for something else', async () => {
    const { ask, runs } = start()
    await ask()
    await expect(ask({ fingerprint: 'another' })).rejects.toMatchObject({ kind: 'duplicate' })
    expect(runs).toHaveLength(1)
  })

  it.each(['', 'x'.repeat(256), 'é', 'a\tb'])('is refused with the key %j', async (key) => {
    await expect(start().ask({ key })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is told that the first is under way until that has an answer', async () => {
    const { ask } = start()
    let finish: (result: unknown) => void = () => {}
    const first = ask({ run: () => new Promise((resolve) => (finish = resolve)) })
    await expect.poll(() => ask()).toBeUndefined()
    finish('sent')
    await first
    expect(await ask()).toEqual({ result: 'sent', isReplayed: true })
  })

  it('is judged anew after a refusal', async () => {
    const { ask, requests } = start()
    for (const refusal of [blocked('No credit'), busy('Later')])
      await expect(ask({ run: () => Promise.reject(refusal) })).rejects.toBe(refusal)
    expect(await requests().get({})).toBeUndefined()
    expect(await ask({ fingerprint: 'mended' })).toMatchObject({ isReplayed: false })
  })

  it('asks what was made when it comes again after a crash, and does not do it twice', async () => {
    const { ask, runs, clock } = start()
    void ask({ run: () => dead })
    await expect.poll(() => runs.length).toBe(1)
    expect(await ask({ made: 'sent' })).toBeUndefined()
    await clock.pass(requestLease)
    expect(await ask({ made: 'sent' })).toEqual({ result: 'sent', isReplayed: true })
    expect(await ask()).toEqual({ result: 'sent', isReplayed: true })
    expect(runs).toHaveLength(1)
  })

  it('has the same id for what it makes when a crash came before anything was made', async () => {
    const { ask, runs, clock } = start()
    void ask({ run: () => dead })
    await expect.poll(() => runs.length).toBe(1)
    await clock.pass(requestLease)
    expect(await ask({ made: undefined })).toEqual({ result: { n: 2 }, isReplayed: false })
    expect(runs[0]).toMatch(/^[0-9a-f]{24}$/)
    expect(runs[1]).toBe(runs[0])
  })

  it('may come again at once when it failed without a reason, with the same id', async () => {
    const { ask, runs } = start()
    await expect(ask({ run: () => Promise.reject(new Error('disk full')) })).rejects.toThrow('disk full')
    await ask()
    expect(runs[1]).toBe(runs[0])
  })

  it('answers although its answer cannot be kept', async () => {
    const { ask, core, requests, lines } = start()
    requests().change = () => Promise.reject(new Error('disk full'))
    expect(await core.idempotency.once(scope, { key: 'k', fingerprint: 'f', run: async () => 'sent' })).toEqual({
      result: 'sent',
      isReplayed: false,
    })
    expect(lines.map(({ level }) => level)).toContain('error')
    expect(ask).toBeDefined()
  })

  it('reads what it made again where the answer was too large to keep', async () => {
    const { ask, runs, requests } = start()
    const large = 'x'.repeat(20_000)
    await ask({ run: async () => large })
    expect((await requests().get({}))?.answer).toBeUndefined()
    expect(await ask({ made: large })).toEqual({ result: large, isReplayed: true })
    expect(runs).toHaveLength(1)
  })

  it('is forgotten after a day, by who asks and by who clears away', async () => {
    const { ask, runs, clock, core, requests } = start()
    await ask()
    await ask({ key: 'order-2' })
    await clock.pass(keyAge)
    expect(await ask()).toMatchObject({ isReplayed: false })
    expect(new Set(runs).size).toBe(3)
    await core.idempotency.prune()
    expect((await requests().list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 9 })).count).toBe(1)
  })

  it('has room for so many a day, of which pages of an Origin have a share of their own', async () => {
    const { ask, ports } = start()
    const day = ports.clock().toISOString().slice(0, 10)
    await ports.counters.take([{ key: `idempotency:origin:p1:${day}`, n: 10_000 }])
    await expect(ask({ scope: { ...scope, caller: 'origin' } })).rejects.toMatchObject({ kind: 'busy' })
    expect(await ask()).toMatchObject({ isReplayed: false })
    await ports.counters.take([{ key: `idempotency:full:p1:${day}`, n: 999_999 }])
    expect(await ask()).toMatchObject({ isReplayed: true })
    await expect(ask({ key: 'order-2' })).rejects.toMatchObject({ kind: 'busy' })
  })
})
