import { describe, expect, it } from 'vitest'
import { fairQueue } from '../../src/kernel/fair-queue.js'

const taken = (queue: { take: () => string | undefined }, n: number) => Array.from({ length: n }, () => queue.take())

describe('a fair queue', () => {
  it('keeps the order of each key, and takes keys in turn', () => {
    const queue = fairQueue<string>()
    for (const n of [1, 2, 3, 4]) queue.add('a', `a${n}`)
    expect(taken(queue, 1)).toEqual(['a1'])
    for (const n of [1, 2]) queue.add('b', `b${n}`)
    expect(taken(queue, 6)).toEqual(['a2', 'b1', 'a3', 'b2', 'a4', undefined])
  })

  it('accepts items again after it was empty', () => {
    const queue = fairQueue<string>()
    expect(queue.isEmpty()).toBe(true)
    queue.add('a', 'a1')
    expect(queue.isEmpty()).toBe(false)
    expect(taken(queue, 2)).toEqual(['a1', undefined])
    expect(queue.isEmpty()).toBe(true)
    queue.add('a', 'a2')
    expect(taken(queue, 1)).toEqual(['a2'])
  })

  it('keeps the order of any number of items', () => {
    const queue = fairQueue<string>()
    const all = Array.from({ length: 5_000 }, (_, n) => `a${n}`)
    for (const one of all) queue.add('a', one)
    expect(taken(queue, 5_001)).toEqual([...all, undefined])
    expect(queue.isEmpty()).toBe(true)
  })
})
