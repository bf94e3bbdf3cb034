import { type LocalSes, SesError } from '@posthorn/local-aws'
import { localReceiver } from '@posthorn/testkit'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  projectOf,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { region, sesEnvironment, sesWithTopic, topicArn } from './ses-topic.js'

const data = temporaryDirectory()

let ses: LocalSes
let server: RunningServer
let receiver: Awaited<ReturnType<typeof localReceiver>>

const environment = () => ({
  ...sesEnvironment,
  POSTHORN_PUBLIC_URL: 'https://mail.example.com',
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
  AWS_ENDPOINT_URL_SESV2: ses.url,
  AWS_ENDPOINT_URL_SNS: ses.url,
})

beforeAll(async () => {
  ses = await sesWithTopic(['SEND', 'BOUNCE', 'COMPLAINT', 'OPEN'])
  receiver = await localReceiver((_request, response) => response.end())
  server = await startBuiltServer(data.path, environment())
  await runCommand(['access', 'approve', projectOf(server).project], {
    ...environment(),
    POSTHORN_DATA_DIR: data.path,
  })
  await ses.sns.subscribe(topicArn, `${server.base}/v1/ses/events`)
})
afterAll(async () => {
  await stopServer(server)
  await receiver.close()
  await ses.close()
  data.remove()
})

const mailTo = (address: string) => ses.sent.find(({ to }) => to[0] === address)
const bounced = 'bounce@simulator.amazonses.com'

