import { chunked, scannedPage } from '@posthorn/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

async function* each<T>(items: readonly T[]) {
  yield* items
}

describe('a page of what only a scan can find', () => {
  it('is the page of the sorted whole, with its count', async () => {
    const key = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(undefined))
    const rows = fc
      .array(key, { maxLength: 3000 })
      .map((keys) => keys.map((one, n) => ({ _id: String(n).padStart(5, '0'), key: one })))
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.nat(50),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        async (all, skip, limit, order) => {
          const ascending = [...all].sort((a, b) => (a.key ?? -1) - (b.key ?? -1) || Number(a._id) - Number(b._id))
          const sorted = order === 'asc' ? ascending : ascending.reverse()
          expect(await scannedPage(each(all), order, { skip, limit })).toEqual({
            items: sorted.slice(skip, skip + limit),
            count: all.length,
          })
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('chunks', () => {
  it('are full but for the last one, and lose nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), async (items, n) => {
        const chunks: (readonly number[])[] = []
        for await (const chunk of chunked(items, n)) chunks.push(chunk)
        expect(chunks.flat()).toEqual(items)
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === n)).toBe(true)
        expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= n)).toBe(true)
      }),
    )
  })
})
