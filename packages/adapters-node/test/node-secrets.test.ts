import { createHmac, hkdfSync } from 'node:crypto'
import type { SigningPurpose } from '@posthorn/core/ports/runtime'
import { readToken, signedToken } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { nodeSecrets } from '../src/index.js'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url')
const derived = (secret: string, label: string) => Buffer.from(hkdfSync('sha256', secret, 'posthorn', label, 32))

describe('node’s secrets', () => {
  const secrets = nodeSecrets(['the newest secret', 'the one before it'])
  const text = 'header.payload'
  const purposes: readonly SigningPurpose[] = [
    'link',
    'captcha',
    'challenge',
    'operator-token',
    'return-address',
    'domain-ownership',
  ]

  it('sign with a key per purpose, and verify for that purpose only', () => {
    for (const made of purposes)
      for (const taken of purposes)
        expect([made, taken, secrets.verifies(text, secrets.sign(text, made), taken)]).toEqual([
          made,
          taken,
          made === taken,
        ])
  })

  it('never sign with the secret itself', () => {
    for (const purpose of purposes) {
      expect(secrets.sign(text, purpose)).not.toBe(hmac('the newest secret', text))
      expect(secrets.verifies(text, hmac('the newest secret', text), purpose)).toBe(false)
    }
  })

  it('verify a signature’s first 16 characters by any secret, and no other length', () => {
    const by = (secret: string) => hmac(derived(secret, 'return-address'), text)
    const known = (start: string) => secrets.verifiesShort(text, start, 'return-address')
    for (const secret of ['the newest secret', 'the one before it']) expect(known(by(secret).slice(0, 16))).toBe(true)
    for (const start of [
      '',
      by('the newest secret').slice(0, 15),
      by('the newest secret').slice(0, 20),
      'A'.repeat(16),
    ])
      expect(known(start)).toBe(false)
    expect(secrets.verifiesShort(text, by('the newest secret').slice(0, 16))).toBe(false)
  })

  it('sign operators’ tokens with the newest secret, and verify by any', () => {
    const by = (secret: string) => hmac(derived(secret, 'operator-token'), text)
    expect(secrets.sign(text, 'operator-token')).toBe(by('the newest secret'))
    for (const secret of ['the newest secret', 'the one before it'])
      expect(secrets.verifies(text, by(secret), 'operator-token')).toBe(true)
    expect(secrets.verifies(text, by('the one long gone'), 'operator-token')).toBe(false)
  })

  it('verify links of earlier versions', () => {
    const payload = { purpose: 'unsubscribe', l: 'a list', c: 'a contact' } as const
    const [body = ''] = signedToken(secrets, payload).split('.')
    for (const secret of ['the newest secret', 'the one before it']) {
      const old = `${body}.${hmac(derived(secret, 'sign'), body)}`
      expect(readToken(secrets, 'unsubscribe', old, new Date())).toEqual(payload)
    }
  })

  it('verify a signature in one spelling only', () => {
    const signature = secrets.sign(text)
    for (const other of [`${signature}=`, `${signature}.`, ` ${signature}`, signature.slice(0, -1), ''])
      expect([other, secrets.verifies(text, other)]).toEqual([other, false])
  })

  it('compute RFC 4231’s HMAC with a shared key', () => {
    const [key, said] = ['Jefe', 'what do ya want for nothing?']
    expect(secrets.hmac(key, said)).toBe(
      Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString('base64'),
    )
  })
})
