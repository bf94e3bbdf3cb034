/** Slow and keyed hashing for the credentials of people. */
export interface CredentialHasher {
  /**
   * Salted, slow and memory-hard, with its parameters. One is computed at a time.
   * @throws Refusal `busy` if too many wait
   */
  hash(password: string): Promise<string>
  /**
   * As slow for a wrong password as for an absent hash. `isOutdated`: weaker parameters than those of `hash`.
   * @throws Refusal `busy`
   */
  matches(
    password: string,
    hash: string | undefined,
  ): Promise<{ readonly isRight: boolean; readonly isOutdated: boolean }>
  /** HMAC-SHA-1 (RFC 2104), which one-time codes of authenticator apps use (RFC 6238). */
  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array
}

/** Random, in base64url. The provider's answer is valid only together with them. */
export type ProviderSignInChecks = {
  readonly state: string
  readonly nonce: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
}

/** The claims of a validated ID token, completed by the provider's UserInfo endpoint. */
export type ProviderClaims = {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** OpenID Connect, authorization code flow. The redirect URI is registered there. */
export interface IdentityProvider {
  /** Where the browser signs in. @throws IdentityProviderFailure */
  authorizationUrl(redirectUri: string, checks: ProviderSignInChecks): Promise<string>
  /**
   * `answer`: the redirect URI with the query that the browser brought back. Exchanges its code; validates state,
   * issuer, audience, nonce, times and signature.
   * @throws IdentityProviderFailure
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
