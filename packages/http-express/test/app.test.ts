import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpApp, openApiDocument, pathsOfRoute, routes } from '../src/index.js'
import { testClient } from '../src/testing.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${world.client.base}${path}`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const withKey = (more: Record<string, string> = {}) => ({
  authorization: `Bearer ${world.project.key}`,
  'content-type': 'application/json',
  ...more,
})
const project = () => `/v1/projectId/${world.project.project._id}`

describe('the API', () => {
  it('answers an unknown path with its error envelope', async () => {
    for (const [path, method] of [
      ['/nothing', 'GET'],
      ['/v1/nothing', 'POST'],
      [`${project()}/nothing`, 'PUT'],
    ] as const)
      expect(JSON.parse((await ask(path, { method, headers: withKey() })).text)).toMatchObject({
        status: 404,
        error: { name: 'NOT_FOUND' },
      })
  })

  it.each(['%', '%ff', '%00', '..%2f..%2fetc%2fpasswd', '%F0%9F%98%80', "'%20or%201=1", 'x'.repeat(3000)])(
    'survives the path segment %.30s',
    async (segment) => {
      const { status, text } = await ask(`${project()}/campaigns/${segment}`, { headers: withKey() })
      expect([400, 403, 404]).toContain(status)
      expect(JSON.parse(text)).toHaveProperty('error.message')
    },
  )

  it.each([
    '{"__proto__":{"admin":true},"email":"p1@example.com"}',
    '{"constructor":{"prototype":{"admin":true}},"email":"p2@example.com"}',
    '{"email":"p3@example.com","data":{"__proto__":{"admin":true}}}',
    '{"email":{"$ne":null}}',
    '{"email":["a@example.com"]}',
    '{"email":"p4@example.com","name":"\\u0000\\ud800"}',
    'null',
    '0',
  ])('survives the body %s without prototype pollution', async (body) => {
    const { status } = await ask(`${project()}/contacts`, { method: 'POST', headers: withKey(), body })
    expect([201, 400]).toContain(status)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('accepts a JSON content type without a body where none is needed', async () => {
    expect((await ask(project(), { headers: withKey() })).status).toBe(200)
  })

  it('sends its security headers with every response, pages included', async () => {
    for (const path of ['/preferences?token=x', project(), '/nothing']) {
      const { headers } = await ask(path)
      expect([
        headers.get('x-content-type-options'),
        headers.get('referrer-policy'),
        headers.get('x-powered-by'),
      ]).toEqual(['nosniff', 'no-referrer', null])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  it('limits the rate of each key, and names the time to retry', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const { key, project: limited } = await sampleProject(core)
    const client = await testClient(
      httpApp({
        core,
        publicUrl: 'https://x.example.com',
        log: ports.log,
        rateLimits: { api: { perSecond: 1, burst: 3 } },
      }),
    )
    const answers = []
    for (let n = 0; n < 4; n += 1)
      answers.push(await client.call('getProject', { key, params: { projectId: limited._id } }))
    await client.close()
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[3]).toMatchObject({ error: { name: 'TOO_MANY_REQUESTS' } })
    expect([
      answers[3]?.headers.get('retry-after'),
      answers[0]?.headers.get('x-ratelimit-limit'),
      answers[0]?.headers.get('x-ratelimit-remaining'),
    ]).toEqual(['1', '3', '2'])
  })

  it('hides internal errors behind the id of a log entry', async () => {
    const { ports, lines } = inMemoryPorts()
    const core = createCore(ports)
    const { key, project: broken } = await sampleProject(core)
    const failing = {
      ...core,
      projects: { ...core.projects, get: async () => Promise.reject(new Error('secret detail')) },
    }
    const server = httpApp({ core: failing, publicUrl: 'https://x.example.com', log: ports.log }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const response = await fetch(`http://127.0.0.1:${port}/v1/projectId/${broken._id}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { error } = (await response.json()) as { error: { name: string; message: string } }
    server.close()
    expect([response.status, error.name]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(error.message).not.toContain('secret')
    const id = /[0-9a-f-]{36}/.exec(error.message)?.[0]
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', fields: expect.objectContaining({ id }) }))
  })
})

describe('the endpoint rows', () => {
  it('have unique ids and unique pairs of method and path', () => {
    const pairs = routes.flatMap((row) => pathsOfRoute(row).map((path) => `${row.method} ${path}`))
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length)
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  it('are ordered so that none hides another', () => {
    const all = routes.flatMap((row) => pathsOfRoute(row).map((path) => ({ id: row.id, method: row.method, path })))
    const hides = (earlier: string, later: string) =>
      new RegExp(`^${earlier.replace(/\{\w+\}/g, '[^/]+')}$`).test(later)
    const hidden = all.filter(({ method, path }, index) =>
      all.slice(0, index).some((one) => one.method === method && hides(one.path, path)),
    )
    expect(hidden).toEqual([])
  })

  it('are all in the OpenAPI document, whose references resolve', () => {
    const document = openApiDocument(routes) as {
      paths: Record<string, Record<string, object>>
      components: { schemas: object }
    }
    for (const row of routes)
      for (const path of pathsOfRoute(row)) expect(document.paths[path]).toHaveProperty(row.method)
    for (const [, name = ''] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas).toHaveProperty(name)
  })
})
