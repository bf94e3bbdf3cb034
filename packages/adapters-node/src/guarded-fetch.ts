import { type GuardedRequestOptions, guardedRequest } from './guarded-request.js'
import { Unreachable } from './unreachable.js'

export type GuardedFetchOptions = GuardedRequestOptions & { readonly maxBytes?: number }

/**
 * Fetches an untrusted URL by `guardedRequest`, up to a size, 5 MB by default.
 * @throws Unreachable with the reason, also for a status other than 2xx
 */
export const guardedFetch = (
  url: string,
  { maxBytes = 5 * 1024 * 1024, ...options }: GuardedFetchOptions = {},
): Promise<{ readonly body: string; readonly bytes: Uint8Array; readonly contentType: string }> =>
  guardedRequest(
    url,
    options,
    { method: 'GET', headers: { 'accept-encoding': 'identity' } },
    async ({ statusCode, headers, body }) => {
      if (statusCode < 200 || statusCode > 299) throw new Unreachable(`it answered ${statusCode}`)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) throw new Unreachable(`it sent more than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const bytes = Buffer.concat(chunks)
      return { body: bytes.toString('utf8'), bytes, contentType: String(headers['content-type'] ?? '') }
    },
  )
