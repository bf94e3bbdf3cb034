import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as client from '../src/index.js'
import { aServer } from './world.js'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

/** All examples as one program, in their order: later ones use what earlier ones create. */
const program = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text = '']) => text).join('\n')

type Made = {
  readonly receive: (request: Request) => Promise<Response>
  readonly worker: { readonly fetch: (request: Request, env: object) => Promise<Response> }
  readonly secret: string
}

/** Runs the program with the client of the sources; its imports become parameters. */
const run = async (env: Readonly<Record<string, string>>, print: (...words: unknown[]) => void, web: typeof fetch) => {
  const { code } = await transformWithOxc(program, 'readme.ts')
  const body = code.replace(/^import .*$/gm, '').replace(/^export /gm, '')
  const names = Object.keys(client)
  const inside = `return (async () => { ${body.replace(/^\/\/# .*$/gm, '')}; return { receive, worker, secret } })()`
  // The README is ours, and its examples are statements.
  // oxlint-disable-next-line typescript/no-implied-eval
  const start = new Function(...names, 'process', 'console', 'fetch', inside)
  const Posthorn = class {
    constructor(options: client.PosthornOptions) {
      Object.assign(this, new client.Posthorn({ ...options, fetch: web }))
    }
  }
  const given = names.map((name) =>
    name === 'Posthorn' ? Posthorn : (client as Readonly<Record<string, unknown>>)[name],
  )
  return (await start(...given, { env }, { log: print }, web)) as Made
}

describe('the README', () => {
  let world: Awaited<ReturnType<typeof aServer>>
  let made: Made
  const printed: string[] = []
  beforeAll(async () => {
    world = await aServer()
    const { baseUrl, project, key, core, clock } = world
    // The examples name the present; the server's clock is past it.
    clock.advance(Date.now() + 60_000 - clock.now().getTime())
    const env = { POSTHORN_URL: baseUrl, POSTHORN_PROJECT: project._id, POSTHORN_KEY: key }
    /** What a browser adds to the requests of a page. */
    const web: typeof fetch = (url, { headers, ...init } = {}) => {
      const all = new Headers(headers)
      if (!all.has('authorization')) all.set('origin', 'https://shop.example.com')
      return fetch(url, { ...init, headers: all })
    }
    let over = false
    const sending = (async () => {
      while (!over) {
        await core.worker.runUntilIdle()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    try {
      made = await run(env, (...words) => printed.push(words.map(String).join(' ')), web)
    } finally {
      over = true
      await sending
    }
  })
  afterAll(() => world.close())

  it('has examples that do what they say', () => {
    expect(printed).toEqual([
      expect.stringMatching(/^Queued as [\da-f]{24}$/),
      'vip London',
      '2 active subscribers',
      '1 1 null',
      'ada@example.com',
      '1 recipients ',
      '1 sent, 0 failed, 0 tried again later ',
      expect.stringMatching(/^recipients-[\da-f]{24}\.csv .*\nada@example\.com,/s),
      expect.stringMatching(/^https?:.*\/gallery\/.+\.gif$/),
      expect.stringMatching(/^email .+/),
      'true',
    ])
  })

  it('sends the mails that it says', async () => {
    const to = world.mailer.sent
      .map(({ to: address, mime }) => `${address}: ${/^Subject: (.*)\r$/m.exec(mime)?.[1]}`)
      .toSorted((a, b) => a.localeCompare(b))
    expect(to).toEqual([
      'ada@example.com: What is new',
      'ada@example.com: Your order 7',
      'ada@example.com: Your order 8',
    ])
  })

  it('subscribes a visitor of a page', async () => {
    const [list] = (await world.posthorn.subscriberLists.list({ filter: { name: 'News' } })).items
    expect(await world.posthorn.subscriberLists.getSubscriber(list?._id ?? '', 'mary@example.com')).toMatchObject({
      status: 'active',
    })
  })

  it('receives webhooks', async () => {
    const body = JSON.stringify({ type: 'bounce', reason: 'No such user', emailData: { to: 'ada@example.com' } })
    const at = new Date()
    const headers = {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(made.secret).sign('event-1', at, body),
    }
    const request = (more: object) =>
      new Request('https://shop.example.com/hook', { method: 'POST', body, headers: { ...headers, ...more } })
    expect((await made.receive(request({}))).status).toBe(204)
    expect(printed.at(-1)).toBe('ada@example.com bounced: No such user')
    expect((await made.receive(request({ 'webhook-id': 'event-2' }))).status).toBe(400)
  })

  it('answers in a worker', async () => {
    const response = await made.worker.fetch(new Request('https://worker.example.com/?email=ada@example.com'), {
      POSTHORN_KEY: world.key,
    })
    expect(await response.json()).toEqual({ name: 'Ada' })
  })
})
