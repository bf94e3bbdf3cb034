import { fixedClock } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { cachedPoll, wakeUpSignal } from '../../../src/kernel/wake-up.js'

const watched = (answers: readonly (readonly string[] | Error)[]) => {
  const clock = fixedClock()
  const waking = wakeUpSignal()
  let asked = 0
  const look = cachedPoll({
    query: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? []
      asked += 1
      if (answer instanceof Error) throw answer
      return answer
    },
    isEmpty: (answer) => answer.length === 0,
    clock: clock.now,
    wakeUp: waking,
    interval: { first: 1_000, longest: 3_000 },
  })
  return { ...look, clock, waking, asked: () => asked }
}

describe('a cached poll', () => {
  it('queries once for all callers until the answer expires', async () => {
    const { answer, clock, asked } = watched([['a'], ['b']])
    expect(await Promise.all([answer(), answer()])).toEqual([['a'], ['a']])
    clock.advance(999)
    expect([await answer(), asked()]).toEqual([['a'], 1])
    clock.advance(1)
    expect([await answer(), asked()]).toEqual([['b'], 2])
  })

  it('queries less often while there is nothing, up to a maximum interval', async () => {
    const { answer, clock, asked } = watched([[]])
    for (const wait of [2_000, 3_000, 3_000]) {
      const before = asked()
      await answer()
      clock.advance(wait - 1)
      await answer()
      expect(asked()).toBe(before + 1)
      clock.advance(1)
    }
  })

  it('queries at once after a wake-up, then at the initial interval', async () => {
    const { answer, clock, waking, asked } = watched([[], [], ['a'], ['b']])
    await answer()
    waking.wake()
    await answer()
    expect(asked()).toBe(2)
    waking.wake()
    expect(await answer()).toEqual(['a'])
    clock.advance(1_000)
    expect(await answer()).toEqual(['b'])
  })

  it('queries again after an error or an invalidation', async () => {
    const { answer, invalidate, asked } = watched([new Error('away'), ['a'], ['b']])
    await expect(answer()).rejects.toThrow('away')
    expect(await answer()).toEqual(['a'])
    invalidate()
    expect([await answer(), asked()]).toEqual([['b'], 3])
  })
})
