import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { fakeSecrets, fixedClock, inMemoryCounters } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofOfWork } from '../../src/captcha/proof-of-work.js'
import { proofOfWorkScript } from '../../src/forms/proof-of-work-script.js'

type Script = {
  readonly hasherAfter: (salt: string) => (number: number) => Int32Array
  readonly solve: (challenge: object) => Promise<string>
}
const { hasherAfter, solve } = runInNewContext(`(() => { ${proofOfWorkScript}; return { hasherAfter, solve } })()`, {
  TextEncoder,
  MessageChannel,
  performance,
  btoa,
  Error,
}) as Script

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hex = (hash: Int32Array) => Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')

describe('the proof-of-work script', () => {
  it('hashes salt and number like SHA-256, at every length', () => {
    for (let length = 0; length < 200; length++) {
      const salt = 'x'.repeat(length)
      const hash = hasherAfter(salt)
      for (const number of [0, 42, 499_999]) expect(hex(hash(number))).toBe(sha256(`${salt}${number}`))
    }
  })

  it('hashes any salt in any language', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 150 }), fc.nat(), (salt, number) => {
        expect(hex(hasherAfter(salt)(number))).toBe(sha256(`${salt}${number}`))
      }),
    )
  })

  it('finds solutions that the server accepts', async () => {
    const work = proofOfWork({
      secrets: fakeSecrets(),
      clock: fixedClock().now,
      counters: inMemoryCounters(),
      settings: { challengeCost: 2000 },
    })
    const form = 'a'.repeat(24)
    for (let times = 0; times < 5; times++)
      expect(await work.isSolved(form, await solve(work.challenge(form)))).toBe(true)
  })

  it('tries numbers up to the maximum, then fails', async () => {
    const of = (number: number) => ({
      algorithm: 'SHA-256',
      challenge: sha256(`salt${number}`),
      salt: 'salt',
      signature: 's',
    })
    expect(JSON.parse(atob(await solve({ ...of(150), maxnumber: 150 }))).number).toBe(150)
    await expect(solve({ ...of(1000), maxnumber: 150 })).rejects.toThrow('The check did not succeed.')
  })
})
