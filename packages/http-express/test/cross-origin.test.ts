import { addressFingerprint, signedToken } from '@posthorn/core/ports/transport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathsOfRoute, type Route, routes } from '../src/index.js'
import { browserAccessNeededFor } from '../src/route.js'
import { aWorld, type World } from './world.js'

const shop = 'https://shop.example.com'
const preferences = 'https://preferences.example.com:8443'

let world: World
let form = ''
beforeAll(async () => {
  world = await aWorld()
  await world.call('updateProject', {
    body: { whiteList: ['shop.example.com'], customSubscriptionPreferencesUrl: `${preferences}/mine?lang=de` },
  })
  form = (await world.call('createSignupForm', { body: { name: 'Form' } })).result._id
})
afterAll(() => world.client.close())

const urlOf = (path: string) =>
  world.client.base +
  path
    .replace('{projectId}', world.project.project._id)
    .replace('{id}', path.includes('/signup-forms/') ? form : world.project.list._id)
    .replace(/\{\w+\}/g, 'x')

const preflight = async ({ method }: Route, path: string, origin: string) => {
  const { status, headers } = await fetch(urlOf(path), {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method.toUpperCase() },
  })
  return {
    status,
    allowed: headers.get('access-control-allow-origin'),
    methods: headers.get('access-control-allow-methods'),
  }
}

const spelled = routes.flatMap((row) => pathsOfRoute(row).map((path) => ({ row, path, name: `${row.method} ${path}` })))

describe('a preflight', () => {
  it.each(spelled.filter(({ row }) => browserAccessNeededFor(row)))(
    'for $name succeeds for a whitelisted Origin and no other',
    async ({ row, path }) => {
      expect(await preflight(row, path, shop)).toEqual({
        status: 204,
        allowed: shop,
        methods: row.method.toUpperCase(),
      })
      for (const origin of ['https://evil.example', 'https://shop.example.com.evil.example', 'null'])
        expect(await preflight(row, path, origin)).toEqual({ status: 404, allowed: null, methods: null })
    },
  )

  it.each(spelled.filter(({ row }) => row.preferences))(
    'for $name, which a preferences token opens, also succeeds for the project’s preferences page',
    async ({ row, path }) => {
      const methods = row.method.toUpperCase()
      for (const origin of [preferences, shop])
        expect(await preflight(row, path, origin)).toEqual({ status: 204, allowed: origin, methods })
      for (const origin of ['https://preferences.example.com', 'http://preferences.example.com:8443', 'null'])
        expect(await preflight(row, path, origin)).toEqual({ status: 404, allowed: null, methods: null })
    },
  )

  it.each(spelled.filter(({ row }) => browserAccessNeededFor(row) && !row.preferences))(
    'for $name fails for the preferences page',
    async ({ row, path }) => {
      expect(await preflight(row, path, preferences)).toEqual({ status: 404, allowed: null, methods: null })
    },
  )

  it.each(spelled.filter(({ row }) => !browserAccessNeededFor(row) && !row.preferences))(
    'for $name, which no Origin may call, fails for everybody',
    async ({ row, path }) => {
      expect(await preflight(row, path, shop)).toMatchObject({ allowed: null, methods: null })
    },
  )

  it('fails for a method that the path does not support', async () => {
    const { status } = await fetch(urlOf('/v1/projectId/{projectId}/contacts'), {
      method: 'OPTIONS',
      headers: { origin: shop, 'access-control-request-method': 'PUT' },
    })
    expect(status).toBe(404)
  })
})

describe('a response', () => {
  const headersOf = async (path: string, headers: Record<string, string>, method = 'GET') =>
    (await fetch(urlOf(path), { method, headers })).headers

  it('varies by Origin, also without one', async () => {
    for (const headers of [{}, { origin: shop }, { origin: 'https://evil.example' }])
      expect((await headersOf('/v1/projectId/{projectId}/contacts', headers)).get('vary')).toBe('Origin')
  })

  it('can be read by a whitelisted Origin, also if it is a refusal or for HEAD', async () => {
    const read = async (path: string, method: string) =>
      (await headersOf(path, { origin: shop }, method)).get('access-control-allow-origin')
    expect(await read('/v1/projectId/{projectId}/contacts/nobody', 'GET')).toBe(shop)
    expect(await read('/v1/contacts/{projectId}', 'HEAD')).toBe(shop)
  })

  it('to a preferences token can be read by the preferences page, which has no access without it', async () => {
    const { core, project, ports } = world
    const email = 'ada@example.com'
    await core.subscribers.subscribe(project.scope, project.list._id, { email })
    const contact = await ports.repositories.contacts.get({ emailKey: email })
    const c = contact?._id ?? ''
    const a = addressFingerprint(ports.secrets, { _id: c, emailKey: email })
    const token = signedToken(ports.secrets, { purpose: 'preferences', c, a })
    const url = `${world.client.base}/v1/projectId/${project.project._id}/subscriber-lists/public/${email}`
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers: { origin: preferences, ...headers } })
      return [answer.status, answer.headers.get('access-control-allow-origin')]
    }
    expect(await ask({ authorization: `Bearer ${token}` })).toEqual([200, preferences])
    expect(await ask({})).toEqual([403, preferences])
  })

  it('of an endpoint for keys cannot be read by any page', async () => {
    const headers = { origin: shop, authorization: `Bearer ${world.project.key}` }
    for (const path of ['/v1/projectId/{projectId}/contacts/tags', '/v1/projectId/{projectId}/segments'])
      expect((await headersOf(path, headers)).get('access-control-allow-origin')).toBeNull()
  })
})

it('paths consist of names and parameters between slashes', () => {
  for (const { path } of spelled) expect(path).toMatch(/^(\/([\w-]+|\{\w+\}))+$/)
})
