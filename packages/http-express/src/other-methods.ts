import { blocked } from '@posthorn/core/ports'
import type { RequestHandler, Response } from 'express'
import { pathsOf, type Route } from './route.js'

/** A path with the rows that are there, in the order in which it first appears. */
export type PathRows = { readonly path: string; readonly rows: readonly Route[] }

/** The rows by path. */
export const byPath = (rows: readonly Route[]): readonly PathRows[] => {
  const found = new Map<string, Route[]>()
  for (const row of rows) for (const path of pathsOf(row)) found.set(path, [...(found.get(path) ?? []), row])
  return [...found].map(([path, rows]) => ({ path, rows }))
}

/** What can be got can also be asked for its head. */
const methodsOf = ({ rows }: PathRows): readonly string[] =>
  rows.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).sort()

const allowed = 'allow'

/** Says in the response, before a row answers, which methods its path has: what is answered with 405 names them, whatever the reason. */
export const knowMethods = (path: PathRows): ((response: Response) => void) => {
  const methods = methodsOf(path).join(', ')
  return (response) => {
    response.locals[allowed] = methods
  }
}

/** What `Allow` says of the path that a request came to; undefined where it came to none. */
export const allowedMethods = (locals: Readonly<Record<string, unknown>>): string | undefined => {
  const methods = locals[allowed]
  return typeof methods === 'string' ? methods : undefined
}

/**
 * Tells who asks a path by another method which methods it has (RFC 9110, section 15.5.6). Goes after the rows of a path, so that a
 * request fits one path and no other. A preflight is the rows' own matter, and of those that nobody answers nothing is told.
 */
export const refuseOtherMethods = (path: PathRows): RequestHandler => {
  const methods = methodsOf(path).join(', ')
  return (request, _response, next) =>
    request.method === 'OPTIONS'
      ? next()
      : next(blocked(`This path does not take ${request.method}; it takes ${methods}.`))
}
