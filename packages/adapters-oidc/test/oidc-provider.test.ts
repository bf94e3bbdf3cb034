import type { IdentityProviderFailure } from '@posthorn/core/ports/runtime'
import { afterEach, describe, expect, it } from 'vitest'
import { oidcProvider } from '../src/index.js'
import { type OidcServer, oidcServer, type TokenChanges } from './oidc-server.js'

const redirectUri = 'https://mail.example.com/posthorn/console/sign-in/callback'
const checks = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43) }
const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['writers'] }

let server: OidcServer | undefined
afterEach(() => server?.close())

const start = async (description: Readonly<Record<string, unknown>> = {}, changed: object = {}) => {
  const started = await oidcServer(undefined, undefined, description)
  server = started
  const { issuer, clientId, clientSecret } = started
  const provider = oidcProvider({ issuer, clientId, clientSecret, scope: 'openid email', claim: 'groups', ...changed })
  const url = () => provider.authorizationUrl(redirectUri, checks)
  const claims = async (given: Readonly<Record<string, unknown>> = ada, more = '', by = checks) =>
    provider.claimsOf(`${redirectUri}${started.answer(await url(), given)}${more}`, by)
  const reason = (failing: Promise<unknown>): Promise<string> =>
    failing.then(
      () => 'nothing',
      (error: IdentityProviderFailure) => error.reason,
    )
  return { server: started, provider, url, claims, reason }
}

