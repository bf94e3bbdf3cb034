import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { descriptionOf } from '../src/developers/description.js'
import { notOffered } from './not-offered.js'

const { operations } = descriptionOf(
  JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')),
)

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('text/'))
  .map((name) => readFileSync(join(src, name), 'utf8'))
  .join('\n')

/** Paths of rows as the console writes them, with the method before each; one that is kept in a constant counts for all methods. */
const called = new Set(
  [...sources.matchAll(/(?:'(get|post|put|patch|delete)',\s*)?['`](\/[\w/{}-]*|(?<=, ['`]))['`]/g)].map(
    ([, method = 'any', path = '']) => `${method} ${path}`,
  ),
)

const isCalled = ({ method, path }: (typeof operations)[number]): boolean => {
  const below = path.replace('/v1/projectId/{projectId}', '')
  return called.has(`${method} ${below}`) || called.has(`any ${below}`)
}

describe('the console', () => {
  it('offers everything that the API can do for a project, but for what only programs need', () => {
    const missing = operations.filter((one) => !isCalled(one)).map(({ operationId }) => operationId)
    expect(missing.filter((id) => !Object.hasOwn(notOffered, id))).toEqual([])
    expect(Object.keys(notOffered).filter((id) => !missing.includes(id))).toEqual([])
  })
})
