import type { EventPoster } from '@posthorn/core/ports'
import { type GuardedRequestOptions, guardedRequest } from './guarded-request.js'
import { unreachable } from './unreachable.js'

/** An answer's body says nothing that counts: so much of it is read, and for so long, that a receiver can finish politely. */
const bodyLimit = 16 * 1024
const bodyTime = 1_000

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
      return { kind: 'unreachable', reason: unreachable(error).message }
    }
  },
})
