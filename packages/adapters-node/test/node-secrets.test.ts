import { expect, it } from 'vitest'
import { nodeSecrets } from '../src/index.js'

it('a shared key makes the HMAC that RFC 4231 has for it', () => {
  const { hmac } = nodeSecrets(['sixteen characters'])
  const [key, text] = ['Jefe', 'what do ya want for nothing?']
  expect(hmac(key, text)).toBe(
    Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString('base64'),
  )
})
