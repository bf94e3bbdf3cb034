import type { KeyScope } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports/storage'
import { sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument, pathsOfRoute, type Route, routes, routesDocument } from '../src/index.js'
import { aWorld, type World } from './world.js'

let world: World
let other: Awaited<ReturnType<typeof sampleProject>>
let keys: Readonly<Record<KeyScope, string>>

beforeAll(async () => {
  world = await aWorld()
  other = await sampleProject(world.core, { name: 'Other' })
  const made = async (scope: KeyScope) => (await world.core.apiKeys.create(world.project.project._id, { scope })).key
  keys = { full: world.project.key, send: await made('send'), read: await made('read'), webhook: await made('webhook') }
})
afterAll(() => world.client.close())

const takesKeys = routes.filter(({ auth }) => auth.startsWith('api-key'))

/** What the scopes mean, said once more: by name where a method does not tell. */
const sends = [
  'sendMail',
  'cancelSend',
  'sendBatch',
  'sendTransactional',
  'sendTriggered',
  'sendTransactionalByEmail',
  'sendTriggeredByEmail',
  'sendTestEmail',
  'renderPreview',
  'getApiKey',
]
const webhooks = [
  'getWebhook',
  'listWebhookLog',
  'getWebhookLogEntry',
  'listWebhooks',
  'getWebhookEndpoint',
  'listWebhookEndpointLog',
  'getWebhookEndpointLogEntry',
  'getApiKey',
]
const notOnlyShown = ['testWebhook', 'getSetupLink']
const opens: Readonly<Record<KeyScope, (row: Route) => boolean>> = {
  full: () => true,
  send: ({ id }) => sends.includes(id),
  read: ({ id, method }) => method === 'get' && !notOnlyShown.includes(id),
  webhook: ({ id }) => webhooks.includes(id),
}

const paramsOf = (row: Route) => ({
  dispatchId: '0'.repeat(24),
  id: row.projectOf ? world.project.list._id : '0'.repeat(24),
  subscriberListId: world.project.list._id,
  identityId: '0'.repeat(24),
  domainId: '0'.repeat(24),
  email: 'ada@example.com',
  name: 'nothing',
})
const ask = (row: (typeof routes)[number], key: string, params: object = {}) =>
  world.call(row.id, {
    key,
    params: { ...paramsOf(row), ...params },
    ...(row.body && { body: row.upload ? new FormData() : {} }),
  })

describe.each(['full', 'send', 'read', 'webhook'] as const)('a key with the scope %s', (scope) => {
  it.each(takesKeys.filter(({ path }) => path.includes('{projectId}')))(
    'learns nothing about another project: $id',
    async (row) => {
      expect(await ask(row, keys[scope], { projectId: other.project._id })).toMatchObject({
        status: 403,
        error: { message: 'Missing or invalid API key.' },
      })
    },
  )
})

describe.each(['send', 'read', 'webhook'] as const)('a key with the narrow scope %s', (scope) => {
  it.each(takesKeys.filter(opens[scope]))('gets the same response as a full key from $id', async (row) => {
    const [narrow, full] = [await ask(row, keys[scope]), await ask(row, keys.full)]
    expect([narrow.status, narrow.error]).toEqual([full.status, full.error])
    expect(full.error?.message ?? '').not.toContain('scope')
  })

  it.each(takesKeys.filter((row) => !opens[scope](row)))('learns which scope opens $id', async (row) => {
    const { status, error } = await ask(row, keys[scope])
    expect([status, error?.name]).toEqual([403, 'AUTHORIZATION_ERROR'])
    expect(error?.message).toMatch(new RegExp(`^This API key has the scope ${scope}; .* the scope .*full\\.$`))
  })
})

/** Everything that is stored. */
const everything = async (repositories: Repositories) => {
  const kept: Record<string, unknown[]> = {}
  for (const [name, repository] of Object.entries(repositories)) {
    kept[name] = []
    for await (const record of repository.each({})) kept[name].push(record)
  }
  return kept
}

it('a key with the scope read changes nothing', async () => {
  const email = { name: 'N', subject: 's', type: 'text', document: 'd' }
  const { result } = await world.call('createTransactionalEmail', { body: email })
  await world.call('setWebhook', { body: { url: 'https://shop.example.com/', secretKey: world.project.key } })
  const before = await everything(world.ports.repositories)
  for (const row of takesKeys.filter(({ method }) => method === 'get'))
    await ask(row, keys.read, { id: row.projectOf ? world.project.list._id : result._id })
  expect(await everything(world.ports.repositories)).toEqual(before)
})

it('an Origin does not make up for a key of the wrong scope', async () => {
  await world.core.projects.update(world.project.scope, { whiteList: ['shop.example.com'] })
  const { status } = await world.call('createContact', {
    key: keys.send,
    body: { email: 'eve@example.com' },
    headers: { origin: 'https://shop.example.com' },
  })
  expect(status).toBe(403)
})

describe('the documents', () => {
  it('name the key scopes of every endpoint', () => {
    const { paths } = JSON.parse(JSON.stringify(openApiDocument(routes))) as {
      readonly paths: Record<string, Record<string, { readonly security: readonly { apiKey?: string[] }[] }>>
    }
    for (const row of takesKeys)
      for (const path of pathsOfRoute(row)) {
        const told = paths[path]?.[row.method]?.security.flatMap(({ apiKey = [] }) => apiKey)
        const right = (['full', 'send', 'read', 'webhook'] as const).filter((scope) => opens[scope](row))
        expect([row.id, told]).toEqual([row.id, right])
      }
    expect(routesDocument(routes)).toContain('| getWebhook | API key (full, read, webhook) |')
    expect(routesDocument(routes)).toContain('| createCampaign | API key (full) |')
  })
})
