import { fastCredentials } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { bytesOfBase32 } from '../../src/kernel/encoding.js'
import { authenticatorUri, oneTimeCode, totpStepAt, totpStepOfCode } from '../../src/people/one-time-codes.js'
import { anAccount, password, visitor } from './an-account.js'

const credentials = fastCredentials()
const secret = new TextEncoder().encode('12345678901234567890')

describe('one-time codes', () => {
  // RFC 6238 appendix B, SHA-1.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(oneTimeCode(credentials, secret, totpStepAt(new Date(seconds * 1000)), 8)).toBe(code)
  })

  // RFC 4226 appendix D.
  it.each(['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'])(
    'are those of RFC 4226: %s',
    (code) => {
      const counters = Array.from({ length: 10 }, (_, step) => oneTimeCode(credentials, secret, step))
      expect(counters).toContain(code)
    },
  )

  it('are accepted from the step before to the step after, and no earlier or later', () => {
    const now = new Date('2026-01-06T12:00:10.000Z')
    const accepted = [-2, -1, 0, 1, 2].filter(
      (steps) =>
        totpStepOfCode(credentials, secret, oneTimeCode(credentials, secret, totpStepAt(now) + steps), now) !==
        undefined,
    )
    expect(accepted).toEqual([-1, 0, 1])
  })

  it('are not accepted at or before a step that was used', () => {
    const now = new Date('2026-01-06T12:00:10.000Z')
    const step = totpStepAt(now)
    const given = (at: number, after: number) =>
      totpStepOfCode(credentials, secret, oneTimeCode(credentials, secret, at), now, after)
    expect(given(step, step)).toBeUndefined()
    expect(given(step - 1, step)).toBeUndefined()
    expect(given(step + 1, step)).toBe(step + 1)
  })

  it('are described to the app by a URI that escapes the address', () => {
    expect(authenticatorUri('a+b@example.com', 'ABC')).toBe(
      'otpauth://totp/Posthorn%3Aa%2Bb%40example.com?secret=ABC&issuer=Posthorn',
    )
  })
})

describe('a second factor', () => {
  const email = 'olga@example.com'

  it('is needed only once it is confirmed', async () => {
    const { people, olga } = await anAccount()
    await people.setUpTotp(olga, { password }, visitor())
    await expect(people.signIn({ email, password }, visitor())).resolves.toMatchObject({ person: { totp: false } })
  })

  it('is asked for after the right password only', async () => {
    const { people, olga, withFactor } = await anAccount()
    const { code } = await withFactor(olga)
    await expect(people.signIn({ email, password }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'second-factor-required',
    })
    await expect(people.signIn({ email, password: 'wrong' }, visitor())).rejects.toMatchObject({ code: undefined })
    await expect(people.signIn({ email, password: 'wrong', code: code() }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    await expect(people.signIn({ email, password, code: code() }, visitor())).resolves.toHaveProperty('token')
  })

  it('accepts each code once, also of two requests at the same time', async () => {
    const { people, olga, withFactor } = await anAccount()
    const { code } = await withFactor(olga)
    const given = code()
    const both = await Promise.allSettled([
      people.signIn({ email, password, code: given }, visitor()),
      people.signIn({ email, password, code: given }, visitor()),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(people.signIn({ email, password, code: given }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
  })

  it('does not accept the code that confirmed it', async () => {
    const { people, olga, clock, ports } = await anAccount()
    const { secret: text = '' } = await people.setUpTotp(olga, { password }, visitor())
    const bytes = bytesOfBase32(text) ?? new Uint8Array()
    const code = oneTimeCode(ports.credentials, bytes, totpStepAt(clock.now()))
    await people.setUpTotp(olga, { password, code }, visitor())
    await expect(people.signIn({ email, password, code }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('accepts each recovery code once, in any spelling, also of two requests at the same time', async () => {
    const { people, olga, withFactor } = await anAccount()
    const { recoveryCodes } = await withFactor(olga)
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = '', second = ''] = recoveryCodes
    const spelled = first.replaceAll('-', ' ').toUpperCase()
    const both = await Promise.allSettled([
      people.signIn({ email, password, code: spelled }, visitor()),
      people.signIn({ email, password, code: first }, visitor()),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(people.signIn({ email, password, code: second }, visitor())).resolves.toHaveProperty('token')
  })

  it('accepts no recovery code of somebody else', async () => {
    const { people, olga, joined, withFactor } = await anAccount()
    await withFactor(olga)
    const { recoveryCodes } = await withFactor(await joined('bob', 'writer'))
    await expect(people.signIn({ email, password, code: recoveryCodes[0] ?? '' }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
  })

  it('is set up and removed with the password only, and not replaced without removing it', async () => {
    const { people, olga, withFactor } = await anAccount()
    await expect(people.setUpTotp(olga, { password: 'wrong' }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'wrong-password',
    })
    await withFactor(olga)
    await expect(people.setUpTotp(olga, { password }, visitor())).rejects.toMatchObject({ kind: 'blocked' })
    await expect(people.removeTotp(olga, { password: 'wrong' }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    expect((await people.removeTotp(olga, { password }, visitor())).totp).toBe(false)
    await expect(people.signIn({ email, password }, visitor())).resolves.toHaveProperty('token')
  })
})
