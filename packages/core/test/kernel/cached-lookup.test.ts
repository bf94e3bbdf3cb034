import { describe, expect, it } from 'vitest'
import { byteBoundedLookup } from '../../src/kernel/byte-bounded-cache.js'

describe('cached lookups', () => {
  const asking = (maxBytes = 10_000) => {
    const asked: string[] = []
    const answers = byteBoundedLookup<string>({ maxBytes, largestEntry: maxBytes / 2, sizeOf: ({ length }) => length })
    const ask = (key: string, value = key) =>
      answers(key, async () => {
        asked.push(key)
        return value
      })
    return { answers, asked, ask }
  }

  it('run once for concurrent calls', async () => {
    const { asked, ask } = asking()
    expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual(['a', 'a', 'b'])
    await ask('a')
    expect(asked).toEqual(['a', 'b'])
  })

  it('do not cache failures or values that are too large', async () => {
    const { answers, asked, ask } = asking()
    await expect(answers('a', async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await ask('a', 'x'.repeat(6_000))
    await ask('a', 'short')
    expect(await ask('a')).toBe('short')
    expect(asked).toEqual(['a', 'a'])
  })

  it('evict by size', async () => {
    const { asked, ask } = asking()
    for (const key of ['a', 'b', 'c']) await ask(key, 'x'.repeat(4_000))
    await ask('c')
    await ask('a')
    expect(asked).toEqual(['a', 'b', 'c', 'a'])
  })
})
