import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thorough } from '../../../tests/thorough.js'
import { type Route, routes } from '../src/index.js'
import { honestBody } from './fuzz/honest-body.js'
import { type Hostility, hostilities } from './fuzz/hostile.js'
import { type SeededWorld, seededWorld } from './fuzz/seeded-world.js'

const seed = 20_260_106
/** Each endpoint makes a world of its own, which takes longer than its requests. */
const asked = thorough ? routes : routes.filter((_, index) => index % 8 === 0)
const least = thorough ? 10_000 : 300
const perRow = Math.ceil(least / asked.length)

let requests = 0

/** What was counted after the last request. */
const kept = new WeakMap<SeededWorld, readonly number[]>()

const envelope = (status: number, code: string | undefined) => ({
  status,
  error: {
    ...(code !== undefined && { code: expect.stringMatching(/^[a-z-]+$/) }),
    name: expect.any(String),
    message: expect.any(String),
    ...(status === 400 && { violations: expect.any(Array) }),
  },
})

/** As a whole, or, where each row has a result of its own, every row. */
const assertRefused = (status: number, text: string): void => {
  if (status >= 400) return
  const { results } = JSON.parse(text).result
  expect(results).toEqual([expect.objectContaining({ status: 'failed' })])
}

const assertBorne = async (world: SeededWorld, row: Route, hostility: Hostility): Promise<void> => {
  const before = kept.get(world) ?? (await world.counts())
  const { status, headers, text } = await world.raw.ask({
    method: row.method.toUpperCase(),
    path: `${world.pathOf(row, hostility.spelling, hostility.params)}${hostility.query}`,
    headers: { authorization: world.authorization, ...hostility.headers },
    body: hostility.body,
  })
  requests += 1
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  expect(headers['x-injected']).toBeUndefined()
  if (row.body && hostility.unstorable) assertRefused(status, text)
  const after = await world.counts()
  kept.set(world, after)
  if (status < 400) return
  const answer = JSON.parse(text) as { readonly error: { readonly code?: string } }
  expect(answer).toEqual(envelope(status, answer.error.code))
  expect(after).toEqual(before)
}

describe('the seeded world', () => {
  it('has records of most kinds, so that hostile requests find something', async () => {
    const world = await seededWorld()
    expect(world.made.length).toBeGreaterThanOrEqual(10)
    const statuses: number[] = []
    for (const row of routes.filter(({ method }) => method === 'get')) {
      const path = world.pathOf(row, 0, world.paramsOf(row))
      const headers = { authorization: world.authorization }
      statuses.push((await world.raw.ask({ method: 'GET', path, headers, body: undefined })).status)
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length * 0.8)
    await world.close()
  })
})

describe('a hostile request', () => {
  it.each(asked.map((row) => [row.id, row] as const))('is handled without side effects: %s', async (_, row) => {
    const world = await seededWorld()
    const honest = { body: honestBody(row, world.known).all, params: world.paramsOf(row) }
    await fc.assert(
      fc.asyncProperty(hostilities(row, honest), (hostility) => assertBorne(world, row, hostility)),
      { seed, numRuns: perRow },
    )
    const alive = await world.raw.ask({ method: 'GET', path: '/healthz', headers: {}, body: undefined })
    expect(alive.status).toBe(200)
    await world.core.worker.runUntilIdle()
    for (const { mime } of world.mailer.sent) expect(mime).not.toMatch(/^(X-Injected|Bcc):/im)
    expect(Object.keys(Object.prototype)).toEqual([])
    await world.close()
  })

  it('was sent often enough', () => {
    expect(requests).toBeGreaterThanOrEqual(least)
  })
})
