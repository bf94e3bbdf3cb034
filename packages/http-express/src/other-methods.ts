import { blocked } from '@posthorn/core/ports/runtime'
import type { RequestHandler, Response } from 'express'
import { pathsOf, type Route } from './route.js'

/** A path and its rows, in order of first appearance. */
export type PathRows = { readonly path: string; readonly rows: readonly Route[] }

export const byPath = (rows: readonly Route[]): readonly PathRows[] => {
  const found = new Map<string, Route[]>()
  for (const row of rows) for (const path of pathsOf(row)) found.set(path, [...(found.get(path) ?? []), row])
  return [...found].map(([path, rows]) => ({ path, rows }))
}

/** A path with GET also takes HEAD. */
const methodsOf = ({ rows }: PathRows): readonly string[] =>
  rows.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).sort()

const allowed = 'allow'

/** Stores the path's methods in the response's locals before a row handles it: every 405 lists them in `Allow`, whatever its reason. */
export const knowMethods = (path: PathRows): ((response: Response) => void) => {
  const methods = methodsOf(path).join(', ')
  return (response) => {
    response.locals[allowed] = methods
  }
}

/** The value of `Allow`; undefined if the request matched no path. */
export const allowedMethods = (locals: Readonly<Record<string, unknown>>): string | undefined => {
  const methods = locals[allowed]
  return typeof methods === 'string' ? methods : undefined
}

/**
 * Responds to an unsupported method with those that the path has (RFC 9110, section 15.5.6). Must follow the rows of the path, so that a
 * request matches only one path. Skips OPTIONS: rows answer their own preflights, and the others learn nothing.
 */
export const refuseOtherMethods = (path: PathRows): RequestHandler => {
  const methods = methodsOf(path).join(', ')
  return (request, _response, next) =>
    request.method === 'OPTIONS'
      ? next()
      : next(blocked(`This path does not take ${request.method}; it takes ${methods}.`))
}
