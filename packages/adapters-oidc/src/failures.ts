import { IdentityProviderFailure, type ProviderSignInFailureReason } from '@posthorn/core/ports/runtime'
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'

/** Caused by the person or a rule of the provider (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const denials = [
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
]
const outages = ['server_error', 'temporarily_unavailable']

const statusOf = (value: unknown): number | undefined =>
  value instanceof Response ? value.status : value instanceof Error ? statusOf(value.cause) : undefined

const reasonOf = (error: unknown, otherwise: ProviderSignInFailureReason): ProviderSignInFailureReason => {
  if (error instanceof AuthorizationResponseError)
    return denials.includes(error.error) ? 'denied' : outages.includes(error.error) ? 'unreachable' : 'misconfigured'
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return 'invalid'
  const status = error instanceof ResponseBodyError ? error.status : statusOf(error)
  if (status !== undefined) return status >= 500 || status === 429 ? 'unreachable' : 'misconfigured'
  if (error instanceof WWWAuthenticateChallengeError) return 'misconfigured'
  // `fetch` reports failed connections so; timeouts have this code.
  const isNetwork = error instanceof TypeError && error.message === 'fetch failed'
  return isNetwork || codeOf(error) === 'OAUTH_TIMEOUT' ? 'unreachable' : otherwise
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** In characters, of a line of the log. */
const longestDetail = 500

/** Codes and the provider's own words; never a token, a code or the secret. */
const detailOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const isStated = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError
  const challenges = error instanceof WWWAuthenticateChallengeError ? error.cause : []
  const stated = isStated
    ? [error.error, error.error_description]
    : [
        codeOf(error),
        error.message,
        ...challenges.flatMap(({ parameters }) => [parameters.error, parameters.error_description]),
      ]
  const deeper = error.cause instanceof Error ? [detailOf(error.cause)] : []
  return [...stated, ...deeper]
    .filter((one) => one !== undefined)
    .join(': ')
    .slice(0, longestDetail)
}

/** `otherwise`: for errors that the library found itself. */
export const providerFailure = (error: unknown, otherwise: ProviderSignInFailureReason): IdentityProviderFailure =>
  new IdentityProviderFailure(reasonOf(error, otherwise), detailOf(error))
