import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { allowAnySenderDomain } from '@posthorn/core'
import { recordingMailer } from '@posthorn/testkit'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPosthorn, type PosthornOptions } from '../src/index.js'
import { inFastify } from './recipes/fastify.js'
import { httpMailer } from './recipes/http-mailer.js'
import { movableClock } from './recipes/movable-clock.js'
import { config, handlerOf } from './recipes/next.js'
import { tellingStore } from './recipes/telling-store.js'

let directory = ''
const closing: (() => unknown)[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthorn-recipes-'))
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await rm(directory, { recursive: true, force: true })
})

const open = async (options: Partial<PosthornOptions> = {}) => {
  const opened = await openPosthorn({
    store: openSqliteStore({ file: join(directory, 'posthorn.db') }),
    mailer: recordingMailer(),
    publicUrl: 'http://localhost:3000/mail',
    secret: 'a secret of thirty-two characters',
    worker: false,
    ...options,
    ports: { domainVerified: allowAnySenderDomain, ...options.ports },
  })
  closing.push(() => opened.close())
  const account = await opened.core.accounts.create({ name: 'Shop' })
  await opened.core.accounts.addCredit(account._id, 1_000)
  const { _id: projectId } = await opened.core.projects.create({ accountId: account._id, name: 'Receipts' })
  const { key } = await opened.core.apiKeys.create(projectId, { name: 'Application' })
  return { ...opened, scope: { projectId, caller: 'operator' } as const, key, projectId }
}

const listening = async (server: Server) => {
  closing.unshift(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Creates a contact by the API below that URL, and reads it again. */
const usesApi = async (base: string, { projectId, key }: { readonly projectId: string; readonly key: string }) => {
  const contacts = `${base}/v1/projectId/${projectId}/contacts`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const made = await fetch(contacts, { method: 'POST', headers, body: JSON.stringify({ email: 'ada@example.com' }) })
  expect(made.status).toBe(201)
  const read = await fetch(`${contacts}/ada%40example.com`, { headers })
  expect(await read.json()).toMatchObject({ result: { email: 'ada@example.com' } })
  expect((await fetch(`${base}/nothing`)).status).toBe(404)
}

describe('the recipes of docs/embedding-recipes.md', () => {
  const recipes = join(import.meta.dirname, 'recipes')

  it('are the modules that these tests run', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/embedding-recipes.md'), 'utf8')
    const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text]) => text)
    const modules = readdirSync(recipes).map((name) => readFileSync(join(recipes, name), 'utf8'))
    expect(new Set(blocks)).toEqual(new Set(modules))
  })

  it('stop sending by HTTP at a wrong token or a moved address, which a person has to correct', async () => {
    const provider = createServer(({ headers: { authorization } }, response) => {
      if (authorization !== 'Bearer right') response.writeHead(401)
      else response.writeHead(302, { location: '/elsewhere' })
      response.end()
    })
    const url = await listening(provider)
    const mail = { deliveryId: 'd', projectId: 'p', from: 'shop@example.com', to: 'ada@example.com', mime: '\r\n' }
    for (const token of ['wrong', 'right'])
      expect(await httpMailer(url, token).send(mail)).toMatchObject({ kind: 'stopped' })
    await expect(httpMailer(url, 'wrong').check()).rejects.toThrow('token')
  })

  it('move the clock', async () => {
    const clock = movableClock(new Date('2026-01-06T12:00:00Z'))
    const { core, scope } = await open({ ports: { clock: clock.now } })
    await core.contacts.create(scope, { email: 'ada@example.com' })
    clock.advance(24 * 60 * 60_000)
    await core.contacts.create(scope, { email: 'bob@example.com' })
    expect((await core.contacts.get(scope, 'ada@example.com')).createdAt).toBe('2026-01-06T12:00:00.000Z')
    expect((await core.contacts.get(scope, 'bob@example.com')).createdAt).toBe('2026-01-07T12:00:00.000Z')
  })

  it('tell about suppressions once they are stored', async () => {
    const told: string[] = []
    const store = tellingStore(openSqliteStore({ file: join(directory, 'telling.db') }), async (email) => {
      told.push(email)
    })
    const { core, scope } = await open({ store })
    await core.suppressions.create(scope, { email: 'no@example.com' })
    await core.suppressions.create(scope, { email: 'no@example.com' }).catch(() => undefined)
    expect(told).toEqual(['no@example.com'])
  })

  it('serve the API in Fastify', async () => {
    const posthorn = await open()
    const app = fastify()
    app.get('/', async () => 'the shop')
    await app.register(inFastify(posthorn), { prefix: '/mail' })
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    closing.unshift(() => app.close())
    await usesApi(`${base}/mail`, posthorn)
    expect(await (await fetch(base)).text()).toBe('the shop')
  })

  it('serve the API from a route of Next, as it calls its handlers', async () => {
    const posthorn = await open({ publicUrl: 'http://localhost:3000/api/mail' })
    expect(config.api).toEqual({ bodyParser: false, externalResolver: true })
    const handler = handlerOf(Promise.resolve(posthorn))
    await usesApi(
      `${await listening(createServer((request, response) => void handler(request, response)))}/api/mail`,
      posthorn,
    )
  })
})
