import { describe, expect, it } from 'vitest'
import { batcher } from '../../src/connection/batcher.js'

describe('batched calls', () => {
  it('become one call, with separate results', async () => {
    const calls: (readonly number[])[] = []
    const halved = batcher<number, number>(async (given) => {
      calls.push(given)
      return Promise.allSettled(
        given.map(async (n) => {
          if (n % 2 === 1) throw new Error(`${n} is odd`)
          return n / 2
        }),
      )
    })
    const results = await Promise.allSettled([halved(2), halved(3), halved(4)])
    expect(calls).toEqual([[2, 3, 4]])
    expect(results).toMatchObject([{ value: 1 }, { reason: new Error('3 is odd') }, { value: 2 }])
    expect([await halved(6), calls.length]).toEqual([3, 2])
  })

  it('all fail if the call fails', async () => {
    const failing = batcher<number, number>(async () => {
      throw new Error('away')
    })
    expect(await Promise.allSettled([failing(1), failing(2)])).toMatchObject([
      { reason: new Error('away') },
      { reason: new Error('away') },
    ])
  })

  it('become several calls above a size', async () => {
    const sizes: number[] = []
    const add = batcher<number, undefined>(async (given) => {
      sizes.push(given.length)
      return given.map(() => ({ status: 'fulfilled', value: undefined }))
    })
    await Promise.all(Array.from({ length: 2_500 }, (_, n) => add(n)))
    expect(sizes).toEqual([1_000, 1_000, 500])
  })
})
