import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteBoundedCache, textMemoryBytes, valueMemoryBytes } from '../../src/kernel/byte-bounded-cache.js'

const texts = (maxBytes: number) =>
  byteBoundedCache<string, string>({ maxBytes, sizeOf: (key, value) => textMemoryBytes(key) + textMemoryBytes(value) })

describe('a cache that is bounded by bytes', () => {
  it('returns stored values', () => {
    const cache = texts(10_000)
    cache.set('a', 'one')
    cache.set('a', 'two')
    expect(cache.get('a')).toBe('two')
    expect(cache.get('b')).toBeUndefined()
  })

  it('evicts the least recently used value', () => {
    const cache = texts(4_000)
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) cache.set(key, key.repeat(180))
    cache.get('a')
    cache.set('i', 'i'.repeat(180))
    expect(cache.get('a')).toBeDefined()
    expect(cache.get('b')).toBeUndefined()
    expect(cache.get('i')).toBeDefined()
  })

  it('stores no entry that takes more than an eighth of its size', () => {
    const cache = texts(8_000)
    cache.set('small', 'x')
    cache.set('large', 'x'.repeat(501))
    expect(cache.get('large')).toBeUndefined()
    expect(cache.get('small')).toBe('x')
  })

  it('drops the old value of a key whose new value is too large', () => {
    const cache = texts(8_000)
    cache.set('key', 'old')
    cache.set('key', 'x'.repeat(5_000))
    expect(cache.get('key')).toBeUndefined()
    expect(cache.bytes()).toBe(0)
  })

  it('counts empty entries, too', () => {
    const cache = byteBoundedCache<number, string>({ maxBytes: 100_000, sizeOf: () => 0 })
    for (let n = 0; n < 10_000; n += 1) cache.set(n, '')
    expect(cache.get(0)).toBeUndefined()
    expect(cache.get(9_999)).toBe('')
    expect(cache.bytes()).toBeLessThanOrEqual(100_000)
  })

  it('never exceeds its bytes in random use', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'),
      length: fc.integer({ min: 0, max: 400 }),
      action: fc.constantFrom('set', 'get', 'delete'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const cache = texts(4_000)
        for (const { key, length, action } of steps) {
          if (action === 'set') cache.set(key, 'x'.repeat(length))
          else if (action === 'get') cache.get(key)
          else cache.delete(key)
          expect(cache.bytes()).toBeLessThanOrEqual(4_000)
        }
        for (const { key } of steps) cache.delete(key)
        expect(cache.bytes()).toBe(0)
      }),
    )
  })
})

describe('the bytes of a value', () => {
  it.each([
    ['{}', 64],
    ['[]', 40],
    ['{"1000":1}', 208],
    ['"x"', 32],
  ])('count what a hundred of %s take in memory', (one, each) => {
    expect(valueMemoryBytes(JSON.parse(`[${Array(100).fill(one).join()}]`))).toBeGreaterThan(100 * each)
  })

  it('equal the texts’ size if those are long', () => {
    expect(valueMemoryBytes({ text: 'x'.repeat(1_000_000) })).toBeLessThan(2_001_000)
  })
})
