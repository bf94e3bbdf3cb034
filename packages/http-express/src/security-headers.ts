import type { RequestHandler } from 'express'

/** What is no page of ours does nothing in a browser. */
const answerPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/** The reference has a script and a style in files of their own, and asks this server. */
export const apiReferencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

const always = Object.entries({
  'Content-Security-Policy': answerPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

/**
 * What every answer carries. Links in mails hold tokens: no other site is told where somebody came from, and nothing in
 * between keeps a copy of what is personal.
 */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of always) response.setHeader(name, value)
  next()
}
