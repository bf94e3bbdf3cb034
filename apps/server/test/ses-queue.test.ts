import type { LocalSes } from '@posthorn/local-aws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { region, sesEnvironment, sesWithTopic, topicArn } from './ses-topic.js'

const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }
const data = temporaryDirectory()

let ses: LocalSes
let server: RunningServer

const environment = () => ({
  ...sesEnvironment,
  POSTHORN_PUBLIC_URL: 'https://mail.example.com',
  POSTHORN_SES_EVENTS_QUEUE: `${ses.url}/123456789012/events`,
  AWS_ENDPOINT_URL: ses.url,
})

beforeAll(async () => {
  ses = await sesWithTopic(['SEND', 'BOUNCE', 'REJECT'])
  const queue = ses.own.addQueue(region, 'events', ses.url)
  ses.sns.subscribeQueue(topicArn, queue.arn, queue.put)
  server = await startBuiltServer(data.path, environment())
  await runCommand(['access', 'approve', projectOf(server).project], {
    ...environment(),
    POSTHORN_DATA_DIR: data.path,
  })
})
afterAll(async () => {
  await stopServer(server)
  await ses.close()
  data.remove()
})

const send = async (name: string, email: string) => {
  const { post } = projectOf(server)
  const { _id } = await post('/transactional-emails', { name, subject: name, type: 'text', document: name })
  await post('/send-transactional', { transactionalId: _id, email, data: {} })
  return String(_id)
}

describe('a server that receives SES events by a queue', () => {
  it('records a bounce, and suppresses the address', async () => {
    const { get } = projectOf(server)
    const bounced = 'bounce@simulator.amazonses.com'
    await send('Receipt', bounced)
    await until(async () => (await get('/suppression-list')).items.some(({ email }) => email === bounced))
    expect(ses.sns.posts).toEqual([])
  })

  it('marks a mail as failed that SES rejected later', async () => {
    const { get } = projectOf(server)
    const id = await send('Virus', 'ada@example.org')
    const isNow = async (wanted: string) =>
      (await get(`/transactional-emails/${id}/recipients`)).items.some(({ status }) => status === wanted)
    await until(() => isNow('sent'))
    const mail = ses.sent.find(({ to }) => to[0] === 'ada@example.org')
    if (mail) ses.publish(mail, 'Reject', { reason: 'Bad content' })
    await until(() => isNow('failed'))
    expect(ses.sent.filter(({ to }) => to[0] === 'ada@example.org')).toHaveLength(1)
  })

  it('refuses posts of its own topic', async () => {
    const body = JSON.stringify(ses.message('Notification', topicArn, '{}'))
    expect((await fetch(`${server.base}/v1/ses/events`, { method: 'POST', body })).status).toBe(403)
  })
})

describe('a server that lets projects send through their own accounts', () => {
  it('serves the role’s template to everybody', async () => {
    const response = await fetch(`${server.base}/v1/ses/sending-role.json`)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ AWSTemplateFormatVersion: '2010-09-09' })
    expect(await (await fetch(`${server.base}/v1/ses/sending-events.json`)).json()).toHaveProperty('Resources')
  })

  it('checks the account before it accepts it, and explains problems', async () => {
    const shop = ses.addAccount({ id: '210000000001', ...keys, account: { maxSendRate: 5 } })
    const { post, patch } = projectOf(server)
    const cloudConfig = { ...keys, region }
    await expect(post('/cloud-check', { ...cloudConfig, secretAccessKey: 'wrong' })).rejects.toThrow(
      'Store a new access key and secret',
    )
    await expect(patch('', { status: 'byoCloudSes', cloudConfig })).rejects.toThrow(
      'hello@example.com is not verified in eu-west-1; add its domain to the identities of Amazon SES',
    )
    shop.region(region).identities.verify('example.com', true)
    await expect(post('/cloud-check', { ...cloudConfig, limit: 6 })).rejects.toThrow('at most 5 mails per second')
    const checked = await post('/cloud-check', cloudConfig)
    expect([checked.success, String(checked.warnings)]).toEqual([true, expect.stringContaining('sending-events.json')])
    expect(await patch('', { status: 'byoCloudSes', cloudConfig })).toMatchObject({ status: 'byoCloudSes' })
  })
})
