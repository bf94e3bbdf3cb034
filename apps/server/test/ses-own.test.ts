import type { LocalSes } from '@posthorn/local-aws'
import { localReceiver } from '@posthorn/testkit'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  freePort,
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
const events = ['SEND', 'BOUNCE', 'COMPLAINT', 'REJECT', 'RENDERING_FAILURE']

let ses: LocalSes
let server: RunningServer
let base: string
let receiver: Awaited<ReturnType<typeof localReceiver>>

const environment = () => ({
  PORT: new URL(base).port,
  ...sesEnvironment,
  POSTHORN_PUBLIC_URL: base,
  POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
  POSTHORN_CLOUD_TEMPLATE_URL: 'https://bucket.s3.eu-west-1.amazonaws.com/sending-role.json',
  POSTHORN_CLOUD_ACCOUNT_ID: '123456789012',
  POSTHORN_RESTRICT_MIN_SENT: '5',
  POSTHORN_RESTRICT_BOUNCES: '3',
  AWS_ENDPOINT_URL: ses.url,
  AWS_ENDPOINT_URL_SNS: ses.url,
})

type Account = ReturnType<LocalSes['addAccount']>

/** What an account has when its owner has verified the sender. */
const account = (id: string, changes: object = {}): Account => {
  const made = ses.addAccount({ id, ...changes })
  made.region(region).identities.verify('example.com', true)
  return made
}

/** As the template makes it; the topic's ARN. */
const tellsEvents = async ({ id, region: of, topics }: Account, name: string): Promise<string> => {
  const TopicArn = `arn:aws:sns:${region}:${id}:${name}`
  const { configurationSets } = of(region)
  configurationSets.create(name)
  configurationSets.addDestination(name, {
    EventDestinationName: 'posthorn',
    EventDestination: { Enabled: true, MatchingEventTypes: events, SnsDestination: { TopicArn } },
  })
  topics.set(TopicArn, new Map())
  await ses.sns.subscribe(TopicArn, `${base}/v1/ses/events`)
  return TopicArn
}

beforeAll(async () => {
  base = `http://127.0.0.1:${await freePort()}`
  ses = await sesWithTopic(events)
  receiver = await localReceiver((_request, response) => response.end())
  server = await startBuiltServer(data.path, environment())
  await runCommand(['access', 'approve', projectOf(server).project], {
    ...environment(),
    POSTHORN_DATA_DIR: data.path,
  })
  await ses.sns.subscribe(topicArn, `${server.base}/v1/ses/events`)
  await project().patch('/webhook', { url: receiver.url, secretKey: bootstrapKey, bounce: true })
})
afterAll(async () => {
  await stopServer(server)
  await receiver.close()
  await ses.close()
  data.remove()
})

const mailsTo = (address: string) => ses.sent.filter(({ to }) => to[0] === address)
const content = { subject: 'Hello', type: 'html', document: '<p>Hello</p>' }
const project = () => projectOf(server)
const setName = () => `posthorn-own-${project().project}`

const transactional = async (name: string) => {
  const { _id } = await project().post('/transactional-emails', { name, ...content })
  return (email: string) => project().post('/send-transactional', { transactionalId: _id, email, data: {} })
}
const suppressed = async () => (await project().get('/suppression-list')).items.map(({ email }) => email)

