import express, { Router } from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathsOfRoute, type Route, routes } from '../src/index.js'
import { pathTable } from '../src/router.js'

type Found = { readonly path: string; readonly params: Readonly<Record<string, string>> }

type Place = { readonly path: string; readonly methods: Route['method'][] }

const places = new Map<string, Place>()
for (const row of routes)
  for (const path of pathsOfRoute(row)) {
    const place = places.get(path) ?? { path, methods: [] }
    place.methods.push(row.method)
    places.set(path, place)
  }

const table = pathTable<Place[]>(() => [])
for (const place of places.values()) table.at(place.path).push(place)

const router = Router()
for (const { path, methods } of places.values()) {
  const ofExpress = path.replace(/\{(\w+)\}/g, ':$1')
  for (const method of methods)
    router[method](ofExpress, (request, _response, next) => next({ path, params: { ...request.params } }))
  router.all(ofExpress, (_request, _response, next) => next('router'))
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
  const found = table.find(path)
  const place = found?.value.find(({ methods }) => methods.some((one) => one.toUpperCase() === method))
  return found && place && { path: place.path, params: found.params }
}

/** What each of the two finds. */
const both = async (method: string, path: string) => ({
  table: { method, path, found: byTable(method, path) },
  express: { method, path, found: await byExpress(method, path) },
})

const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']
const spelled = [...new Set(routes.flatMap(pathsOfRoute))]

describe('the path table', () => {
  it.each(spelled)('matches what Express matches at %s', async (path) => {
    for (const method of methods)
      for (const value of ['x', '0123456789abcdef01234567', 'Ada%40example.com', 'a%2Fb', '%', '%ff', 'fields', ''])
        for (const one of [path, path.toUpperCase(), `${path}/`, `${path}//`, `/${path}`, `${path}/more`]) {
          const { table: ours, express: theirs } = await both(method, one.replace(/\{\w+\}/gi, value))
          expect(ours).toEqual(theirs)
        }
  })

  it('matches what Express matches at any path made of the same parts', async () => {
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
})
