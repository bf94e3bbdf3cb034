import type { Secrets } from '../kernel/ports.js'
import type { EventPost } from './ports.js'
import type { Webhook } from './webhook.js'

/** What is signed: `id` is the same at every attempt, `body` exactly as it is posted. */
export type Signed = { readonly id: string; readonly at: Date; readonly body: string }

/**
 * The post, with the headers that tell a receiver who posts: the secretKey as bearer, and the signature of the Standard Webhooks
 * specification, HMAC-SHA256 over `id.timestamp.body`, keyed with the secretKey (gaps.md, "Webhook").
 */
export const signedPost = (
  { url, secretKey }: Pick<Webhook, 'url' | 'secretKey'>,
  { id, at, body }: Signed,
  { hmac, open }: Pick<Secrets, 'hmac' | 'open'>,
): EventPost => {
  const key = open(secretKey)
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
  }
  return { url, headers, body }
}
