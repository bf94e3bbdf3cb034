import { type Challenge, ChallengeQuery } from '@posthorn/core/ports/transport'
import { fakeSecrets, fixedClock, inMemoryCounters, solvedChallenge } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { proofOfWork } from '../../src/captcha/proof-of-work.js'

const form = '0'.repeat(23).concat('1')
const otherForm = '0'.repeat(23).concat('2')

const start = (challengeCost = 50) => {
  const clock = fixedClock()
  const counters = inMemoryCounters()
  const secrets = fakeSecrets()
  const process = () => proofOfWork({ secrets, clock: clock.now, counters, settings: { challengeCost } })
  return { ...process(), process, clock, counters }
}

const changed = (token: string, change: object) => btoa(JSON.stringify({ ...JSON.parse(atob(token)), ...change }))

describe('a proof of work', () => {
  it('is solved by the hashed number', async () => {
    const { challenge, isSolved } = start()
    const asked = challenge(form)
    expect(asked).toEqual({
      algorithm: 'SHA-256',
      challenge: expect.stringMatching(/^[\da-f]{64}$/),
      maxnumber: 50,
      salt: expect.stringMatching(new RegExp(`^[\\w-]{16}\\?expires=\\d+&form=${form}&$`)),
      signature: expect.any(String),
    })
    expect(await isSolved(form, solvedChallenge(asked))).toBe(true)
  })

  it('has at most the operator’s difficulty', () => {
    const { challenge } = start(9)
    const numbers = Array.from({ length: 200 }, () => JSON.parse(atob(solvedChallenge(challenge(form)))).number)
    expect(new Set(numbers)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
  })

  it('may be sent in either base64 alphabet', async () => {
    const { challenge, isSolved } = start()
    const token = solvedChallenge(challenge(form))
    const spelled = token.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    expect(await isSolved(form, spelled)).toBe(true)
  })

  it('can be solved once across processes, for as long as it is valid', async () => {
    const { challenge, process, clock, counters } = start()
    const token = solvedChallenge(challenge(form))
    const answers = await Promise.all([1, 2, 3].map(() => process().isSolved(form, token)))
    expect(answers.filter((solved) => solved)).toHaveLength(1)
    clock.advance(10 * 60_000 - 1)
    await counters.prune(clock.now())
    expect(await process().isSolved(form, token)).toBe(false)
  })

  it('is valid for ten minutes', async () => {
    const { challenge, isSolved, clock } = start()
    const [early, late] = [challenge(form), challenge(form)].map(solvedChallenge)
    clock.advance(10 * 60_000 - 1)
    expect(await isSolved(form, early ?? '')).toBe(true)
    clock.advance(1)
    expect(await isSolved(form, late ?? '')).toBe(false)
  })

  it('is valid for its form only, and not used up at another', async () => {
    const { challenge, isSolved } = start()
    const token = solvedChallenge(challenge(form))
    expect(await isSolved(otherForm, token)).toBe(false)
    expect(await isSolved(form, token)).toBe(true)
  })

  it('is not solved by a changed or forged token', async () => {
    const { challenge, isSolved } = start()
    const asked = challenge(form)
    const token = solvedChallenge(asked)
    const { number } = JSON.parse(atob(token))
    const [expires = ''] = /\d{10,12}(?=&)/.exec(asked.salt) ?? []
    const later = (salt: string): Challenge => ({ ...asked, salt })
    const theirs = proofOfWork({
      secrets: fakeSecrets('theirs'),
      clock: fixedClock().now,
      counters: inMemoryCounters(),
      settings: { challengeCost: 5 },
    })
    const forged = [
      '',
      'guessed',
      '{}',
      btoa('null'),
      btoa('[]'),
      `${token}!`,
      changed(token, { number: number + 1 }),
      changed(token, { number: String(number) }),
      changed(token, { number: -1 }),
      changed(token, { algorithm: 'SHA-1' }),
      changed(token, { signature: 'A'.repeat(43) }),
      changed(token, { signature: undefined }),
      changed(token, { challenge: challenge(form).challenge }),
      changed(token, later(asked.salt.replace(expires, String(Number(expires) + 600)))),
      changed(token, later(asked.salt.replace(form, otherForm))),
      changed(token, later(asked.salt.slice(0, -1))),
      changed(token, later(`${asked.salt}${String(number).slice(0, 1)}`)),
      solvedChallenge(theirs.challenge(form)),
    ]
    for (const one of forged) expect([one, await isSolved(form, one)]).toEqual([one, false])
    expect(await isSolved(form, token)).toBe(true)
  })

  it('stores nothing for a wrong solution', async () => {
    const { challenge, isSolved, counters } = start()
    const asked = challenge(form)
    await isSolved(form, changed(solvedChallenge(asked), { number: 99 }))
    expect(await counters.used(`challenge:${asked.challenge}`)).toBe(0)
  })

  it('requires the id of a form', () => {
    expect(ChallengeQuery.safeParse({ signupFormId: form }).success).toBe(true)
    for (const signupFormId of ['', `${form}&expires=9`, 'x'.repeat(24), undefined])
      expect(ChallengeQuery.safeParse({ signupFormId }).success).toBe(false)
  })
})