describe('a server that sends through Amazon SES', () => {
  it('confirms its topic’s subscription', () => {
    expect(ses.sns.confirmed(topicArn)).toEqual([`${server.base}/v1/ses/events`])
  })

  it('sends a campaign, a triggered and a transactional email with the right headers', async () => {
    const { list, post } = projectOf(server)
    await post(`/subscriber-lists/${list}/subscribers`, { email: 'ada@example.org', name: 'Ada', status: 'active' })
    const content = { subject: 'Hello {{contact.name}}', type: 'html', document: '<p>Hello</p>' }
    const triggered = await post('/triggered-emails', { name: 'Order', subscriberListId: list, ...content })
    const transactional = await post('/transactional-emails', { name: 'Receipt', ...content, subject: 'Receipt' })
    await post('/campaigns', {
      name: 'First',
      ...content,
      timeZone: 'UTC',
      subscriberListId: list,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    await until(() => ses.sent.length === 1)
    await post('/send-triggered', { triggeredId: triggered._id, emails: ['ada@example.org'], data: {} })
    await until(() => ses.sent.length === 2)
    await post('/send-transactional', { transactionalId: transactional._id, email: 'bob@example.org', data: {} })
    await until(() => ses.sent.length === 3)

    for (const { mime, configurationSet, tags } of ses.sent) {
      expect(configurationSet).toBe('all')
      expect(tags['posthorn-delivery']).toMatch(/^[\w-]+$/)
      const { headers } = await PostalMime.parse(mime)
      const names = headers.map(({ key }) => key)
      for (const name of ['feedback-id', 'message-id', 'date', 'x-posthorn-delivery']) expect(names).toContain(name)
      const isToList = ses.sent.findIndex((one) => one.mime === mime) < 2
      expect(names.includes('list-unsubscribe-post')).toBe(isToList)
      expect(names.includes('list-id')).toBe(isToList)
    }
  })

  it('suppresses a bounced address, removes it from the lists, and notifies the webhook', async () => {
    const { list, get, post, patch } = projectOf(server)
    await patch('', { autoRemoveFromList: { bounce: 'removeFromLists', complaint: 'off' } })
    await patch('/webhook', { url: receiver.url, secretKey: bootstrapKey, bounce: true })
    await post(`/subscriber-lists/${list}/subscribers`, { email: bounced, name: 'Nobody', status: 'active' })
    const triggered = await post('/triggered-emails', {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'News',
      subscriberListId: list,
    })
    await post('/send-triggered', { triggeredId: triggered._id, emails: [bounced], data: {} })
    await until(() => mailTo(bounced) !== undefined)
    await until(async () => (await get('/suppression-list')).items.some(({ email }) => email === bounced))
    await until(() => receiver.received.length > 0)
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'bounce', emailData: { to: bounced } })
    await until(async () =>
      (await get(`/subscriber-lists/${list}/subscribers`)).items.every(({ email }) => email !== bounced),
    )
    const content = { name: 'Receipt', subject: 'Receipt', type: 'text', document: 'Receipt' }
    const { _id } = await post('/transactional-emails', content)
    await expect(post('/send-transactional', { transactionalId: _id, email: bounced, data: {} })).rejects.toThrow(
      'due to bouncing',
    )
    expect(ses.sent.filter(({ to }) => to[0] === bounced)).toHaveLength(1)
  })

  it('sends a mail once if the response was lost, because its Send event confirms it', async () => {
    const { post, get } = projectOf(server)
    const lost = 'lost@example.org'
    ses.failWith(({ operation, body }) =>
      operation === 'SendEmail' && JSON.stringify(body).includes(lost) ? 'break-after' : undefined,
    )
    const { _id } = await post('/transactional-emails', {
      name: 'Lost',
      subject: 'Lost',
      type: 'text',
      document: 'Lost',
    })
    await post('/send-transactional', { transactionalId: _id, email: lost, data: {} })
    await until(async () => {
      const { items } = await get(`/transactional-emails/${_id}/recipients`)
      return items.some(({ status }) => status === 'sent')
    })
    expect(ses.sent.filter(({ to }) => to[0] === lost)).toHaveLength(1)
  })

  it('loses no mail and sends none twice while every fifth call is throttled', async () => {
    const { post, get } = projectOf(server)
    const { _id: list } = await post('/subscriber-lists', { name: 'Readers' })
    const readers = Array.from({ length: 25 }, (_, n) => `reader${n}@example.org`)
    for (const email of readers) await post(`/subscriber-lists/${list}/subscribers`, { email, status: 'active' })
    let calls = 0
    ses.failWith(({ operation }) => {
      if (operation === 'SendEmail') calls += 1
      return operation === 'SendEmail' && calls % 5 === 0
        ? new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429)
        : undefined
    })
    const { _id } = await post('/campaigns', {
      name: 'Throttled',
      subject: 'Throttled',
      type: 'text',
      document: 'Throttled',
      timeZone: 'UTC',
      subscriberListId: list,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    await until(async () => readers.every((one) => mailTo(one) !== undefined))
    ses.failWith(() => undefined)
    await until(async () => (await get(`/campaigns/${_id}`)).status === 'sent')
    expect(calls).toBeGreaterThan(readers.length)
    for (const one of readers) expect(ses.sent.filter(({ to }) => to[0] === one)).toHaveLength(1)
  })

  it('has no outbox, and refuses forged events and other topics', async () => {
    expect((await fetch(`${server.base}/outbox`)).status).toBe(404)
    const forged = { ...ses.message('Notification', topicArn, '{}'), Message: '{"eventType":"Bounce"}' }
    const foreign = ses.message('Notification', topicArn.replace('posthorn', 'other'), '{}')
    for (const message of [forged, foreign]) {
      const body = JSON.stringify(message)
      expect((await fetch(`${server.base}/v1/ses/events`, { method: 'POST', body })).status).toBe(403)
    }
  })

  it('adds a domain as an identity in its own region', async () => {
    const { post, project } = projectOf(server)
    const domain = (await post('/domains', { domain: 'shop.example', region })) as unknown as {
      readonly requiredDns: { readonly mx: { readonly value: string } }
      readonly tenant: object
    }
    expect(domain).toMatchObject({
      requiredDns: { mx: { value: 'feedback-smtp.eu-west-1.amazonses.com' } },
      tenant: { name: `posthorn-${project}` },
    })
    expect(ses.region(region).identities.names()).toContain('shop.example')
    await expect(post('/domains', { domain: 'example.com', region })).rejects.toThrow('known to the sending provider')
  })
})

it('doctor reports the state of Amazon SES', async () => {
  const doctor = async () => (await runCommand(['doctor'], { ...environment(), POSTHORN_DATA_DIR: data.path })).stdout
  expect(await doctor()).toContain('Amazon SES answers, and sends')
  ses.change({ sendingEnabled: false })
  expect(await doctor()).toContain('Sending is paused in Amazon SES')
  ses.change({ sendingEnabled: true })
})
