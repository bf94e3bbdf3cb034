import type { Core } from '@posthorn/core'
import type { RequestHandler } from 'express'
import { projectOf } from './endpoint.js'
import type { Route } from './route.js'

/** The parameters of a request that was only matched by a prefix. */
const paramsOf = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return params
}

/**
 * Lets browsers of a whitelisted Origin read the answers of an endpoint that is open to them, and answers their preflight
 * (Fetch Standard, "CORS protocol"). Nobody else is told anything.
 */
export const crossOrigin =
  (core: Core, row: Route, pattern: string): RequestHandler =>
  async (request, response, next) => {
    const { origin } = request.headers
    const asked =
      request.method === 'OPTIONS'
        ? request.headers['access-control-request-method']?.toLowerCase()
        : request.method.toLowerCase()
    const params =
      origin && asked === row.method
        ? paramsOf(pattern, request.baseUrl + (request.path === '/' ? '' : request.path))
        : undefined
    if (!origin || !params) return next()
    response.vary('Origin')
    const project = await projectOf(core, row, params)
    if (!(await core.access.allowsOrigin(project, origin))) return next()
    response.set({ 'Access-Control-Allow-Origin': origin, 'Cross-Origin-Resource-Policy': 'cross-origin' })
    if (request.method !== 'OPTIONS') return next()
    response.set({
      'Access-Control-Allow-Methods': row.method.toUpperCase(),
      'Access-Control-Allow-Headers': 'content-type',
      'Access-Control-Max-Age': '600',
    })
    response.status(204).end()
  }
