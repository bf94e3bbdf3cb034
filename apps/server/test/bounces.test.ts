import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { localReceiver } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  freePort,
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { thorough } from '../../../tests/thorough.js'
import { handOver, isNobody, type ReceivingRelay, receivingRelay, statusReport } from './receiving-relay.js'

const domain = 'bounces.example.com'
const brevoSecret = 'a-secret-that-brevo-brings'

describe.each(thorough ? ['sqlite', 'memory'] : ['sqlite'])(
  'a server with a relay and a bounce port, on %s',
  (store) => {
    const data = temporaryDirectory()
    let server: RunningServer
    let way: ReceivingRelay
    let receiver: Awaited<ReturnType<typeof localReceiver>>
    let bouncePort = 0
    let triggeredId = ''

    beforeAll(async () => {
      way = await receivingRelay({
        refusal: (to) =>
          isNobody(to) ? '550 5.1.1 User unknown' : to.startsWith('full@') ? '552 5.2.2 Mailbox full' : undefined,
      })
      receiver = await localReceiver((_request, response) => response.end())
      bouncePort = await freePort()
      const environment = {
        POSTHORN_STORE: store,
        SMTP_URL: way.url,
        POSTHORN_PUBLIC_URL: 'https://mail.example.com',
        POSTHORN_BOUNCE_DOMAIN: domain,
        POSTHORN_BOUNCE_PORT: String(bouncePort),
        POSTHORN_BREVO_SECRET: brevoSecret,
        POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
      }
      server = await startBuiltServer(data.path, environment)
      const { list, post, patch } = projectOf(server)
      await patch('', { autoRemoveFromList: { bounce: 'removeFromLists', complaint: 'off' } })
      await patch('/webhook', { url: receiver.url, secretKey: bootstrapKey, bounce: true, complaint: true })
      for (const name of ['nobody', 'full', 'later', 'angry'])
        await post(`/subscriber-lists/${list}/subscribers`, { email: `${name}@example.net`, name, status: 'active' })
      const content = { subject: 'News', type: 'text', document: 'News' }
      triggeredId = (await post('/triggered-emails', { name: 'News', subscriberListId: list, ...content }))._id ?? ''
      const emails = ['nobody', 'full', 'later', 'angry'].map((name) => `${name}@example.net`)
      await post('/send-triggered', { triggeredId, emails, data: {} })
      await until(() => way.received.length === 2)
    })
    afterAll(async () => {
      await stopServer(server)
      await receiver.close()
      await way.close()
      data.remove()
    })

    const suppressed = async () =>
      (await projectOf(server).get('/suppression-list')).items
        .map(({ email, reason }) => `${email}: ${reason}`)
        .toSorted()
    const told = (type: string) =>
      receiver.received
        .map(({ body }) => JSON.parse(body) as { readonly type: string; readonly emailData: { readonly to: string } })
        .filter((one) => one.type === type)
        .map(({ emailData: { to } }) => to)
    const figures = () => projectOf(server).get(`/triggered-emails/${triggeredId}/stats?timeZone=UTC`)
    const members = async () => {
      const { list, get } = projectOf(server)
      return (await get(`/subscriber-lists/${list}/subscribers`)).items.map(({ email }) => email)
    }

    it('suppresses, counts and publishes an unknown recipient, but not a full mailbox', async () => {
      await until(async () => (await suppressed()).length === 1)
      expect(await suppressed()).toEqual(['nobody@example.net: bounce'])
      await until(() => told('bounce').length === 1)
      expect(told('bounce')).toEqual(['nobody@example.net'])
      await until(async () => !(await members()).includes('nobody@example.net'))
      expect(await members()).toContain('full@example.net')
      const { items } = await projectOf(server).get(`/related-to/${triggeredId}/email-error-logs`)
      expect(items.map(({ recipient }) => String(recipient)).toSorted()).toEqual([
        'full@example.net',
        'nobody@example.net',
      ])
    })

    it('does the same when the report arrives later, even repeatedly', async () => {
      const { from = '', text = '' } = way.received.find(({ to }) => to === 'later@example.net') ?? {}
      expect(from).toMatch(/^b-[a-z2-7]{58}@bounces\.example\.com$/)
      expect(text).toContain(`@${domain}?subject=unsubscribe>`)
      for (let n = 0; n < 2; n += 1) expect(await handOver(bouncePort, from, statusReport(from))).toMatch(/^250/)
      await until(async () => (await suppressed()).length === 2)
      expect(await suppressed()).toEqual(['later@example.net: bounce', 'nobody@example.net: bounce'])
      await until(() => told('bounce').length === 2)
      await until(async () => !(await members()).includes('later@example.net'))
      expect(await figures()).toMatchObject({ sent: 2, bounce: 2 })
    })

    it('records a complaint that the relay’s provider posts, even repeatedly', async () => {
      const { text = '' } = way.received.find(({ to }) => to === 'angry@example.net') ?? {}
      const [, reference = ''] = /^X-Mailin-custom: (\S+)\r\n/.exec(text) ?? []
      const post = (token: string) =>
        fetch(`${server.base}/v1/brevo/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ event: 'spam', 'X-Mailin-custom': reference }),
        })
      expect((await post('another')).status).toBe(403)
      for (let n = 0; n < 2; n += 1) expect((await post(brevoSecret)).status).toBe(204)
      expect(await suppressed()).toContain('angry@example.net: complaint')
      expect(await figures()).toMatchObject({ complaint: 1 })
      await until(() => told('complaint').length === 1)
    })

    it('unsubscribes a reader by mail', async () => {
      const { text = '' } = way.received.find(({ to }) => to === 'angry@example.net') ?? {}
      const [, address = ''] = /<mailto:([^?>]+)/.exec(text) ?? []
      expect(await handOver(bouncePort, address, 'Subject: unsubscribe\r\n\r\n')).toMatch(/^250/)
      await until(async () => {
        const { list, get } = projectOf(server)
        const { items } = await get(`/subscriber-lists/${list}/subscribers`)
        return items.some(({ email, status }) => email === 'angry@example.net' && status === 'unsubscribed')
      })
    })

    it('refuses mail to any other address', async () => {
      expect(await handOver(bouncePort, 'news@example.com', statusReport('news@example.com'))).not.toMatch(/^250/)
    })

    it('shuts down while a connection to the bounce port is open, and frees the port', async () => {
      const open = connect(bouncePort, '127.0.0.1')
      open.on('error', () => undefined)
      await until(() => !open.connecting)
      expect(await stopServer(server)).toBe(0)
      open.destroy()
      await expect(handOver(bouncePort, 'a@b.example', '')).rejects.toThrow('ECONNREFUSED')
    })
  },
)

it('a start names a bounce port that is in use', async () => {
  const data = temporaryDirectory()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const environment = { POSTHORN_BOUNCE_DOMAIN: domain, POSTHORN_BOUNCE_PORT: String(port) }
  await expect(startBuiltServer(data.path, environment)).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use by another program. Set POSTHORN_BOUNCE_PORT to another one.`,
  )
  other.close()
  data.remove()
})
