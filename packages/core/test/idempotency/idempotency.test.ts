import { createCore, type Scope } from '@posthorn/core'
import { blocked, busy } from '@posthorn/core/ports/runtime'
import { idempotentRequestLeaseTime } from '@posthorn/core/ports/transport'
import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { KeyedAnswer } from '../../src/idempotency/idempotent-requests.js'
import { idempotencyKeyAge, largestStoredAnswer } from '../../src/idempotency/idempotent-requests.js'

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
      operation: 'sendMail',
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
  it('runs once, and returns the same response again', async () => {
    const { ask, runs } = start()
    expect([await ask(), await ask(), await ask()]).toEqual([
      { result: { n: 1 }, isReplayed: false },
      { result: { n: 1 }, isReplayed: true },
      { result: { n: 1 }, isReplayed: true },
    ])
    expect(runs).toHaveLength(1)
  })

  it('is listed with its repetitions for seven days, once it was repeated', async () => {
    const { ask, core, clock } = start()
    const listed = () => core.idempotency.repeated(scope)
    const first = clock.now().toISOString()
    await ask()
    await ask({ key: 'order-2' })
    expect(await listed()).toEqual([])
    clock.advance(60_000)
    await Promise.all([ask(), ask(), ask()])
    await ask({ scope: { ...scope, projectId: 'p2' } })
    await ask({ fingerprint: 'other' }).catch(() => {})
    expect(await listed()).toEqual([
      expect.objectContaining({
        ...{
          operation: 'sendMail',
          key: 'order-1',
          repeats: 3,
          createdAt: first,
          repeatedAt: clock.now().toISOString(),
        },
      }),
    ])
    clock.advance(7 * idempotencyKeyAge - 60_001)
    await core.idempotency.prune()
    expect(await listed()).toHaveLength(1)
    clock.advance(1)
    await core.idempotency.prune()
    expect(await listed()).toEqual([])
  })

  it('is answered even if its repetition cannot be noted', async () => {
    const { ask, ports } = start()
    await ask()
    ports.repositories.repeatedRequests.change = () => Promise.reject(new Error('the store is away'))
    expect(await ask()).toEqual({ result: { n: 1 }, isReplayed: true })
  })

  it('runs once for concurrent requests', async () => {
    const { ask, runs } = start()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(runs).toHaveLength(1)
    expect(answers.filter((answer) => answer?.isReplayed === false)).toHaveLength(1)
  })

  it('is distinguished by key, project and caller', async () => {
    const { ask, runs } = start()
    await ask()
    await ask({ key: 'order-2' })
    await ask({ scope: { ...scope, projectId: 'p2' } })
    await ask({ scope: { ...scope, caller: 'origin' } })
    expect(new Set(runs).size).toBe(4)
  })

  it('is refused if the key was used for another request', async () => {
    const { ask, runs } = start()
    await ask()
    await expect(ask({ fingerprint: 'another' })).rejects.toMatchObject({ kind: 'duplicate' })
    expect(runs).toHaveLength(1)
  })

  it.each(['', 'x'.repeat(256), 'é', 'a\tb'])('is refused with the key %j', async (key) => {
    await expect(start().ask({ key })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is refused as duplicate while the first request is running', async () => {
    const { ask } = start()
    let finish: (result: unknown) => void = () => {}
    const first = ask({ run: () => new Promise((resolve) => (finish = resolve)) })
    await expect.poll(() => ask()).toBeUndefined()
    finish('sent')
    await first
    expect(await ask()).toEqual({ result: 'sent', isReplayed: true })
  })

  it('may be repeated after a refusal', async () => {
    const { ask, requests } = start()
    for (const refusal of [blocked('No credit'), busy('Later')])
      await expect(ask({ run: () => Promise.reject(refusal) })).rejects.toBe(refusal)
    expect(await requests().get({})).toBeUndefined()
    expect(await ask({ fingerprint: 'mended' })).toMatchObject({ isReplayed: false })
  })

  it('returns what was created before a crash, and does not create it twice', async () => {
    const { ask, runs, clock } = start()
    void ask({ run: () => dead })
    await expect.poll(() => runs.length).toBe(1)
    expect(await ask({ made: 'sent' })).toBeUndefined()
    await clock.pass(idempotentRequestLeaseTime)
    expect(await ask({ made: 'sent' })).toEqual({ result: 'sent', isReplayed: true })
    expect(await ask()).toEqual({ result: 'sent', isReplayed: true })
    expect(runs).toHaveLength(1)
  })

  it('uses the same id if the crash came before anything was created', async () => {
    const { ask, runs, clock } = start()
    void ask({ run: () => dead })
    await expect.poll(() => runs.length).toBe(1)
    await clock.pass(idempotentRequestLeaseTime)
    expect(await ask({ made: undefined })).toEqual({ result: { n: 2 }, isReplayed: false })
    expect(runs[0]).toMatch(/^[0-9a-f]{24}$/)
    expect(runs[1]).toBe(runs[0])
  })

  it('may be repeated at once after an unexpected error, with the same id', async () => {
    const { ask, runs } = start()
    await expect(ask({ run: () => Promise.reject(new Error('disk full')) })).rejects.toThrow('disk full')
    await ask()
    expect(runs[1]).toBe(runs[0])
  })

  it('returns its response even if it cannot be stored', async () => {
    const { ask, core, requests, lines } = start()
    requests().change = () => Promise.reject(new Error('disk full'))
    expect(
      await core.idempotency.once(scope, {
        key: 'k',
        operation: 'sendMail',
        fingerprint: 'f',
        run: async () => 'sent',
      }),
    ).toEqual({
      result: 'sent',
      isReplayed: false,
    })
    expect(lines.map(({ level }) => level)).toContain('error')
    expect(ask).toBeDefined()
  })

  it('reads the record again if its response was too large to store', async () => {
    const { ask, runs, requests } = start()
    const large = 'x'.repeat(largestStoredAnswer)
    await ask({ run: async () => large })
    expect((await requests().get({}))?.answer).toBeUndefined()
    expect(await ask({ made: large })).toEqual({ result: large, isReplayed: true })
    expect(runs).toHaveLength(1)
  })

  it('expires after a day, for requests and in the sweep', async () => {
    const { ask, runs, clock, core, requests } = start()
    await ask()
    await ask({ key: 'order-2' })
    await clock.pass(idempotencyKeyAge)
    expect(await ask()).toMatchObject({ isReplayed: false })
    expect(new Set(runs).size).toBe(3)
    await core.idempotency.prune()
    expect((await requests().list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 9 })).count).toBe(1)
  })

  it('is limited per day, separately for pages of an Origin', async () => {
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
