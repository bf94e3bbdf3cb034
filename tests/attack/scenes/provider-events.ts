import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type LocalSes, localSes } from '@posthorn/local-aws'
import { type ReceivingRelay, receivingRelay } from '../../../apps/server/test/receiving-relay.js'
import { holding, whileHeld } from '../held.js'
import { rest, type Scene, type Stage, unless } from '../scene.js'

const mailgunKey = 'key-that-mailgun-signs-with'
const publicUrl = 'https://mail.example.com'
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const seconds = () => String(Math.floor(Date.now() / 1000))

const mailgunBounce = (reference: string): string => {
  const [timestamp, token] = [seconds(), randomBytes(25).toString('hex')]
  const signature = createHmac('sha256', mailgunKey).update(`${timestamp}${token}`).digest('hex')
  return JSON.stringify({
    signature: { timestamp, token, signature },
    'event-data': {
      ...{ event: 'failed', severity: 'permanent', reason: 'bounce' },
      'delivery-status': { code: 550, message: '5.1.1 The email account does not exist', 'enhanced-code': '5.1.1' },
      'user-variables': { posthorn: reference },
      message: { headers: { 'x-filler': 'x'.repeat(2_000) } },
    },
  })
}

/** SendGrid gathers events: so many bounces make a body that the server charges before its signature is verified. */
const sendgridBounces = (references: readonly string[]) => {
  const event = {
    event: 'bounce',
    type: 'bounce',
    status: '5.1.1',
    reason: '550 5.1.1 The email account does not exist',
  }
  const body = JSON.stringify(references.map((posthorn) => ({ ...event, posthorn, filler: 'x'.repeat(2_000) })))
  const timestamp = seconds()
  const signature = createSign('sha256').update(timestamp).update(body).sign(sendgridKeys.privateKey, 'base64')
  return {
    body,
    headers: {
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
  }
}

/** Begins of posts that never end: with a length that is charged, with one that is not, and without a length. */
const begins = [
  ['mailgun', 'Content-Length: 250000', '{'],
  ['mailgun', 'Content-Length: 16000', '{"signature":'],
  ['mailgun', 'Transfer-Encoding: chunked', `${(100_000).toString(16)}\r\n${'x'.repeat(60_000)}`],
  ['sendgrid', 'Content-Length: 1000000', 'x'.repeat(100_000)],
] as const

const begun = (n: number): string => {
  const [provider, length, body] = begins[n % begins.length] ?? begins[0]
  return [
    `POST /v1/${provider}/events HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    ...['X-Twilio-Email-Event-Webhook-Signature: AA==', `X-Twilio-Email-Event-Webhook-Timestamp: ${seconds()}`],
    ...[length, '', body],
  ].join('\r\n')
}

let relay: ReceivingRelay
let ses: LocalSes

/** The names that mails of the other tenant have at the provider. */
const references = async ({ asVictim }: Stage, transactionalId: string, wanted: number): Promise<readonly string[]> => {
  for (let n = 0; n < wanted; n += 1)
    await asVictim.post('/send-transactional', { transactionalId, email: `nobody${n}@example.com` })
  const ofNobody = () => relay.received.filter(({ to }) => to.startsWith('nobody'))
  for (let tries = 0; tries < 120 && ofNobody().length < wanted; tries += 1) await rest(250)
  return ofNobody().map(({ text }) => /"posthorn":\s*"([^"]+)"/.exec(text)?.[1] ?? '')
}

const topicArn = 'arn:aws:sns:eu-west-1:123456789012:posthorn'
const pem = `SimpleNotificationService-${'a'.repeat(32)}.pem`

/** Addresses that are not those of a certificate of Amazon SNS; `local` is where this scene listens. */
const foreignAddresses = (local: string): readonly string[] => [
  ...['sns.s3', 'sns.s3.eu-west-1', 'sns.eu-west-1.s3', 'sns.s3-accelerate', 'sns', 'sns.eu-west', 'sns-eu-west-1'].map(
    (host) => `https://${host}.amazonaws.com/${pem}`,
  ),
  ...[
    'evil.pem',
    'SimpleNotificationService-.pem',
    'SimpleNotificationService-xyz.pem',
    `a/${pem}`,
    `${pem}/a`,
    '',
  ].map((path) => `https://sns.eu-west-1.amazonaws.com/${path}`),
  ...[`${pem}?a=b`, `${pem}#a`, `a/..%2f${pem}`, `${pem}%00`].map(
    (path) => `https://sns.eu-west-1.amazonaws.com/${path}`,
  ),
  `http://sns.eu-west-1.amazonaws.com/${pem}`,
  `https://sns.eu-west-1.amazonaws.com:8443/${pem}`,
  `https://sns.eu-west-1.amazonaws.com./${pem}`,
  `https://sns.eu-west-1.amazonaws.com.evil.example/${pem}`,
  `https://evil.example/sns.eu-west-1.amazonaws.com/${pem}`,
  `https://user@sns.eu-west-1.amazonaws.com/${pem}`,
  `https://user:password@sns.eu-west-1.amazonaws.com/${pem}`,
  ...['http', 'https'].flatMap((scheme) =>
    ['', 'sns.eu-west-1.amazonaws.com@', 'sns.eu-west-1.amazonaws.com%2f@', 'sns.eu-west-1.amazonaws.com\\@'].map(
      (before) => `${scheme}://${before}${local}/${pem}`,
    ),
  ),
  'file:///etc/passwd',
  `data:application/x-pem-file,${pem}`,
  `//sns.eu-west-1.amazonaws.com/${pem}`,
  'x',
]

/** The pages that sending providers post to, which anyone can find. */
export const providerEventScenes: readonly Scene[] = [
  {
    name: 'bodies that strangers hold at the pages of providers, while mails bounce',
    settings: async () => {
      relay = await receivingRelay()
      return {
        POSTHORN_PUBLIC_URL: publicUrl,
        SMTP_URL: relay.url,
        POSTHORN_MAILGUN_SIGNING_KEY: mailgunKey,
        POSTHORN_SENDGRID_PUBLIC_KEY: sendgridKeys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      }
    },
    run: async (stage) => {
      const { asVictim, client, size } = stage
      const email = { name: 'Order', subject: 'Order', type: 'text', document: 'Order' }
      const transactionalId = await asVictim.made('/transactional-emails', email)
      const names = await references(stage, transactionalId, size(200, 30))
      const [one, gathered] = [names.slice(0, names.length / 2), names.slice(names.length / 2)]
      const isNamed = names.length > 0 && names.every((name) => name !== '')
      let n = 0
      const open = () => {
        n += 1
        return holding(stage, `127.0.20.${1 + (n % 60)}`, begun(n))
      }
      const statuses: number[] = []
      let batch = 0
      await whileHeld(open, size(1_500, 300), async () => {
        for (const name of one)
          statuses.push((await client.once('POST', '/v1/mailgun/events', { body: mailgunBounce(name) })).status)
        // SendGrid posts again what was not taken, for 24 hours.
        for (let tries = 0; tries < 60 && batch !== 204; tries += 1, await rest(500))
          batch = (await client.once('POST', '/v1/sendgrid/events', sendgridBounces(gathered))).status
      })
      await relay.close()
      const counted = async () => {
        const { result } = await asVictim.get(`/transactional-emails/${transactionalId}/stats?timeZone=UTC`)
        return (result as { readonly bounce?: number } | undefined)?.bounce ?? 0
      }
      for (let tries = 0; tries < 60 && (await counted()) < names.length; tries += 1) await rest(250)
      const bounces = await counted()
      return [
        ...unless(isNamed, 'the relay got no mail with a name'),
        ...unless(
          statuses.every((status) => status === 204),
          `bounces of Mailgun were answered ${[...new Set(statuses)].join(', ')}`,
        ),
        ...unless(batch === 204, `bounces of SendGrid were answered ${batch}`),
        ...unless(bounces === names.length, `${bounces} of ${names.length} bounces were counted`),
      ]
    },
  },
  {
    name: 'notifications of Amazon SNS, with certificates from elsewhere',
    settings: async () => {
      ses = await localSes({ account: { maxSendRate: 1_000, max24HourSend: -1 } })
      ses.region('eu-west-1').identities.verify('sender.example', true)
      return {
        POSTHORN_PUBLIC_URL: publicUrl,
        ...{ POSTHORN_MAILER: 'ses', POSTHORN_SES_REGION: 'eu-west-1', POSTHORN_SES_TOPIC_ARN: topicArn },
        ...{ AWS_ENDPOINT_URL: ses.url, AWS_ACCESS_KEY_ID: 'AKIDATTACK', AWS_SECRET_ACCESS_KEY: 'attack' },
      }
    },
    run: async ({ client }) => {
      let fetched = 0
      const local = createServer((_, answer) => {
        fetched += 1
        answer.end()
      }).on('connection', () => {
        fetched += 1
      })
      await new Promise<void>((done) => local.listen(0, '127.0.0.1', done))
      const { port } = local.address() as AddressInfo
      const broken: string[] = []
      for (const SigningCertURL of foreignAddresses(`127.0.0.1:${port}`))
        for (const Type of ['Notification', 'SubscriptionConfirmation']) {
          const { status, text } = await client.once('POST', '/v1/ses/events', {
            body: {
              ...{ Type, MessageId: randomBytes(16).toString('hex'), TopicArn: topicArn, Message: '{}' },
              ...{ Timestamp: new Date().toISOString(), SignatureVersion: '1', Signature: 'AA==', SigningCertURL },
              ...{
                Token: 'a',
                SubscribeURL: `http://127.0.0.1:${port}/?Action=ConfirmSubscription&TopicArn=${topicArn}`,
              },
            },
          })
          if (status !== 403 || !text.includes('The signing certificate is not Amazon’s.'))
            broken.push(`${Type} with ${SigningCertURL}: ${status} ${text.slice(0, 120)}`)
        }
      local.close()
      await ses.close()
      return [...broken, ...unless(fetched === 0, `${fetched} connections reached the listener`)]
    },
  },
]
