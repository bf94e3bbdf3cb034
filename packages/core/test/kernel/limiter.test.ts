import { concurrencyLimiter } from '@posthorn/core/ports/runtime'
import { describe, expect, it } from 'vitest'

/** Lets everything that can go on go on. */
const quiet = () => new Promise((resolve) => setImmediate(resolve))

/** Tasks that run until they are told to end. */
const tasks = () => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  const end = async (...names: readonly string[]) => {
    for (const name of names) {
      ends.get(name)?.()
      await quiet()
    }
  }
  return { begun, task, end }
}

describe('a limiter', () => {
  it('runs up to the limit at once, in order', async () => {
    const { begun, task, end } = tasks()
    const { run } = concurrencyLimiter({ total: 2 })
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', task(name)))
    await quiet()
    expect(begun).toEqual(['a1', 'a2'])
    await end('a2')
    expect(begun).toEqual(['a1', 'a2', 'a3'])
    await end('a1', 'a3', 'a4')
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('lets owners take turns', async () => {
    const { run } = concurrencyLimiter({ total: 1 })
    const begun: string[] = []
    const task = (owner: string, n: number) => run(owner, async () => void begun.push(`${owner}${n}`))
    await Promise.all([...[1, 2, 3, 4].map((n) => task('a', n)), ...[1, 2].map((n) => task('b', n)), task('c', 1)])
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('limits each owner, and none for another', async () => {
    const { begun, task, end } = tasks()
    const { run } = concurrencyLimiter({ perOwner: 1 })
    const all = [run('a', task('a1')), run('a', task('a2')), run('b', task('b1'))]
    await quiet()
    expect(begun).toEqual(['a1', 'b1'])
    await end('a1', 'a2', 'b1')
    await Promise.all(all)
    expect(begun).toEqual(['a1', 'b1', 'a2'])
  })

  it('refuses an owner with too many waiting tasks', async () => {
    const { begun, task, end } = tasks()
    const { run, take } = concurrencyLimiter({ perOwner: 1, waiting: 1 })
    const first = [run('a', task('a1')), run('a', task('a2'))]
    await expect(run('a', task('a3'))).rejects.toMatchObject({ kind: 'busy' })
    expect(take('a')).toBeUndefined()
    await end('a1', 'a2')
    await Promise.all(first)
    expect(begun).toEqual(['a1', 'a2'])
  })

  it('runs what fits if nothing may wait', async () => {
    const { run, take } = concurrencyLimiter({ perOwner: 1, waiting: 0 })
    expect(await run('a', async () => 1)).toBe(1)
    const charge = await take('a')
    expect(take('a')).toBeUndefined()
    charge?.settle(0)
    expect(await run('a', async () => 2)).toBe(2)
  })

  it('frees a failed task’s place', async () => {
    const { run, isIdle } = concurrencyLimiter({ total: 1 })
    const [failed, other] = await Promise.allSettled([
      run('a', () => Promise.reject(new Error('no'))),
      run('a', async () => 'yes'),
    ])
    expect([failed.status, other.status]).toEqual(['rejected', 'fulfilled'])
    expect(isIdle()).toBe(true)
  })
})

describe('weights', () => {
  const start = (limits: Parameters<typeof concurrencyLimiter>[0]) => {
    const { take } = concurrencyLimiter(limits)
    const begun: string[] = []
    const enter = async (name: string, weight: number) => {
      const charge = await take(name[0] ?? '', weight)
      begun.push(name)
      return charge
    }
    return { begun, enter }
  }

  it('fill the limit; light work does not overtake heavy work', async () => {
    const { begun, enter } = start({ total: 10 })
    const first = enter('a1', 6)
    const others = [enter('b1', 6), enter('c1', 1), enter('a2', 1)]
    await quiet()
    expect(begun).toEqual(['a1'])
    ;(await first)?.settle(0)
    await Promise.all(others)
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  })

  it('of one owner at its limit keep no other owner waiting', async () => {
    const { begun, enter } = start({ total: 10, perOwner: 5 })
    void enter('a1', 5)
    void enter('a2', 1)
    void enter('b1', 5)
    await quiet()
    expect(begun).toEqual(['a1', 'b1'])
  })

  it('above the limit run alone', async () => {
    const { begun, enter } = start({ total: 10 })
    const large = enter('a1', 1_000)
    void enter('b1', 1)
    await quiet()
    expect(begun).toEqual(['a1'])
    ;(await large)?.settle(999)
    await quiet()
    expect(begun).toEqual(['a1'])
    ;(await large)?.settle(9)
    await quiet()
    expect(begun).toEqual(['a1', 'b1'])
  })

  it('have room for any number that end as soon as they begin', async () => {
    const { enter } = start({ total: 2 })
    const charges = await Promise.all(
      Array.from({ length: 20_000 }, async () => {
        const charge = await enter('a', 1)
        charge?.settle(0)
        return charge
      }),
    )
    expect(charges).not.toContain(undefined)
  })
})
