import type { RequestHandler } from 'express'

/** Pages carry their own style and nothing else: no script, no frame, no request to anywhere; forms go back to this server. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Swagger UI brings scripts and styles of its own, and asks this server. */
export const apiReferencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * What every answer carries. Links in mails hold tokens: no other site is told where somebody came from, and nothing in
 * between keeps a copy of what is personal.
 */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': pagePolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  next()
}
