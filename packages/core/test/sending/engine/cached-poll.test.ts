import { fixedClock } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { wakeUp } from '../../../src/kernel/wake-up.js'
import { cachedPoll } from '../../../src/sending/engine/cached-poll.js'

const watched = (answers: readonly (readonly string[] | Error)[]) => {
  const clock = fixedClock()
  const waking = wakeUp()
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
  it('asks once for all who want to know, until the answer is too old', async () => {
    const { answer, clock, asked } = watched([['a'], ['b']])
    expect(await Promise.all([answer(), answer()])).toEqual([['a'], ['a']])
    clock.advance(999)
    expect([await answer(), asked()]).toEqual([['a'], 1])
    clock.advance(1)
    expect([await answer(), asked()]).toEqual([['b'], 2])
  })

  it('asks more seldom while there is nothing, but never more seldom than the longest time', async () => {
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

  it('asks at once after a wake-up, and as often as in the beginning', async () => {
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

  it('asks again when somebody has found the answer outdated, or there was none', async () => {
    const { answer, invalidate, asked } = watched([new Error('away'), ['a'], ['b']])
    await expect(answer()).rejects.toThrow('away')
    expect(await answer()).toEqual(['a'])
    invalidate()
    expect([await answer(), asked()]).toEqual([['b'], 3])
  })
})
