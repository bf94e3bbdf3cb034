import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmacSha256 } from '../src/node-secrets.js'

const keys = fc.uint8Array({ minLength: 0, maxLength: 64 })
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.nat(1_100).map((n) => '\uffff'.repeat(n)),
  fc.constant('\ud800'),
)

describe('the two-hash HMAC-SHA-256', () => {
  it('equals Node’s for any key and text', () => {
    fc.assert(
      fc.property(keys, fc.array(texts, { maxLength: 4 }), (key, some) => {
        const ours = hmacSha256(key)
        for (const text of some)
          for (const encoding of ['base64url', 'hex'] as const)
            expect(ours(text, encoding)).toBe(createHmac('sha256', key).update(text).digest(encoding))
      }),
      { numRuns: 300 },
    )
  })

  it('matches RFC 4231', () => {
    expect(hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?', 'hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('rejects keys that would have to be hashed first', () => {
    expect(() => hmacSha256(new Uint8Array(65))).toThrow('at most 64 bytes')
  })
})