/** The three kinds of mail, each to an address of its own. */
const sendAllKinds = async (who: string) => {
  const { list, post } = project()
  const { _id: readers } = await post('/subscriber-lists', { name: `Readers of ${who}` })
  await post(`/subscriber-lists/${readers}/subscribers`, { email: `campaign@${who}`, status: 'active' })
  await post(`/subscriber-lists/${list}/subscribers`, { email: `triggered@${who}`, status: 'active' })
  const triggered = await post('/triggered-emails', { name: `Order ${who}`, subscriberListId: list, ...content })
  await post('/campaigns', {
    ...{ name: `Campaign ${who}`, ...content, timeZone: 'UTC', subscriberListId: readers },
    ...{ status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' },
  })
  await post('/send-triggered', { triggeredId: triggered._id, emails: [`triggered@${who}`], data: {} })
  await (await transactional(`Receipt ${who}`))(`transactional@${who}`)
  const all = ['campaign', 'triggered', 'transactional'].map((kind) => `${kind}@${who}`)
  await until(() => all.every((one) => mailsTo(one).length > 0))
  return all.map((one) => mailsTo(one)[0])
}

const expectHeaders = async (mails: Awaited<ReturnType<typeof sendAllKinds>>, accountId: string, set: string) => {
  for (const [index, mail] of mails.entries()) {
    expect(mail).toMatchObject({ accountId, configurationSet: set, tags: { 'posthorn-project': project().project } })
    const { headers } = await PostalMime.parse(mail?.mime ?? '')
    const names = headers.map(({ key }) => key)
    for (const name of ['feedback-id', 'message-id', 'date', 'x-posthorn-delivery']) expect(names).toContain(name)
    for (const name of ['list-id', 'list-unsubscribe-post']) expect(names.includes(name)).toBe(index < 2)
  }
}

describe('a project that shares the server’s account', () => {
  it('is restricted after many bounces, and sends nothing more', async () => {
    const { get } = project()
    const send = await transactional('Storm')
    await send('reader@shared.example')
    await until(() => mailsTo('reader@shared.example').length > 0)
    for (const n of [1, 2, 3, 4]) await send(`bounce+${n}@simulator.amazonses.com`)
    await until(async () => (await suppressed()).length === 4)
    await until(async () => String((await get('')).restricted) === 'true')
    await expect(send('ada@example.org')).rejects.toThrow('estricted')
  })
})

describe('a project that sends by its own account', () => {
  it('learns from the setup link and the check what to create there, and sends by its role', async () => {
    const farm = account('210000000002')
    const { get, post, patch } = project()
    const { hash } = new URL(String((await get('/setup-link')).link))
    const link = new URLSearchParams(hash.slice(hash.indexOf('?')))
    expect(link.get('templateURL')).toContain('sending-role.json')
    const role = farm.addRole({ name: 'posthorn-sending', externalId: link.get('param_ExternalId') ?? '' })
    const cloudConfig = { roleArn: role, region }
    const { warnings } = await post('/cloud-check', cloudConfig)
    expect(String(warnings)).toContain(`ConfigurationSet=${setName()} and EventsUrl=${base}/v1/ses/events`)
    const topic = await tellsEvents(farm, setName())
    expect(ses.sns.confirmed(topic)).toEqual([`${base}/v1/ses/events`])
    expect(await post('/cloud-check', cloudConfig)).toEqual({ success: true })
    await patch('', { status: 'byoCloudSes', cloudConfig })
    await expectHeaders(await sendAllKinds('role.example'), farm.id, setName())
  })

  it('records a bounce there: suppressed, removed from lists, and published to the webhook', async () => {
    const { list, get, post, patch } = project()
    const bounced = 'bounce@simulator.amazonses.com'
    await patch('', { autoRemoveFromList: { bounce: 'removeFromLists', complaint: 'off' } })
    await post(`/subscriber-lists/${list}/subscribers`, { email: bounced, status: 'active' })
    await (await transactional('Lost and found'))(bounced)
    await until(async () => (await suppressed()).includes(bounced))
    await until(() => receiver.received.some(({ body }) => body.includes(bounced)))
    await until(async () =>
      (await get(`/subscriber-lists/${list}/subscribers`)).items.every(({ email }) => email !== bounced),
    )
    expect(mailsTo(bounced).map(({ accountId }) => accountId)).toEqual(['210000000002'])
  })

  it('sends a mail once if the response was lost, because its account’s Send event confirms it', async () => {
    const lost = 'lost@example.org'
    ses.failWith(({ operation, body }) =>
      operation === 'SendEmail' && JSON.stringify(body).includes(lost) ? 'break-after' : undefined,
    )
    const send = await transactional('Uncertain')
    await send(lost)
    await until(() => mailsTo(lost).length > 0)
    const { get } = project()
    const emails = await get('/transactional-emails')
    const id = emails.items.find(({ name }) => name === 'Uncertain')?._id
    await until(async () =>
      (await get(`/transactional-emails/${id}/recipients`)).items.some(({ status }) => status === 'sent'),
    )
    ses.failWith(() => undefined)
    expect(mailsTo(lost)).toHaveLength(1)
  })

  it('cannot report mails of another account, and ignores a stranger’s topic', async () => {
    const topic = `arn:aws:sns:${region}:210000000002:${setName()}`
    const tell = (of: (typeof ses.sent)[number] | undefined, arn: string) => {
      const message = JSON.stringify({
        eventType: 'Bounce',
        mail: { messageId: 'x', tags: Object.fromEntries(Object.entries(of?.tags ?? {}).map(([k, v]) => [k, [v]])) },
        bounce: { bounceType: 'Permanent' },
      })
      const body = JSON.stringify(ses.message('Notification', arn, message))
      return fetch(`${base}/v1/ses/events`, { method: 'POST', body }).then(({ status }) => status)
    }
    const [unrelated] = mailsTo('reader@shared.example')
    const [own] = mailsTo('transactional@role.example')
    const before = (await suppressed()).length
    expect(await tell(own, topic.replace('210000000002', '666666666666'))).toBe(403)
    expect(await tell(own, topic.replace(project().project, 'f'.repeat(24)))).toBe(403)
    expect(await tell(unrelated, topic)).toBe(204)
    expect((await suppressed()).length).toBe(before)
    expect(await tell(own, topic)).toBe(204)
    expect((await suppressed()).length).toBe(before + 1)
  })

  it('sends by an access key of another account, whose events are recorded, too', async () => {
    const shop = account('210000000001', keys)
    await tellsEvents(shop, setName())
    const { patch, post } = project()
    const cloudConfig = { ...keys, region }
    await patch('', { cloudConfig: { ...cloudConfig, removeCredentials: 'role' } })
    expect(await post('/cloud-check', {})).toMatchObject({ success: true })
    await expectHeaders(await sendAllKinds('key.example'), shop.id, setName())
    const complaint = 'complaint@simulator.amazonses.com'
    await (await transactional('Unwanted'))(complaint)
    await until(async () => (await suppressed()).includes(complaint))
  })
})
