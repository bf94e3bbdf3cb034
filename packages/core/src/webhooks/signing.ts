import type { Secrets } from '../kernel/ports.js'
import type { EventPost } from './ports.js'
import type { SigningSecret } from './webhook-secret.js'

/** The signed content: `id` is the same at every attempt, and `body` is exactly what is posted. */
export type Signed = { readonly id: string; readonly at: Date; readonly body: string }

/**
 * The post with its authentication headers: the signature of the Standard Webhooks specification (HMAC-SHA256 over `id.timestamp.body`),
 * and the key as bearer token if the secret is an API key (gaps.md, "Webhook").
 */
export const signedPost = (
  url: string,
  { id, at, body }: Signed,
  secret: SigningSecret,
  { hmac }: Pick<Secrets, 'hmac'>,
): EventPost => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = secret.kind === 'own' ? secret.bytes : secret.text
  const headers = {
    'content-type': 'application/json',
    ...(secret.kind === 'api-key' && { authorization: `Bearer ${secret.text}` }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
  }
  return { url, headers, body }
}
