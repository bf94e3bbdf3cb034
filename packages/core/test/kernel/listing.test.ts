import { scannedPage } from '@posthorn/core/ports/storage'
import { ListQueryFields, parsed, violationSentences } from '@posthorn/core/ports/transport'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunked } from '../../src/kernel/listing.js'

async function* each<T>(items: readonly T[]) {
  yield* items
}

describe('a page found by a scan', () => {
  it('is the page of the sorted result, with its count', async () => {
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
  it('are full except for the last, and lose nothing', async () => {
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

describe('a list query', () => {
  it('has the spec’s defaults, and caps the limit at thirty', () => {
    expect(parsed(ListQueryFields, {})).toEqual({ limit: 10, skip: 0 })
    expect(parsed(ListQueryFields, { limit: '31', skip: '007' })).toEqual({ limit: 30, skip: 7 })
  })

  it.each(['', ' 5', '5 ', '+5', '-5', '5.0', '1e1', '0x10', '0b1', 'Infinity', 'NaN', '٥', '1'.repeat(16)])(
    'accepts decimal digits only: %j',
    (text) => {
      expect(violationSentences(ListQueryFields, { limit: text, skip: text })).toEqual([
        'limit: expected a whole number, 1 or more',
        'skip: expected a whole number, 0 or more',
      ])
    },
  )

  it('requires a limit of at least one', () => {
    expect(violationSentences(ListQueryFields, { limit: '0' })).toEqual(['limit: expected a whole number, 1 or more'])
  })

  it('allows each key once, and filters by field', () => {
    const twice = ['1', '2']
    expect(violationSentences(ListQueryFields, { limit: twice, skip: twice, sort: twice, order: twice })).toEqual([
      'limit: expected a single value',
      'skip: expected a single value',
      'sort: expected a single value',
      'order: expected asc or desc',
    ])
    expect(violationSentences(ListQueryFields, { filter: { name: twice } })).toEqual([
      'filter.name: expected a single value',
    ])
    for (const filter of ['x', ['x'], ''])
      expect(violationSentences(ListQueryFields, { filter })).toEqual(['filter: expected filter[field]=value'])
  })
})
