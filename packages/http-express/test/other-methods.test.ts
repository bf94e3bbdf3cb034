import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathsOfRoute, routes } from '../src/index.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

const ask = (method: string, path: string) => fetch(`${world.client.base}${path}`, { method })
const told = async (method: string, path: string) => {
  const response = await ask(method, path)
  return { status: response.status, allow: response.headers.get('allow'), body: await response.json() }
}

describe('a known path with another method', () => {
  it.each([
    ['DELETE', '/v1/projectId/p', 'GET, HEAD, PATCH'],
    ['PUT', '/v1/projectId/p/webhook', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/projectId/p/send-transactional', 'POST'],
    ['POST', '/v1/captcha', 'GET, HEAD'],
    // The fields, and not a contact of that address.
    ['PUT', '/v1/projectId/p/contacts/fields', 'GET, HEAD, POST'],
    ['DELETE', '/v1/projectId/p/contacts/tags', 'GET, HEAD, POST'],
    ['PUT', '/v1/verify?token=x', 'GET, HEAD, POST'],
    ['PUT', '/preferences', 'GET, HEAD, POST'],
    ['DELETE', '/forms/x', 'GET, HEAD, POST'],
    ['POST', '/report', 'GET, HEAD'],
    ['POST', '/gallery/x.png', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['PUT', '/v1/openapi.json', 'GET, HEAD'],
  ])('returns 405 and the allowed methods: %s %s', async (method, path, allow) => {
    expect(await told(method, path)).toEqual({
      status: 405,
      allow,
      body: {
        status: 405,
        error: { name: 'METHOD_NOT_ALLOWED', message: `This path does not support ${method}. It supports ${allow}.` },
      },
    })
  })

  it.each([...new Set(routes.flatMap(pathsOfRoute))])('returns 405: %s', async (path) => {
    const { status, allow } = await told('PUT', path.replace(/\{\w+\}/g, 'x'))
    expect(status).toBe(405)
    for (const row of routes.filter((one) => pathsOfRoute(one).includes(path)))
      expect(allow?.split(', ')).toContain(row.method.toUpperCase())
  })
})

describe('a refusal by a business rule', () => {
  it('returns 405 and the allowed methods, too', async () => {
    const body = { email: 'gone@example.com', reason: 'bounce' }
    await world.call('createSuppression', { body })
    const { status, headers } = await world.call('createContact', { body: { email: body.email } })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('an unknown path', () => {
  it.each(['/v1/nothing', '/v1/projectId/p/nothing', '/v1/projectId/p/webhook/more'])(
    'returns 404: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT'])
        expect(await told(method, path)).toMatchObject({ status: 404, allow: null })
    },
  )
})

it('HEAD works wherever GET does', async () => {
  expect((await ask('HEAD', '/v1/captcha')).status).toBe(200)
})
