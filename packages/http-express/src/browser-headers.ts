import type { Core } from '@posthorn/core'
import { notFound } from '@posthorn/core/ports/runtime'
import type { Request, RequestHandler, Response } from 'express'
import { projectOf } from './endpoint.js'
import { browserAccessNeededFor, type Route, takesIdempotencyKey } from './route.js'

const answerPolicy = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

/** The reference loads script and style, and calls this server. */
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

/** Links in mails hold tokens: no `Referer` for other sites, no cache. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of always) response.setHeader(name, value)
  next()
}

const admit = async (core: Core, row: Route, request: Request, response: Response): Promise<boolean> => {
  const needed = browserAccessNeededFor(row)
  if (!needed && !row.preferences) return false
  response.vary('Origin')
  const { origin } = request.headers
  if (!origin) return false
  const project = await projectOf(core, row, request.params as Readonly<Record<string, string>>)
  const isAdmitted =
    (needed !== undefined && (await core.access.allowsOrigin(project, origin, needed))) ||
    (row.preferences === true && (await core.access.allowsPreferencesFrom(project, origin)))
  if (!isAdmitted) return false
  response.set({ 'Access-Control-Allow-Origin': origin, 'Cross-Origin-Resource-Policy': 'cross-origin' })
  if (takesIdempotencyKey(row)) response.set('Access-Control-Expose-Headers', 'Idempotency-Replayed, Retry-After')
  return true
}

const nothingAsked = Promise.resolve()

/** For whitelisted Origins, the preferences page with a token, or all if the row is public. */
export const crossOriginHeaders = (
  core: Core,
  row: Route,
): ((request: Request, response: Response) => Promise<void>) => {
  const admitsSome = browserAccessNeededFor(row) !== undefined || row.preferences === true
  const admitsAll = row.auth === 'none'
  const admitting = async (request: Request, response: Response): Promise<void> => {
    await admit(core, row, request, response)
    if (admitsAll) response.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' })
  }
  return (request, response) => {
    if (admitsAll || (admitsSome && request.headers.origin)) return admitting(request, response)
    if (admitsSome) response.vary('Origin')
    return nothingAsked
  }
}

/** @throws Refusal `not-found` for Origins that are not permitted, or methods that the path lacks */
export const preflight = async (
  core: Core,
  row: Route | undefined,
  request: Request,
  response: Response,
): Promise<void> => {
  if (!row || !(await admit(core, row, request, response))) throw notFound('Path')
  response.set({
    'Access-Control-Allow-Methods': row.method.toUpperCase(),
    'Access-Control-Allow-Headers': [
      ...(row.preferences ? ['authorization'] : []),
      'content-type',
      ...(takesIdempotencyKey(row) ? ['idempotency-key'] : []),
    ].join(', '),
    'Access-Control-Max-Age': '600',
  })
  response.status(204).end()
}
