import { describe, expect, it } from 'vitest'
import { fairLimiter } from '../../src/kernel/fair-limiter.js'

const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('tasks in turn', () => {
  it('run up to the limit at once, in order', async () => {
    const inTurn = fairLimiter(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    const all = [1, 2, 3, 4].map((one) =>
      inTurn(() => {
        begun.push(one)
        return new Promise<void>((end) => ends.push(end))
      }),
    )
    await tick()
    expect(begun).toEqual([1, 2])
    ends[1]?.()
    await tick()
    expect(begun).toEqual([1, 2, 3])
    for (const n of [0, 2]) ends[n]?.()
    await tick()
    ends[3]?.()
    await Promise.all(all)
    expect(begun).toEqual([1, 2, 3, 4])
  })

  it('of several keys take turns', async () => {
    const inTurn = fairLimiter(1)
    const begun: string[] = []
    const task = (key: string, n: number) => inTurn(async () => void begun.push(`${key}${n}`), key)
    await Promise.all([...[1, 2, 3, 4].map((n) => task('a', n)), ...[1, 2].map((n) => task('b', n)), task('c', 1)])
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('continue after one fails', async () => {
    const inTurn = fairLimiter(1)
    const [failed, other] = await Promise.allSettled([
      inTurn(async () => {
        throw new Error('no')
      }),
      inTurn(async () => 'yes'),
    ])
    expect([failed?.status, other?.status]).toEqual(['rejected', 'fulfilled'])
  })
})
