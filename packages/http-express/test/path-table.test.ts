import express, { Router } from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expressPath, pathsOf, routes } from '../src/index.js'
import { byPath, pathTable } from '../src/router.js'

type Found = { readonly path: string; readonly params: Readonly<Record<string, string>> }

const paths = byPath(routes)
const table = pathTable<string>()
for (const { path, rows } of paths) table.add(path, new Map(rows.map(({ method }) => [method, path])))

const router = Router()
for (const { path, rows } of paths) {
  for (const { method } of rows)
    router[method](expressPath(path), (request, _response, next) => next({ path, params: { ...request.params } }))
  router.all(expressPath(path), (_request, _response, next) => next('router'))
}

/** What Express would have run. */
const byExpress = (method: string, url: string): Promise<Found | undefined> =>
  new Promise((resolve) => {
    const request = Object.assign(Object.create(express.request), { method, url })
    router(request, {} as never, (found?: unknown) =>
      resolve(typeof found === 'object' && found !== null && 'path' in found ? (found as Found) : undefined),
    )
  })

const byTable = (method: string, path: string): Found | undefined => {
  const found = table.find(method, path)
  return found && { path: found.value, params: found.params }
}

/** What each of the two finds. */
const both = async (method: string, path: string) => ({
  table: { method, path, found: byTable(method, path) },
  express: { method, path, found: await byExpress(method, path) },
})

const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']
const spelled = [...new Set(routes.flatMap(pathsOf))]

describe('the table of paths', () => {
  it.each(spelled)('finds what Express finds at %s', async (path) => {
    for (const method of methods)
      for (const value of ['x', '0123456789abcdef01234567', 'Ada%40example.com', 'a%2Fb', '%', '%ff', 'fields', ''])
        for (const one of [path, path.toUpperCase(), `${path}/`, `${path}//`, `/${path}`, `${path}/more`]) {
          const { table: ours, express: theirs } = await both(method, one.replace(/\{\w+\}/gi, value))
          expect(ours).toEqual(theirs)
        }
  })

  it('finds what Express finds at any path that is made of the same parts', async () => {
    const parts = [...new Set(spelled.flatMap((path) => path.split('/'))), '', '.', '..', '%2e', 'é', '__proto__']
    const path = fc
      .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 8 })
      .map((segments) => `/v1/projectId/${segments.join('/')}`)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), path, async (method, one) => {
        const { table: ours, express: theirs } = await both(method, one)
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 2000 },
    )
  })

  it('leaves heads and preflights to Express', () => {
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', '__proto__'])
      expect(table.find(method, '/v1/projectId/p/contacts')).toBeUndefined()
  })
})
