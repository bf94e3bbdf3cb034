import type { Request, Response } from 'express'

/** Longer texts go as bytes, which are counted and copied once; shorter ones into one string with the headers before them. */
const longText = 16 * 1024

/**
 * Answers JSON as Express' `json` does, without its looks at what is never so here: no answer has an ETag, and its type and length are
 * known. `HEAD` and `If-None-Match` are left to Express. Answers the length: 0 for less than 16 KB.
 */
export const sendJson = (
  request: Request,
  response: Response,
  status: number,
  value: object,
  /** Told of an answer of more than 16 KB how many bytes it has, before it is sent. */
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