describe('an OpenID Connect provider', () => {
  it('is asked for a code with PKCE, state and nonce, and for nothing else', async () => {
    const { url, server } = await start()
    const query = Object.fromEntries(new URL(await url()).searchParams)
    expect(query).toEqual({
      client_id: server.clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it.each([[['client_secret_post']], [['client_secret_basic']], [undefined]])(
    'gets the secret by a method that it names: %j',
    async (token_endpoint_auth_methods_supported) => {
      const { claims, server } = await start({ token_endpoint_auth_methods_supported })
      expect(await claims()).toMatchObject({ issuer: server.issuer, subject: 'ada', claims: ada })
    },
  )

  it('is described once, until something fails', async () => {
    const { claims, url, reason, server } = await start()
    const described = () => server.asked.filter((path) => path.startsWith('/.well-known')).length
    server.fail({ '/.well-known/openid-configuration': 503 })
    expect(await reason(url())).toBe('unreachable')
    server.fail({})
    await claims()
    await claims()
    expect(described()).toBe(2)
  })

  it('completes a token without the claim, or without address, by its UserInfo endpoint', async () => {
    const { claims, server } = await start()
    server.inform({ sub: 'ada', email: 'ada@example.com', email_verified: true, groups: ['writers'] })
    expect((await claims({ sub: 'ada' })).claims).toMatchObject(ada)
    server.inform({ sub: 'ada', email: 'other@example.com', email_verified: true, groups: ['writers'] })
    const { claims: mixed } = await claims({ sub: 'ada', email: 'ada@example.com' })
    expect(mixed).toMatchObject({ email: 'ada@example.com', groups: ['writers'] })
    expect(mixed).not.toHaveProperty('email_verified')
    await claims()
    expect(server.asked.filter((path) => path === '/userinfo')).toHaveLength(2)
  })

  it('is not believed if its UserInfo endpoint is about somebody else', async () => {
    const { claims, reason, server } = await start()
    server.inform({ sub: 'eve', email: 'ada@example.com', groups: ['owners'] })
    expect(await reason(claims({ sub: 'ada' }))).toBe('invalid')
  })
})

describe('an ID token', () => {
  const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset
  const hostile: Readonly<Record<string, TokenChanges>> = {
    'of another issuer': { claims: { iss: 'https://evil.example' } },
    'for another client': { claims: { aud: 'somebody else' } },
    'for several clients, without saying that this one asked': { claims: { aud: ['posthorn', 'other'], azp: 'other' } },
    'with another nonce': { claims: { nonce: 'x' } },
    'without nonce': { claims: { nonce: undefined } },
    'without subject': { claims: { sub: undefined } },
    'that has expired': { claims: { exp: seconds(-60) } },
    'without end': { claims: { exp: undefined } },
    'of the future': { claims: { nbf: seconds(600) } },
    'with the algorithm none': { header: { alg: 'none' }, by: 'nobody' },
    'without signature': { by: 'nobody' },
    'signed with the client’s secret': { header: { alg: 'HS256' }, by: 'the client secret' },
    'signed with the secret, as if with the key': { by: 'the client secret' },
    'signed with a key that the provider does not publish': { by: 'another key' },
    'with a key of its own': { header: { jwk: {}, kid: 'two' }, by: 'another key' },
  }
  it.each(Object.entries(hostile))('%s is refused', async (_, changes) => {
    const { claims, reason, server } = await start()
    server.change(changes)
    expect(await reason(claims())).toBe('invalid')
    server.change({})
    expect(await reason(claims())).toBe('nothing')
  })

  it('may be of a clock that differs by less than 30 s', async () => {
    const { claims, reason, server } = await start()
    server.change({ claims: { exp: seconds(-20), iat: seconds(-300) } })
    expect(await reason(claims())).toBe('nothing')
  })
})

describe('an answer of the browser', () => {
  it('with another state, code or verifier is refused', async () => {
    const { claims, provider, url, reason, server } = await start()
    expect(await reason(claims(ada, '', { ...checks, state: 'x' }))).toBe('invalid')
    expect(await reason(claims(ada, '', { ...checks, verifier: 'x'.repeat(43) }))).toBe('invalid')
    expect(await reason(claims(ada, '', { ...checks, nonce: 'x' }))).toBe('invalid')
    const answer = `${redirectUri}${server.answer(await url(), ada)}`
    expect(await reason(provider.claimsOf(answer.replace(/code=[^&]+/, 'code=x'), checks))).toBe('invalid')
    expect(await reason(claims(ada, '&state=again'))).toBe('invalid')
    expect(await reason(claims(ada, '&iss=https%3A%2F%2Fevil.example'))).toBe('invalid')
  })

  it('works once', async () => {
    const { provider, url, reason, server } = await start()
    const answer = `${redirectUri}${server.answer(await url(), ada)}`
    expect(await reason(provider.claimsOf(answer, checks))).toBe('nothing')
    expect(await reason(provider.claimsOf(answer, checks))).toBe('invalid')
  })

  it.each([
    ['access_denied', 'denied'],
    ['consent_required', 'denied'],
    ['temporarily_unavailable', 'unreachable'],
    ['invalid_scope', 'misconfigured'],
  ])('with the error %s is %s', async (error, reason) => {
    const { provider, reason: reasonOf } = await start()
    const answer = `${redirectUri}?${String(new URLSearchParams({ error, state: checks.state }))}`
    expect(await reasonOf(provider.claimsOf(answer, checks))).toBe(reason)
  })
})

describe('a failure of the provider', () => {
  it('is told apart from a wrong client', async () => {
    const { claims, reason, server } = await start()
    server.fail({ '/token': 503 })
    expect(await reason(claims())).toBe('unreachable')
    server.fail({ '/token': 400 })
    expect(await reason(claims())).toBe('misconfigured')
    server.fail({ '/keys': 500 })
    expect(await reason(claims())).toBe('unreachable')
  })

  it('is the secret’s, without the secret in the message', async () => {
    const { claims } = await start({}, { clientSecret: 'a wrong secret' })
    const failing = claims()
    await expect(failing).rejects.toMatchObject({ reason: 'misconfigured' })
    await expect(failing).rejects.not.toThrow(/a wrong secret/)
    await expect(failing).rejects.toThrow(/invalid_client/)
  })

  it('is a description of another issuer', async () => {
    const { url, reason } = await start({ issuer: 'https://evil.example' })
    expect(await reason(url())).toBe('misconfigured')
  })

  it('is a server that is gone', async () => {
    const { url, claims, reason, server } = await start()
    await url()
    await server.close()
    expect(await reason(claims())).toBe('unreachable')
    const gone = oidcProvider({ ...server, scope: 'openid', claim: 'groups' })
    expect(await reason(gone.authorizationUrl(redirectUri, checks))).toBe('unreachable')
  })
})
