import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfBase32, toBase32 } from '../../src/kernel/encoding.js'

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'my'],
    ['fo', 'mzxq'],
    ['foo', 'mzxw6'],
    ['foob', 'mzxw6yq'],
    ['fooba', 'mzxw6ytb'],
    ['foobar', 'mzxw6ytboi'],
  ])('encodes %j as %j, like RFC 4648', (text, encoded) => {
    expect(toBase32(new TextEncoder().encode(text))).toBe(encoded)
  })

  it('decodes in any case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(bytesOfBase32(toBase32(bytes))).toEqual(bytes)
        expect(bytesOfBase32(toBase32(bytes).toUpperCase())).toEqual(bytes)
      }),
    )
  })

  it('rejects other letters, and other spellings of the same bytes', () => {
    for (const text of ['m1', 'mz=', 'mz', 'm', 'mzxw7', 'ünique']) expect(bytesOfBase32(text)).toBeUndefined()
  })
})
