import type { FeedReader } from '@posthorn/core/ports/runtime'
import { fixedClock } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { estimateUnreadFeedBytes, feedLoader } from '../../src/mail/feeds.js'

const megabyte = 1024 * 1024
const aFeed = (name: string, more: object = {}) =>
  ({ url: `https://feeds.example.com/${name}`, feedType: 'json', variableName: name, ...more }) as const
const feeds = (n: number) => Array.from({ length: n }, (_, index) => aFeed(`f${index}`))

/** A reader whose feeds answer only when they are let go, and a loader for projects `a1`, `a2` of the account `a`, `b1` of `b`, … */
const start = (answerOf: (url: string) => unknown = () => 'value') => {
  const clock = fixedClock()
  const reads: string[] = []
  const open = new Set<() => void>()
  let most = 0
  const feedReader: FeedReader = {
    read: async ({ url }) => {
      reads.push(url)
      await new Promise<void>((resolve) => {
        open.add(resolve)
        most = Math.max(most, open.size)
      })
      const value = answerOf(url)
      if (value instanceof Error) throw value
      return value
    },
  }
  const loader = feedLoader({ feedReader, accountOf: async (projectId) => projectId.slice(0, 1), clock: clock.now })
  const letGo = () => {
    for (const resolve of open) resolve()
    open.clear()
  }
  return {
    clock,
    reads,
    letGo,
    mostOpen: () => most,
    openNow: () => open.size,
    load: (projectId: string, some: ReturnType<typeof feeds>, use: () => Promise<void> = async () => undefined) =>
      loader.during(projectId, estimateUnreadFeedBytes(some.length), async ({ read }) => {
        const values = await read(some, projectId)
        await use()
        return values
      }),
  }
}

/** Lets everything that can go on without an answer go on. */
const quiet = async () => {
  for (let turn = 0; turn < 20; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}

/** Answers feeds until all of these are done. */
const finish = async (world: ReturnType<typeof start>, ...work: readonly Promise<unknown>[]) => {
  let isDone = false
  const all = Promise.allSettled(work).then((results) => {
    isDone = true
    return results
  })
  while (!isDone) {
    await quiet()
    world.letGo()
  }
  return all
}

describe('the feeds of one email', () => {
  it('are read two at a time, and identical URLs once', async () => {
    const world = start((url) => url.slice(-2))
    const again = { ...aFeed('f0'), variableName: 'again' }
    const loading = world.load('a1', [...feeds(4), again])
    await finish(world, loading)
    expect(await loading).toEqual({ f0: 'f0', f1: 'f1', f2: 'f2', f3: 'f3', again: 'f0' })
    expect([world.mostOpen(), world.reads.length]).toEqual([2, 4])
  })

  it('are not read further once they exceed the size limit together, even if required', async () => {
    const world = start(() => 'x'.repeat(4_000_000))
    const loading = world.load('a1', feeds(20))
    const [result] = await finish(world, loading)
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('more than 10000000 characters') } })
    expect(world.reads.length).toBeLessThanOrEqual(4)
  })

  it('exceed the limit also with few characters and many values', async () => {
    const world = start(() => Array.from({ length: 200_000 }, () => ({})))
    const [result] = await finish(world, world.load('a1', feeds(20)))
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('too many values') } })
  })

  it('are not read after 30 seconds for the earlier ones: a required one then fails', async () => {
    const world = start()
    const loading = world.load('a1', [...feeds(2), aFeed('late', { required: true }) as never])
    await quiet()
    world.clock.advance(30_000)
    world.letGo()
    await expect(loading).rejects.toThrow('The feed late could not be read: the feeds before it took too long')
    expect(world.reads).toHaveLength(2)
  })

  it('are null if they fail and are not required; the first required failure is reported after all reads end', async () => {
    const world = start((url) => (url.endsWith('f0') ? new Error('it answered 500') : 1))
    const [fine] = await finish(world, world.load('a1', feeds(2)))
    expect(fine).toMatchObject({ value: { f0: null, f1: 1 } })
    const [failed] = await finish(world, world.load('a1', [aFeed('f0', { required: true }) as never, aFeed('f1')]))
    expect(failed).toMatchObject({ reason: { message: 'The feed f0 could not be read: it answered 500' } })
    expect(world.openNow()).toBe(0)
  })
})

describe('feeds of many emails', () => {
  it('that hang use only their account’s share of memory, over all its projects', async () => {
    const world = start()
    const some = Array.from({ length: 40 }, (_, n) => world.load(n % 2 ? 'a1' : 'a2', [aFeed(`n${n}`)]))
    await quiet()
    expect(world.openNow() * 20 * megabyte).toBeLessThanOrEqual(64 * megabyte)
    expect(world.openNow()).toBe(3)
    const other = world.load('b1', [aFeed('other')])
    await quiet()
    expect(world.reads.at(-1)).toBe('https://feeds.example.com/other')
    await finish(world, other, ...some)
    expect(new Set(world.reads).size).toBe(41)
  })

  it('of many accounts use three shares, and accounts take turns', async () => {
    const world = start()
    const load = (account: string, n: number) => world.load(`${account}1`, [aFeed(`${account}${n}`)])
    const some = ['a', 'b', 'c', 'd', 'e'].flatMap((account) => [1, 2, 3, 4, 5].map((n) => load(account, n)))
    await quiet()
    expect(world.openNow()).toBe(9)
    await finish(world, ...some)
    const next = world.reads.slice(9, 12).map((url) => url.at(-2))
    expect(next).toContain('d')
    expect(next).toContain('e')
  })

  it('that are equal are read once if read concurrently', async () => {
    const world = start()
    const some = [1, 2, 3].map(() => world.load('a1', [aFeed('same')]))
    await finish(world, ...some)
    expect(world.reads).toHaveLength(1)
  })

  it('are charged their actual size until their values are no longer used', async () => {
    const world = start(() => 'x'.repeat(4_000_000))
    let used: () => void = () => undefined
    const use = new Promise<void>((resolve) => {
      used = resolve
    })
    const some = Array.from({ length: 20 }, (_, n) => world.load('a1', [aFeed(`n${n}`)], () => use))
    for (let round = 0; round < 10; round += 1) {
      await quiet()
      world.letGo()
    }
    expect(world.reads.length).toBeLessThanOrEqual(8)
    used()
    await finish(world, ...some)
    expect(world.reads).toHaveLength(20)
  })

  it('are refused if a hundred of the account wait', async () => {
    const world = start()
    const some = Array.from({ length: 103 }, (_, n) => world.load('a1', [aFeed(`n${n}`)]))
    await quiet()
    await expect(world.load('a2', [aFeed('more')])).rejects.toMatchObject({ kind: 'busy' })
    await finish(world, ...some)
    await finish(world, world.load('a2', [aFeed('more')]))
    expect(world.reads).toHaveLength(104)
  })
})
