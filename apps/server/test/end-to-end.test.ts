import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  builtMain,
  countMails,
  freePort,
  projectOf,
  type RunningServer,
  readMails,
  startBuiltServer,
  startProgram,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'

const data = temporaryDirectory()
let server: RunningServer
beforeAll(async () => {
  server = await startBuiltServer(data.path)
})
afterAll(async () => {
  await stopServer(server)
  data.remove()
})

const mailTo = async (address: string) =>
  (await readMails(data.path)).find(({ to }) => to?.some((one) => one.address === address))

describe('a first start', () => {
  it('prints three lines that work when pasted', async () => {
    const printed = server.printed().split('\n')
    const lines = printed.filter((line) => line.startsWith('curl'))
    const variables = printed.filter((line) => line.startsWith('export ')).join('\n')
    expect(lines).toHaveLength(3)
    const answers: string[] = []
    expect(server.printed()).not.toContain(bootstrapKey)
    const env = { ...process.env, POSTHORN_BOOTSTRAP_KEY: bootstrapKey }
    for (const line of lines)
      answers.push((await promisify(execFile)('bash', ['-c', `${variables}\n${line}`], { env })).stdout)
    expect(answers.map((answer) => JSON.parse(answer).status)).toEqual([201, 201, 200])
    await until(() => countMails(data.path) === 1)
    expect(await mailTo('ada@example.com')).toMatchObject({
      subject: 'Hello Ada',
      from: { address: 'hello@example.com' },
    })
  })
})

describe('the three kinds of mail', () => {
  it('arrive personalised: a campaign, a triggered and a transactional email', async () => {
    const { list, post } = projectOf(server)
    await post(`/subscriber-lists/${list}/subscribers`, { email: 'grace@example.com', name: 'Grace "G" Ünïcode' })
    const triggered = await post('/triggered-emails', {
      name: 'Order',
      subject: 'Order {{order}}',
      type: 'html',
      document: '<p>{{contact.name}}: {{#each items}}{{this}}, {{/each}}</p>',
      subscriberListId: list,
    })
    await post('/send-triggered', {
      triggeredId: triggered._id,
      emails: ['GRACE@example.com'],
      data: { order: 7, items: ['a', 'b'] },
    })
    const transactional = await post('/transactional-emails', {
      name: 'Receipt',
      subject: 'Receipt {{n}}',
      type: 'text',
      document: 'Paid: {{n}} €',
    })
    await post('/send-transactional', {
      transactionalId: transactional._id,
      email: 'anybody@example.org',
      data: { n: 42, contact: { name: 'nobody can set this' } },
      attachments: [{ filename: 'receipt.txt', content: Buffer.from('42 €').toString('base64') }],
    })
    await until(
      async () =>
        (await mailTo('grace@example.com')) !== undefined && (await mailTo('anybody@example.org')) !== undefined,
    )

    const order = await mailTo('grace@example.com')
    expect(order).toMatchObject({ subject: 'Order 7', to: [{ name: 'Grace "G" Ünïcode' }] })
    expect(order?.html).toContain('Grace &quot;G&quot; Ünïcode: a, b, ')
    expect(order?.text).toContain('Grace "G" Ünïcode: a, b,')
    const receipt = await mailTo('anybody@example.org')
    expect(receipt).toMatchObject({ subject: 'Receipt 42', text: expect.stringContaining('Paid: 42 €') })
    expect(receipt?.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(false)
    expect(receipt?.attachments[0]).toMatchObject({ filename: 'receipt.txt', mimeType: 'text/plain' })
  })
})

describe('the unsubscribe link of a campaign', () => {
  it('changes nothing when opened, and unsubscribes by POST', async () => {
    const { list, get } = projectOf(server)
    const campaign = (await readMails(data.path)).find(({ subject }) => subject === 'Hello Ada')
    const header = campaign?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
    const link = new URL(header.slice(1, -1))
    const url = `${server.base}${link.pathname}${link.search}`
    const status = async () => (await get(`/subscriber-lists/${list}/subscribers/ada@example.com`)).status
    const opened = await fetch(url)
    expect([opened.status, await status()]).toEqual([200, 'active'])
    expect(await opened.text()).toContain('<form method="post"')
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200)
    expect(await status()).toBe('unsubscribed')
    expect((await fetch(`${url}x`, { method: 'POST', body: form })).status).toBe(403)
  })
})

describe('the server', () => {
  it('answers health checks and unknown paths', async () => {
    const ask = async (path: string) => {
      const response = await fetch(`${server.base}${path}`)
      return { status: response.status, text: await response.text() }
    }
    expect(await ask('/healthz')).toMatchObject({ status: 200 })
    expect(await ask('/readyz')).toMatchObject({ status: 200 })
    expect((await ask('/metrics')).text).toContain('posthorn_http_request_duration_seconds')
    expect((await ask('/docs/')).text).not.toMatch(/(?:src|href)="https?:/)
    expect((await ask('/docs/reference.js')).status).toBe(200)
    expect(JSON.parse((await ask('/v1/openapi.json')).text).openapi).toBe('3.1.0')
    expect((await ask('/outbox')).text).toContain('Hello Ada')
    expect(await ask('/nowhere')).toMatchObject({ status: 404, text: expect.stringContaining('NOT_FOUND') })
  })

  it('reports a port in use in one message, without a stack trace', async () => {
    const other = temporaryDirectory()
    const message = await startBuiltServer(other.path, { PORT: new URL(server.base).port }).then(
      String,
      (error: Error) => error.message,
    )
    other.remove()
    expect(message).toMatch(
      /ended with 1: error: Port \d+ of 127\.0\.0\.1 is in use by another program\. Set PORT to another one\.\n$/,
    )
  })

  it('keeps running when the reader of its output exits', async () => {
    const other = temporaryDirectory()
    const port = await freePort()
    const { child, ended } = startProgram([builtMain], { POSTHORN_DATA_DIR: other.path, PORT: String(port) })
    child.stdout.destroy()
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(answers)
    expect(await answers()).toBe(true)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
    other.remove()
  })

  it('reports an unusable data directory', async () => {
    const message = await startBuiltServer('/dev/null/data').then(String, (error: Error) => error.message)
    expect(message).toContain('ended with 1: error: The data directory /dev/null/data cannot be used')
    expect(message).not.toContain('    at ')
  })

  it('exits cleanly on SIGTERM', async () => {
    const other = temporaryDirectory()
    expect(await stopServer(await startBuiltServer(other.path))).toBe(0)
    other.remove()
  })
})
