import type { IdentityProvider } from '@posthorn/core/ports/runtime'
import type { ClientAuth, Configuration, IDToken, UserInfoResponse } from 'openid-client'

export type OidcOptions = {
  /** The provider's issuer identifier; `/.well-known/openid-configuration` below it describes the provider. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Separated by blanks; `openid` is one of them. */
  readonly scope: string
  /** Decides roles. Without it or an address in the ID token, reads the UserInfo endpoint. */
  readonly claim: string
}

/** Of every request to the provider, in s. */
const timeout = 10
/** Between the clocks of provider and server, in s. */
const clockTolerance = 30
/** The provider's description is cached for an hour, in ms. */
const discoveryAge = 60 * 60_000

const load = async () => ({ ...(await import('openid-client')), ...(await import('./failures.js')) })

type Claims = Readonly<Record<string, unknown>>

const lacks = (claims: Claims, claim: string): boolean =>
  claims.email === undefined || (claims[claim] === undefined && claims[claim.split('.')[0] ?? ''] === undefined)

/** The ID token takes precedence. An address is verified only by the source that states it. */
const together = (token: IDToken, { email, email_verified, ...more }: UserInfoResponse): Claims => ({
  ...more,
  ...(token.email === undefined && { email, email_verified }),
  ...token,
})

/** Authorization code flow with PKCE (S256), state and nonce; verifies ID token signatures. Without https only if the issuer has none. */
export const oidcProvider = ({ issuer, clientId, clientSecret, scope, claim }: OidcOptions): IdentityProvider => {
  let known: { readonly until: number; readonly configuration: Promise<Configuration> } | undefined

  const discover = async (): Promise<Configuration> => {
    const client = await load()
    const post = client.ClientSecretPost(clientSecret)
    const basic = client.ClientSecretBasic(clientSecret)
    // Basic is the default of clients and of descriptions that name no method (OpenID Connect Discovery section 3).
    const authentication: ClientAuth = (server, ...rest) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false ? post : basic)(
        server,
        ...rest,
      )
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: clockTolerance }
    const isInsecure = issuer.startsWith('http:')
    return client
      .discovery(new URL(issuer), clientId, metadata, authentication, {
        timeout,
        execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
      })
      .catch((error: unknown) => {
        throw client.providerFailure(error, 'misconfigured')
      })
  }

  const configured = (): Promise<Configuration> => {
    if (known && known.until > Date.now()) return known.configuration
    const current = { until: Date.now() + discoveryAge, configuration: discover() }
    known = current
    current.configuration.catch(() => {
      if (known === current) known = undefined
    })
    return current.configuration
  }

  return {
    authorizationUrl: async (redirectUri, { state, nonce, verifier }) => {
      const configuration = await configured()
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load()
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href
    },

    claimsOf: async (answer, { state, nonce, verifier }) => {
      const configuration = await configured()
      const { authorizationCodeGrant, fetchUserInfo, providerFailure } = await load()
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await authorizationCodeGrant(configuration, new URL(answer), checks)
        const token = tokens.claims()
        if (!token) throw new Error('The provider sent no ID token')
        const isAsked = lacks(token, claim) && configuration.serverMetadata().userinfo_endpoint !== undefined
        const claims = isAsked
          ? together(token, await fetchUserInfo(configuration, tokens.access_token, token.sub))
          : token
        return { issuer: token.iss, subject: token.sub, claims }
      } catch (error) {
        throw providerFailure(error, 'invalid')
      }
    },
  }
}
