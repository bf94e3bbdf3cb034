import type { ChallengeVerifier } from '@posthorn/core/ports/runtime'
import { guardedFetch } from './guarded-request.js'

export type SiteverifyOptions = {
  /** From the operator: private addresses are allowed. */
  readonly url: string
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/**
 * Turnstile, hCaptcha, reCAPTCHA: posts a form of `secret` and `response`, expects JSON with `success: true`. Never follows redirects with
 * the secret.
 * @throws Error for an invalid, oversized or late response
 */
export const siteverifyChallenge =
  ({ url, timeoutMs = 5000, maxBytes = 64 * 1024 }: SiteverifyOptions): ChallengeVerifier =>
  async (secret, response) => {
    const { body } = await guardedFetch(
      url,
      { allowPrivate: true, timeoutMs, maxBytes },
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({ secret, response }).toString(),
      },
    ).catch((error: Error) => {
      throw new Error(`The challenge provider failed: ${error.message}`)
    })
    return (JSON.parse(body) as { readonly success?: unknown } | null)?.success === true
  }
