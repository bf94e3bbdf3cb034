/** Slow and keyed hashing for the credentials of people. */
export interface CredentialHasher {
  /**
   * A salted hash, slow and memory-hard on purpose, with its parameters. One is computed at a time.
   * @throws Refusal `busy` if too many wait
   */
  hash(password: string): Promise<string>
  /**
   * Takes the same time for a wrong password and for an absent hash. `isOutdated`: the parameters are weaker than
   * those of `hash`. @throws Refusal `busy`
   */
  matches(
    password: string,
    hash: string | undefined,
  ): Promise<{ readonly isRight: boolean; readonly isOutdated: boolean }>
  /** HMAC-SHA-1 (RFC 2104), which one-time codes of authenticator apps use (RFC 6238). */
  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array
}

/** Random values of one sign-in, in base64url. The provider's answer is valid only together with them. */
export type ProviderSignInChecks = {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
}

/** What the provider states about somebody: the claims of a validated ID token, completed by its UserInfo endpoint. */
export type ProviderClaims = {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** An OpenID Connect provider (authorization code flow). The redirect URI is registered there. */
export interface IdentityProvider {
  /** Where the browser signs in. @throws ProviderFailure */
  authorizationUrl(redirectUri: string, checks: ProviderSignInChecks): Promise<string>
  /**
   * Exchanges the code in `answer`, the redirect URI with the query that the browser brought back, and validates state, issuer, audience,
   * nonce, times and signature. @throws ProviderFailure
   */
  claimsOf(answer: string, checks: ProviderSignInChecks): Promise<ProviderClaims>
}

/**
 * `unreachable`: no response; `misconfigured`: the client's id, secret or redirect URI, or the provider, must be changed; `denied`: by the
 * person or the provider; `invalid`: an answer that cannot be trusted, or a code that is used up.
 */
export type ProviderSignInFailureReason = 'unreachable' | 'misconfigured' | 'denied' | 'invalid'

/** The message is for the operator's log. */
export class IdentityProviderFailure extends Error {
  override readonly name = 'IdentityProviderFailure'

  constructor(
    readonly reason: ProviderSignInFailureReason,
    message: string,
  ) {
    super(message)
  }
}
