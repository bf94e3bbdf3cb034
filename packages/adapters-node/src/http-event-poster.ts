import type { EventPoster } from '@posthorn/core'
import { type GuardedRequestOptions, guardedRequest, NotPublic, TooSlow } from './guarded-request.js'

/** An answer's body says nothing that counts: so much of it is read, and for so long, that a receiver can finish politely. */
const bodyLimit = 16 * 1024
const bodyTime = 1_000

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

/** A reason that whoever configured the webhook may read: an error's own text may name inner addresses. */
const reasonOf = (error: unknown): string => {
  if (error instanceof TooSlow) return 'it took too long to answer'
  if (error instanceof NotPublic) return 'it is not on the public internet'
  const { code } = error as { readonly code?: unknown }
  return reasons[String(code)] ?? 'the connection failed'
}

/** Posts events over HTTP as `guardedRequest` allows. What is answered is told by its status, redirects too; no body is kept. */
export const httpEventPoster = (options: GuardedRequestOptions = {}): EventPoster => ({
  post: async ({ url, headers, body }) => {
    try {
      const status = await guardedRequest(url, options, { method: 'POST', headers, body }, async (answer) => {
        await answer.body.dump({ limit: bodyLimit, signal: AbortSignal.timeout(bodyTime) }).catch(() => undefined)
        return answer.statusCode
      })
      return { kind: 'answered', status }
    } catch (error) {
      return { kind: 'unreachable', reason: reasonOf(error) }
    }
  },
})
