import { describe, expect, it } from 'vitest'
import { largeListResponseTurns } from '../../src/admission/concurrency.js'

/** In which turn of the event loop from now each of them begins. */
const turnsOf = async (turn: (name: string) => Promise<void>, names: readonly string[]) => {
  let now = 0
  let isOver = false
  const count = () => {
    now += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begun = await Promise.all(names.map((name) => turn(name).then(() => now)))
  isOver = true
  return begun
}

describe('large lists', () => {
  it('start one per turn of the event loop, also if their size is unknown', async () => {
    const { turn, had } = largeListResponseTurns()
    had('a', 27_000_000)
    const [first = 0, second = 0, third = 0] = await turnsOf(turn, ['a', 'a', 'b'])
    expect(second).toBeGreaterThan(first)
    expect(third).toBeGreaterThan(second)
  })

  it('delay no small list', async () => {
    const { turn, had } = largeListResponseTurns()
    had('small', 20_000)
    expect(await turnsOf(turn, ['a', 'small', 'small'])).toEqual([1, 0, 0])
  })
})
