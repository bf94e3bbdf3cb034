import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BatchAnswer, BulkAnswer, KeptMailHistory, ReceivedEvent } from '@posthorn/client'
import { expect } from 'vitest'
import { outsideProject } from '../../../scripts/packing/outside-project.js'
import {
  bootstrapKey,
  type Environment,
  freePort,
  projectOf,
  runCommand,
  startBuiltServer,
  startProgram,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { runDjango } from './django.js'
import { browser } from './journey-of-mails.js'
import { receivingRelay } from './receiving-relay.js'

type Sent = { readonly contacts: BulkAnswer; readonly batch: BatchAnswer }
type Followed = {
  readonly posts: readonly { readonly event: ReceivedEvent; readonly forged: string }[]
  readonly history: KeptMailHistory
}

const receipts = 500
/** The relay takes so many before the server is killed, and the ledger has all of them: SMTP has no reason to repeat one. */
const beforeTheKill = 100
/** A click that comes sooner after a mail was sent, in ms, is taken for a machine's. */
const readingTime = 4_000

/** What callers of the built server do, from a new project to other programs, on this store. */
export const callersJourney = async (store: Environment): Promise<void> => {
  const closing: (() => unknown)[] = []
  try {
    const program = await outsideProject({
      packages: ['client'],
      others: { '@modelcontextprotocol/inspector': '2.12.0' },
    })
    const data = temporaryDirectory()
    closing.push(() => rmSync(program, { recursive: true, force: true }), data.remove)
    cpSync(new URL('caller.js', import.meta.url), join(program, 'caller.js'))

    let recipients = 0
    let open = () => {}
    const gate = new Promise<undefined>((resolve) => {
      open = () => resolve(undefined)
    })
    const relay = await receivingRelay({
      refusal: () => {
        recipients += 1
        return recipients > beforeTheKill ? gate : undefined
      },
    })
    closing.push(relay.close)
    const [port, submissionPort] = [await freePort(), await freePort()]
    const environment = {
      ...store,
      PORT: String(port),
      SMTP_URL: relay.url,
      POSTHORN_PUBLIC_URL: `http://localhost:${port}`,
      POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
      POSTHORN_SUBMISSION_PORT: String(submissionPort),
      POSTHORN_MCP: 'write',
    }
    const first = await startBuiltServer(data.path, environment)
    closing.push(() => stopServer(first, 'SIGKILL'))
    const { get, project } = projectOf(first)
    await runCommand(['access', 'approve', project], { ...store, POSTHORN_DATA_DIR: data.path })
    const call = async <T>(...args: readonly string[]): Promise<T> => {
      const { code, stdout, stderr } = await startProgram([join(program, 'caller.js'), ...args], {
        POSTHORN_URL: first.base,
        POSTHORN_PROJECT: project,
        POSTHORN_KEY: bootstrapKey,
      }).ended
      if (code !== 0) throw new Error(stderr)
      return JSON.parse(stdout) as T
    }

    const sent = await call<Sent>('send')
    expect(sent.contacts.counts).toEqual({ created: 5_000, updated: 0, unchanged: 0, failed: 0 })
    expect(sent.batch.accepted).toBe(receipts)
    const { items: emails } = await get('/transactional-emails')
    const deliveries = async (filter = '') => {
      const path = `/transactional-emails/${emails[0]?._id}/recipients?limit=1${filter}`
      return ((await get(path)) as unknown as { readonly count: number }).count
    }
    const sentDeliveries = () => deliveries('&filter[status]=sent')
    await until(async () => (await sentDeliveries()) === beforeTheKill)
    await stopServer(first, 'SIGKILL')
    const second = await startBuiltServer(data.path, environment)
    closing.push(() => stopServer(second))
    expect(await call<Sent>('send')).toEqual(sent)
    open()
    await until(async () => (await sentDeliveries()) === receipts)
    expect(await call<Sent>('send')).toEqual(sent)
    expect([await deliveries(), (await get('/contacts?limit=1')).count]).toEqual([receipts, 5_000])
    expect((await get('/transactional-emails')).items).toHaveLength(emails.length)
    expect(relay.received.map(({ to }) => to).toSorted()).toEqual(
      sent.batch.results.map(({ email }) => email).toSorted(),
    )

    const reader = 'person7@example.net'
    const following = call<Followed>('follow', reader)
    await until(async () => (await get('/webhook')) !== null)
    const [mail] = (await get(`/deliveries?email=${reader}`)).items
    await until(() => Date.now() > Date.parse(mail?.sentAt ?? '') + readingTime)
    const html = relay.mailTo(reader).text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const [link = ''] = /http:\/\/localhost:\d+\/c\/[^"\s]+/.exec(html) ?? []
    const clicked = await fetch(link, { headers: { 'user-agent': browser }, redirect: 'manual' })
    const shop = 'https://shop.example.com/orders'
    expect(clicked.headers.get('location')).toBe(shop)
    const { posts, history } = await following
    expect(history).toMatchObject({
      deliveryId: sent.batch.results[7]?.deliveryId,
      kind: 'transactional',
      subject: 'Your order 7',
      events: [{ type: 'accepted' }, { type: 'sent', attempts: 1 }, { type: 'click', by: 'person', link: shop }],
      webhooks: [{ type: 'click', state: 'delivered' }],
    })
    expect(posts).toMatchObject([
      { event: { type: 'click', link: shop, emailData: { to: reader } }, forged: 'WebhookVerificationError' },
    ])

    await runDjango(
      { port: submissionPort, user: project, password: bootstrapKey, from: 'hello@example.com' },
      `
from django.core.mail import send_mail
assert send_mail('From Django', 'Hello', None, ['other@example.net']) == 1
`,
    )
    // The inspector of the protocol's authors, as an assistant would call.
    const inspector = join(program, 'node_modules/.bin/mcp-inspector')
    const inspected = async (...args: readonly string[]) => {
      const server = ['--cli', `${second.base}/mcp`, '--header', `Authorization: Bearer ${bootstrapKey}`]
      const environment = { ...process.env, HOME: program }
      const options = { env: environment, maxBuffer: 10_000_000 }
      const { stdout } = await promisify(execFile)(inspector, [...server, '--method', ...args], options)
      return JSON.parse(stdout)
    }
    const { tools } = await inspected('tools/list')
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'send_mail', title: 'Send an email without storing it' }),
    )
    const argumentsOfMail = ['to=other@example.net', 'subject=From an assistant', 'html=<p>Hello</p>']
    const called = ['tools/call', '--tool-name', 'send_mail', ...argumentsOfMail.flatMap((one) => ['--tool-arg', one])]
    expect((await inspected(...called)).structuredContent).toMatchObject({ success: true })
    const ledger = async () => (await get('/deliveries?email=other@example.net')).items
    await until(async () => (await ledger()).filter(({ status }) => status === 'sent').length === 2)
    expect((await ledger()).map(({ kind, subject }) => `${kind}: ${subject}`)).toEqual([
      'direct: From an assistant',
      'direct: From Django',
    ])
    expect(relay.received).toHaveLength(receipts + 2)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
