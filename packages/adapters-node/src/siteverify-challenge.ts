import type { ChallengeVerifier } from '@posthorn/core/ports/runtime'

export type SiteverifyOptions = {
  /** The provider's verification URL. The operator sets it, so private addresses are allowed. */
  readonly url: string
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

const readText = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The challenge provider sent more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Verifies tokens at a siteverify endpoint (Turnstile, hCaptcha, reCAPTCHA): posts a form of `secret` and `response`, and expects JSON with
 * `success: true`. Redirects are not followed, so that the secret goes to that URL only.
 * @throws Error for an invalid, oversized or late response
 */
export const siteverifyChallenge =
  ({ url, timeoutMs = 5000, maxBytes = 64 * 1024 }: SiteverifyOptions): ChallengeVerifier =>
  async (secretKey, token) => {
    const { request } = await import('undici')
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ secret: secretKey, response: token }).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await readText(body as AsyncIterable<Buffer>, maxBytes)
    if (statusCode !== 200) throw new Error(`The challenge provider answered ${statusCode}`)
    return (JSON.parse(text) as { readonly success?: unknown } | null)?.success === true
  }
