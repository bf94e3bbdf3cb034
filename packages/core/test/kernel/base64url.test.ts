import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfBase64, bytesOfBase64url, jsonOfBase64url, textToBase64url } from '../../src/kernel/encoding.js'

describe('base64url', () => {
  it('encodes any text like Node', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textToBase64url(text)).toBe(Buffer.from(text).toString('base64url'))
      }),
    )
  })

  it('decodes bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(bytesOfBase64url(Buffer.from(bytes).toString('base64url'))).toEqual(bytes)
      }),
    )
  })

  it('decodes any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(jsonOfBase64url(textToBase64url(json))).toEqual(JSON.parse(json))
      }),
    )
  })

  it.each(['a', 'ab==', 'a b', 'a+b/', 'é', '_w'])('decodes %j to undefined', (text) => {
    expect(jsonOfBase64url(text)).toBeUndefined()
  })
})

describe('base64', () => {
  it('decodes bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(bytesOfBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes)
      }),
    )
  })

  it('has one spelling only', () => {
    for (const other of ['YQ', 'YQ=', 'YR==', 'Y===', 'YQ==\n', ' YQ==', 'Y-_h', 'YQ==YQ==', 'é'])
      expect([other, bytesOfBase64(other)]).toEqual([other, undefined])
  })
})
