import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { allowAnySenderDomain } from '@posthorn/core'
import { inMemoryStore, recordingMailer } from '@posthorn/testkit'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import { openPosthorn, type Posthorn, type PosthornOptions } from '../src/index.js'

const secret = 'a secret of thirty-two characters'

let directory = ''
let server: Server
let posthorn: Posthorn
let base = ''
const mailer = recordingMailer()

const options = (): PosthornOptions => ({
  store: openSqliteStore({ file: join(directory, 'posthorn.db') }),
  mailer,
  publicUrl: `${base}/mail`,
  secret,
  ports: { domainVerified: allowAnySenderDomain },
})

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'posthorn-embed-'))
  const host = express()
  server = createServer(host)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  posthorn = await openPosthorn(options())
  host.use('/mail', posthorn.app)
})
afterEach(async () => {
  await posthorn.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await rm(directory, { recursive: true, force: true })
})

const project = async () => {
  const { core } = posthorn
  const account = await core.accounts.create({ name: 'Shop' })
  await core.accounts.addCredit(account._id, 1_000)
  const { _id: projectId } = await core.projects.create({ accountId: account._id, name: 'Newsletter' })
  const scope = { projectId, caller: 'operator' } as const
  await core.senderIdentities.create(scope, { email: 'shop@example.com', name: 'Shop', region: 'eu-west-1' })
  const { key } = await core.apiKeys.create(projectId, { name: 'Application' })
  return { scope, projectId, key }
}

describe('an application that gives no log', () => {
  it('reads on the console why nothing is sent, and nothing else', async () => {
    const printed: unknown[][] = []
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...words) => void printed.push([level, ...words]))
    await posthorn.close()
    const shut = { ...mailer, problem: async () => 'The account is closed.' }
    posthorn = await openPosthorn({ ...options(), mailer: shut })
    const { scope } = await project()
    await posthorn.core.sends.direct(scope, { to: 'ada@example.com', subject: 'Hello', text: 'Hello.' })
    const line = ['warn', 'Posthorn: A channel does not send', { channel: 'server', reason: 'The account is closed.' }]
    await expect.poll(() => printed).toEqual([line])
    vi.restoreAllMocks()
  })
})

describe('Posthorn in an application', () => {
  it.each(['nope', '', 'ftp://example.com', 'https://example.com?a=b', 'https://me@example.com'])(
    'rejects the public URL %j, naming the option',
    async (publicUrl) => {
      await expect(openPosthorn({ ...options(), publicUrl })).rejects.toThrow(
        `publicUrl: ${JSON.stringify(publicUrl)} is not an http or https URL`,
      )
    },
  )

  it('documents its API below its mount path', async () => {
    const { servers } = (await (await fetch(`${base}/mail/v1/openapi.json`)).json()) as { servers: unknown }
    expect(servers).toEqual([{ url: '/mail', description: 'This server' }])
  })

  it('sends on request of the program', async () => {
    const { scope } = await project()
    const list = await posthorn.core.subscriberLists.create(scope, { name: 'Readers' })
    await posthorn.core.subscribers.subscribe(scope, list._id, { email: 'ada@example.org', name: 'Ada' })
    const { _id } = await posthorn.core.campaigns.create(scope, {
      name: 'Hello',
      subject: 'Hello {{contact.name}}',
      type: 'html',
      document: '<p>Hello <a href="{{unsubscribeLink}}">Leave</a></p>',
      timeZone: 'UTC',
      subscriberListId: list._id,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    await vi.waitFor(
      async () => expect(await posthorn.core.campaigns.get(scope, _id)).toMatchObject({ status: 'sent' }),
      { timeout: 30_000, interval: 50 },
    )
    const [mail] = mailer.sent.filter(({ to }) => to === 'ada@example.org')
    expect(mail).toBeDefined()
    const [, unsubscribe = ''] = /List-Unsubscribe: <([^>]+)>/.exec((mail?.mime ?? '').replace(/\r\n[ \t]/g, ' ')) ?? []
    expect(unsubscribe.startsWith(`${base}/mail/v1/`)).toBe(true)
    expect((await fetch(unsubscribe, { method: 'POST' })).status).toBe(200)
    expect(await posthorn.core.subscribers.get(scope, list._id, 'ada@example.org')).toMatchObject({
      status: 'unsubscribed',
    })
  })

  it('serves the API below its mount path, with working next links', async () => {
    const { projectId, key, scope } = await project()
    for (const name of ['One', 'Two']) await posthorn.core.subscriberLists.create(scope, { name })
    const ask = async (url: string) => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      return ((await answer.json()) as { result: { count: number; next: string } }).result
    }
    const { next } = await ask(`${base}/mail/v1/projectId/${projectId}/subscriber-lists?limit=1`)
    expect(next).toBe(`${base}/mail/v1/projectId/${projectId}/subscriber-lists?limit=1&skip=1`)
    expect(await ask(next)).toMatchObject({ count: 2, next: null })
  })

  it('serves its front page and reference there, with all assets', async () => {
    const pageAt = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).text()
    const linksOf = (page: string) => [...page.matchAll(/(?:href|src)="(\/[^"#]*)"/g)].map(([, path = '']) => path)
    const links = [...linksOf(await pageAt(`${base}/mail/`)), ...linksOf(await pageAt(`${base}/mail/docs`))]
    expect(links).toEqual(expect.arrayContaining(['/mail/docs', '/mail/v1/openapi.json', '/mail/docs/reference.js']))
    for (const path of new Set(links)) expect([path, (await fetch(`${base}${path}`)).status]).toEqual([path, 200])
  })

  it('stores images beside the store by default', async () => {
    const { scope } = await project()
    const contentType = 'image/png'
    const file = { filename: 'dot.png', contentType, bytes: sampleImages[contentType] }
    const image = await posthorn.core.galleryImages.upload(scope, { image: file, parentFolderId: null })
    expect((await fetch(image.url)).headers.get('content-type')).toBe(contentType)
    expect(await readdir(join(directory, 'files'))).not.toEqual([])
  })
})

it('nothing keeps the process alive after it is closed, even after a job ran', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const before = timers()
  const store = openSqliteStore({ file: join(directory, 'another.db') })
  const another = await openPosthorn({ ...options(), store })
  await expect
    .poll(
      async () => (await store.jobBackend.repository.queryJobs({})).jobs.some(({ lastFinishedAt }) => lastFinishedAt),
      {
        timeout: 30_000,
      },
    )
    .toBe(true)
  expect(timers()).toBeGreaterThan(before)
  await another.close()
  expect(timers()).toBeLessThanOrEqual(before)
})

describe('rejects with a reason:', () => {
  it.each([[''], ['too short'], [['long enough for everybody who asks', 'short']]] as const)(
    'the secret %j',
    async (weak) => {
      const refused = { ...options(), secret: weak as PosthornOptions['secret'] }
      await expect(openPosthorn(refused)).rejects.toThrow('secret: expected at least 32 characters')
      await refused.store.close()
    },
  )

  it('a store without files, if no files are given', async () => {
    const { files: _, ...store } = inMemoryStore()
    const { jobBackend } = options().store
    await expect(
      openPosthorn({ ...options(), store: { ...store, jobBackend, close: async () => {} } }),
    ).rejects.toThrow('files: required, because the store does not keep attachments and images')
  })
})
