import { fakeSecrets } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { signOperatorToken, verifiedOperatorToken } from '../../src/access/json-web-token.js'
import { textToBase64url } from '../../src/kernel/encoding.js'

const secrets = fakeSecrets()
const now = new Date('2026-01-06T12:00:00Z')
const seconds = now.getTime() / 1000
const admin = { sub: 'ada', role: 'admin', exp: seconds + 3600 }

const part = (value: unknown) => textToBase64url(JSON.stringify(value))
const signed = (claims: unknown, header: unknown = { alg: 'HS256', typ: 'JWT' }) => {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${secrets.sign(text, 'operator-token')}`
}
const read = (token: string) => verifiedOperatorToken(secrets, token, now)

describe('an operator’s token', () => {
  it('identifies its holder', () => {
    expect(read(signed(admin))).toEqual(admin)
    const owner = { sub: 'bob', role: 'account-owner', accountId: 'a1', exp: seconds + 1 }
    expect(read(signed({ ...owner, iat: seconds, iss: 'elsewhere' }))).toEqual(owner)
  })

  it('is read as issued', () => {
    const claims = { role: 'account-owner', accountId: 'a1', exp: seconds + 60 } as const
    expect(read(signOperatorToken(secrets, { ...claims, iat: seconds }))).toEqual({ sub: 'operator', ...claims })
  })

  it('is rejected with a link’s signature', () => {
    const text = `${part({ alg: 'HS256' })}.${part(admin)}`
    expect(read(`${text}.${secrets.sign(text)}`)).toBeUndefined()
  })

  it.each([
    ['has no role', { ...admin, role: undefined }],
    ['has a role of no operator', { ...admin, role: 'reader' }],
    ['is of the owner of no account', { ...admin, role: 'account-owner' }],
    ['is of nobody', { ...admin, sub: undefined }],
    ['has no end', { sub: 'ada', role: 'admin' }],
    ['is over', { ...admin, exp: seconds }],
    ['is for later', { ...admin, nbf: seconds + 1 }],
    ['ends at no number', { ...admin, exp: '2099-01-01' }],
    ['is a list', [admin]],
    ['is null', null],
  ])('with %s is rejected', (_, claims) => {
    expect(read(signed(claims))).toBeUndefined()
  })

  it('is valid from its first to its last second', () => {
    expect(read(signed({ ...admin, exp: seconds + 1, nbf: seconds }))).toMatchObject({ sub: 'ada' })
  })

  it.each([
    { alg: 'none' },
    { alg: 'HS512' },
    { alg: 'RS256' },
    { alg: 'hs256' },
    { typ: 'JWT' },
    { alg: 'HS256', crit: ['exp'] },
    { alg: 'HS256', typ: 'at+jwt' },
    'HS256',
  ])('with the header %j is rejected', (header) => {
    expect(read(signed(admin, header))).toBeUndefined()
  })

  it('is rejected if changed, truncated or extended', () => {
    const token = signed(admin)
    const [header, , signature] = token.split('.')
    const others = [
      `${header}.${part({ ...admin, sub: 'eve' })}.${signature}`,
      `${part({ alg: 'none' })}.${part(admin)}.`,
      token.slice(0, -1),
      `${token}.`,
      `${token}.${signature}`,
      token.replace('.', ''),
      '..',
      '',
      '\0',
    ]
    for (const other of others) expect([other, read(other)]).toEqual([other, undefined])
  })
})
