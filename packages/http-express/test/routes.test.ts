import { describe, expect, it } from 'vitest'
import { routes } from '../src/routes/index.js'

const partsOf = (path: string) => path.split('/')
const isParameter = (part: string) => part.startsWith('{')

/** Whether a request to the later path would be taken by the earlier one. */
const hides = (earlier: string, later: string): boolean => {
  const [a, b] = [partsOf(earlier), partsOf(later)]
  return (
    earlier !== later &&
    a.length === b.length &&
    a.every((part, at) => isParameter(part) || part === b[at]) &&
    a.some((part, at) => isParameter(part) && !isParameter(b[at] ?? ''))
  )
}

describe('the API’s rows', () => {
  it('are not hidden by an earlier row with a parameter', () => {
    const all = routes.flatMap(({ method, path, alsoAt }) =>
      [path, ...[alsoAt ?? []].flat()].map((at) => [method, at] as const),
    )
    const hidden = all.flatMap(([method, path], index) =>
      all
        .slice(0, index)
        .flatMap(([other, before]) => (other === method && hides(before, path) ? [`${before} > ${path}`] : [])),
    )
    expect(hidden).toEqual([])
  })

  it('have unique ids', () => {
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length)
  })
})
