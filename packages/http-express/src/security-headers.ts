import type { RequestHandler } from 'express'

/** For every response that is not one of our pages: browsers run, load and embed nothing. */
const answerPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/** The reference loads its script and its style from files, and calls this server. */
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

/** Headers of every response. Links in mails hold tokens, so no `Referer` reaches other sites, and no cache keeps personal data. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of always) response.setHeader(name, value)
  next()
}
