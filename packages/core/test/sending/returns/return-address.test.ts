import { fakeSecrets } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { readReturnLocalPart, returnAddresses, returnLocalPart } from '../../../src/sending/returns/return-address.js'

const secrets = fakeSecrets()
const dispatchId = '6560aa00bb11cc22dd33ee44'
const contactId = 'ffffffffffffffffffffffff'
const both = { dispatchId, contactId }
const made = (kind: 'bounce' | 'unsubscribe' = 'bounce') => returnLocalPart(secrets, kind, both) ?? ''

describe('a return address', () => {
  it('has a local part of at most 64 octets, in case-insensitive letters', () => {
    expect(made()).toMatch(/^b-[a-z2-7]{58}$/)
    expect(made('unsubscribe')).toMatch(/^u-[a-z2-7]{58}$/)
    expect(returnLocalPart(secrets, 'bounce', { dispatchId })).toMatch(/^b-[a-z2-7]{39}$/)
  })

  it('identifies its mail and purpose', () => {
    for (const text of [made(), made().toUpperCase()])
      expect(readReturnLocalPart(secrets, text)).toEqual({ kind: 'bounce', dispatchId, contactId })
    expect(readReturnLocalPart(secrets, made('unsubscribe'))).toEqual({ kind: 'unsubscribe', dispatchId, contactId })
    const single = returnLocalPart(secrets, 'bounce', { dispatchId }) ?? ''
    expect(readReturnLocalPart(secrets, single)).toEqual({ kind: 'bounce', dispatchId })
  })

  it('is rejected if any character is changed', () => {
    const text = made()
    for (let at = 2; at < text.length; at += 1) {
      const other = text[at] === 'a' ? 'b' : 'a'
      expect(readReturnLocalPart(secrets, text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined()
    }
  })

  it('is rejected for the other kind, truncated, extended, or signed elsewhere', () => {
    expect(readReturnLocalPart(secrets, `u${made().slice(1)}`)).toBeUndefined()
    expect(readReturnLocalPart(secrets, made().slice(0, -1))).toBeUndefined()
    expect(readReturnLocalPart(secrets, `${made()}a`)).toBeUndefined()
    expect(readReturnLocalPart(fakeSecrets('another server’s'), made())).toBeUndefined()
    for (const text of ['', 'b', 'b-', 'postmaster', `b-${'a'.repeat(10_000)}`, 'b-ä'])
      expect(readReturnLocalPart(secrets, text)).toBeUndefined()
  })

  it('cannot be made from ids of another form', () => {
    expect(returnLocalPart(secrets, 'bounce', { dispatchId: 'no' })).toBeUndefined()
    const returns = returnAddresses({ secrets, settings: { bounceDomain: 'b.example' } })({ dispatchId: 'no' })
    expect([returns.reference(), returns.envelopeFrom()]).toEqual([undefined, undefined])
  })

  it('is the envelope sender with a bounce domain, and always a reference', () => {
    const reference = made()
    const without = returnAddresses({ secrets, settings: {} })(both)
    expect([without.reference(), without.envelopeFrom()]).toEqual([reference, undefined])
    const withDomain = returnAddresses({ secrets, settings: { bounceDomain: 'b.example' } })(both)
    expect([withDomain.reference(), withDomain.envelopeFrom()]).toEqual([reference, `${reference}@b.example`])
  })
})
