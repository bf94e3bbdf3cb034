import { Buffer } from 'node:buffer'
import { compareByCodePoint, compareValues } from '@posthorn/core/ports/storage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('texts', () => {
  it('sort like their UTF-8 bytes, also beyond U+FFFF', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom('a', '\ud7ff', '\ue000', '\uffee', '😀', '𐀀')) })
    const any = fc.oneof(text, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(Math.sign(compareByCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })
})

describe('values', () => {
  it('sort by kind, then by value, with absent and null as equal', () => {
    const ordered = [undefined, null, false, true, -1, 0.5, 9, 10, '', '10', '9', 'a']
    const shuffled = [...ordered].reverse()
    expect(shuffled.sort(compareValues).filter((one) => one ?? false)).toEqual([true, -1, 0.5, 9, 10, '10', '9', 'a'])
    expect(compareValues(undefined, null)).toBe(0)
    expect(compareValues(null, false)).toBeLessThan(0)
  })
})
