import type { Request, Response } from 'express'

/** Characters. Longer texts are sent as bytes, which are counted and copied once; shorter ones in one string with the headers. */
const longText = 16 * 1024

/**
 * Sends JSON like Express's `json`, without its checks: no response has an ETag, and type and length are known. Leaves `HEAD` and
 * `If-None-Match` to Express. Returns the length in bytes; 0 for less than 16 KB.
 */
export const sendJson = (
  request: Request,
  response: Response,
  status: number,
  value: object,
  /** Called with the length in bytes before a response of 16 KB or more is sent. */
  long: ((bytes: number) => void) | undefined,
): number => {
  const text = JSON.stringify(value)
  const bytes = text.length < longText ? undefined : Buffer.from(text)
  if (bytes) long?.(bytes.length)
  if (request.method === 'HEAD' || request.headers['if-none-match'] !== undefined)
    response
      .status(status)
      .type('json')
      .send(bytes ?? text)
  else {
    response.statusCode = status
    response.setHeader('Content-Type', 'application/json; charset=utf-8')
    response.end(bytes ?? text)
  }
  return bytes?.length ?? 0
}
