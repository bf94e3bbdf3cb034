import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nodeSecrets } from '../src/index.js'

const hs256 = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url')

describe('node’s secrets', () => {
  const secrets = nodeSecrets(['the newest secret', 'the one before it'])
  const text = 'header.payload'

  it('know an HS256 signature by any of them as it is', () => {
    for (const secret of ['the newest secret', 'the one before it'])
      expect(secrets.verifiesHs256(text, hs256(secret, text))).toBe(true)
    expect(secrets.verifiesHs256(text, hs256('the one long gone', text))).toBe(false)
    expect(secrets.verifiesHs256(text, '')).toBe(false)
  })

  it('take no signature of a token in a mail for an operator’s, nor the other way round', () => {
    expect(secrets.verifies(text, secrets.sign(text))).toBe(true)
    expect(secrets.verifiesHs256(text, secrets.sign(text))).toBe(false)
    expect(secrets.verifies(text, hs256('the newest secret', text))).toBe(false)
  })

  it('know a signature in its one spelling only', () => {
    const signature = hs256('the newest secret', text)
    for (const other of [`${signature}=`, `${signature}.`, ` ${signature}`, signature.slice(0, -1)])
      expect([other, secrets.verifiesHs256(text, other)]).toEqual([other, false])
  })

  it('make the HMAC that RFC 4231 has for a shared key', () => {
    const [key, said] = ['Jefe', 'what do ya want for nothing?']
    expect(secrets.hmac(key, said)).toBe(
      Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString('base64'),
    )
  })
})
