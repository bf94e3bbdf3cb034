import { blocked } from '@posthorn/core'
import type { Express } from 'express'
import { expressPath, pathsOf, type Route } from './route.js'

/** The methods of every path as Express writes it; what can be got can also be asked for its head. */
const methodsByPath = (rows: readonly Route[]): ReadonlyMap<string, readonly string[]> => {
  const methods = new Map<string, readonly string[]>()
  for (const row of rows)
    for (const path of pathsOf(row).map(expressPath)) {
      const also = row.method === 'get' ? ['GET', 'HEAD'] : [row.method.toUpperCase()]
      methods.set(path, [...(methods.get(path) ?? []), ...also])
    }
  return methods
}

/**
 * Tells who asks a known path by another method which methods it has (RFC 9110, section 15.5.6). Goes after the rows. A request may
 * fit several paths: it is told the methods of all. A preflight is the rows' own matter.
 */
export const refuseOtherMethods = (app: Express, rows: readonly Route[]): void => {
  for (const [path, methods] of methodsByPath(rows))
    app.all(path, (_request, response, next) => {
      response.locals.allowed = [...((response.locals.allowed as readonly string[] | undefined) ?? []), ...methods]
      next()
    })
  app.use((request, response, next) => {
    const allowed = response.locals.allowed as readonly string[] | undefined
    if (!allowed || request.method === 'OPTIONS') return next()
    const listed = [...new Set(allowed)].sort().join(', ')
    response.set('Allow', listed)
    next(blocked(`This path does not take ${request.method}; it takes ${listed}.`))
  })
}
