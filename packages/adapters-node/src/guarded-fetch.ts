import { type GuardedRequest, type GuardedRequestOptions, guardedRequest } from './guarded-request.js'
import { Unreachable } from './unreachable.js'

export type GuardedFetchOptions = GuardedRequestOptions & { readonly maxBytes?: number }

/**
 * `guardedRequest` with a maximum size, 5 MB by default.
 * @throws Unreachable with the reason, also for a status other than 2xx
 */
export const guardedFetch = (
  url: string,
  { maxBytes = 5 * 1024 * 1024, ...options }: GuardedFetchOptions = {},
  init: GuardedRequest = { method: 'GET', headers: {} },
): Promise<{ readonly body: string; readonly bytes: Uint8Array; readonly contentType: string }> =>
  guardedRequest(
    url,
    options,
    { ...init, headers: { 'accept-encoding': 'identity', ...init.headers } },
    async (response) => {
      const { statusCode = 0, headers } = response
      if (statusCode < 200 || statusCode > 299) throw new Unreachable(`it answered ${statusCode}`)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) throw new Unreachable(`it sent more than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const bytes = Buffer.concat(chunks)
      return { body: bytes.toString('utf8'), bytes, contentType: String(headers['content-type'] ?? '') }
    },
  )
