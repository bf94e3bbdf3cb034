import type { IncomingMessage } from 'node:http'
import type { EventPoster } from '@posthorn/core/ports/runtime'
import { type GuardedRequestOptions, guardedRequest, isRefusedUrl, unreachableError } from './guarded-request.js'

/** In bytes. Reading the ignored body lets the receiver finish. */
const bodyLimit = 16 * 1024
const bodyTime = 1_000

const dropBody = async (response: IncomingMessage): Promise<void> => {
  const late = setTimeout(() => response.destroy(), bodyTime)
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > bodyLimit) break
    }
  } catch {
  } finally {
    clearTimeout(late)
  }
}

/** Reports only the status, also of redirects. */
export const httpEventPoster = (options: GuardedRequestOptions = {}): EventPoster => ({
  refuses: (url) => isRefusedUrl(url, options),
  post: async ({ url, headers, body }) => {
    try {
      const status = await guardedRequest(url, options, { method: 'POST', headers, body }, async (response) => {
        await dropBody(response)
        return response.statusCode ?? 0
      })
      return { kind: 'answered', status }
    } catch (error) {
      return { kind: 'unreachable', reason: unreachableError(error).message }
    }
  },
})
