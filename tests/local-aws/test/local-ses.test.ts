import { createVerify, X509Certificate } from 'node:crypto'
import { localReceiver } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { type LocalSes, type LocalSesOptions, SesError, signingCertificate } from '../src/index.js'
import { callTo, started, topicArn } from './world.js'

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})
const aServer = async (options: LocalSesOptions = {}) => {
  const world = await started(options)
  endings.push(world.ses.close)
  return world
}

describe('sending through the local SES', () => {
  it('accepts a verified sender’s mail with its tags', async () => {
    const { ses, send } = await aServer()
    const answer = await send('ada@example.org', { EmailTags: [{ Name: 'a', Value: 'b' }] })
    expect(answer).toMatchObject({ status: 200, MessageId: ses.sent[0]?.messageId })
    expect(ses.sent).toMatchObject([
      { from: 'news@shop.example', to: ['ada@example.org'], mime: 'Subject: Hello\r\n\r\nHi', tags: { a: 'b' } },
    ])
  })

  it.each([
    ['a sender that is not verified', {}, { FromEmailAddress: 'news@other.example' }, 400, 'MessageRejected'],
    ['a stranger while in the sandbox', { productionAccess: false }, {}, 400, 'MessageRejected'],
    ['a configuration set that is not there', {}, { ConfigurationSetName: 'none' }, 404, 'NotFoundException'],
    ['a tenant that is not there', {}, { TenantName: 'none' }, 404, 'NotFoundException'],
    ['a tag with a sign', {}, { EmailTags: [{ Name: 'a', Value: 'b:c' }] }, 400, 'BadRequestException'],
    ['any mail while sending is paused', { sendingEnabled: false }, {}, 400, 'SendingPausedException'],
    ['any mail of a suspended account', { enforcementStatus: 'SHUTDOWN' }, {}, 400, 'AccountSuspendedException'],
    ['more than the day has', { max24HourSend: 0 }, {}, 400, 'LimitExceededException'],
    ['more than the second has', { maxSendRate: 0 }, {}, 429, 'TooManyRequestsException'],
  ] as const)('rejects %s', async (_what, account, more, status, error) => {
    const { ses, send } = await aServer({ account })
    expect(await send('ada@example.org', more)).toMatchObject({ status, error })
    expect(ses.sent).toEqual([])
  })

  it('limits mails per second, and counts the day', async () => {
    let now = 1_000_000
    const { send, call } = await aServer({ account: { maxSendRate: 2, max24HourSend: 3 }, now: () => now })
    const three = async () =>
      (await Promise.all([send('a@b.example'), send('a@b.example'), send('a@b.example')])).map(({ status }) =>
        Number(status),
      )
    expect((await three()).toSorted((a, b) => a - b)).toEqual([200, 200, 429])
    now += 1_000
    expect((await three()).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect(await call('GET', 'account')).toMatchObject({
      SendingEnabled: true,
      EnforcementStatus: 'HEALTHY',
      SendQuota: { Max24HourSend: 3, MaxSendRate: 2, SentLast24Hours: 3 },
    })
    now += 24 * 60 * 60_000 + 1
    expect(await send('a@b.example')).toMatchObject({ status: 200 })
  })

  it('accepts only the configured access key', async () => {
    const { ses } = await aServer({ accessKeyId: 'AKIDRIGHT' })
    expect(await callTo(ses)('GET', 'account')).toMatchObject({ status: 403, error: 'UnrecognizedClientException' })
    expect(await callTo(ses, { key: 'AKIDRIGHT' })('GET', 'account')).toMatchObject({ status: 200 })
  })

  it('fails as scripted, before or after the action', async () => {
    const { ses, send } = await aServer()
    ses.failWith(() => new SesError('InternalServiceErrorException', 'Please try again.', 500))
    expect(await send('ada@example.org')).toMatchObject({ status: 500, error: 'InternalServiceErrorException' })
    ses.failWith(() => 'break-before')
    await expect(send('ada@example.org')).rejects.toThrow('fetch failed')
    expect(ses.sent).toHaveLength(0)
    ses.failWith(() => 'break-after')
    await expect(send('ada@example.org')).rejects.toThrow('fetch failed')
    expect(ses.sent).toHaveLength(1)
  })
})

describe('identities of the local SES', () => {
  it('are created once, with three tokens and a MAIL FROM, and wait for DNS', async () => {
    const { ses, call } = await aServer()
    const made = await call('POST', 'identities', { EmailIdentity: 'new.example' })
    expect(made).toMatchObject({ status: 200, VerifiedForSendingStatus: false, DkimAttributes: { Status: 'PENDING' } })
    expect(await call('POST', 'identities', { EmailIdentity: 'new.example' })).toMatchObject({
      error: 'AlreadyExistsException',
    })
    const mailFrom = { MailFromDomain: 'mail.new.example', BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' }
    expect(await call('PUT', 'identities/new.example/mail-from', mailFrom)).toMatchObject({ status: 200 })
    expect(await call('PUT', 'identities/new.example/mail-from', { MailFromDomain: 'mail.b.example' })).toMatchObject({
      status: 400,
    })
    ses.region('eu-west-1').identities.verify('new.example', true)
    const seen = await call('GET', 'identities/new.example')
    expect(seen).toMatchObject({ VerifiedForSendingStatus: true, MailFromAttributes: mailFrom })
    expect((seen.DkimAttributes as { Tokens: string[] }).Tokens).toHaveLength(3)
  })

  it('belong to a region, and can be removed', async () => {
    const { ses, call } = await aServer()
    const elsewhere = callTo(ses, { region: 'us-east-1' })
    expect(await elsewhere('GET', 'identities/shop.example')).toMatchObject({ status: 404, error: 'NotFoundException' })
    expect(await call('DELETE', 'identities/shop.example')).toMatchObject({ status: 200 })
    expect(await call('DELETE', 'identities/shop.example')).toMatchObject({ status: 404, error: 'NotFoundException' })
  })
})

describe('configuration sets and tenants of the local SES', () => {
  const destination = (name = 'sns') => ({
    EventDestinationName: name,
    EventDestination: { Enabled: true, MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: topicArn } },
  })

  it('are created once, and reject what is impossible', async () => {
    const { call } = await aServer()
    const set = { ConfigurationSetName: 'one' }
    expect(await call('POST', 'configuration-sets', set)).toMatchObject({ status: 200 })
    expect(await call('POST', 'configuration-sets', set)).toMatchObject({ error: 'AlreadyExistsException' })
    expect(await call('POST', 'configuration-sets/one/event-destinations', destination())).toMatchObject({
      status: 200,
    })
    expect(await call('POST', 'configuration-sets/one/event-destinations', destination())).toMatchObject({
      error: 'AlreadyExistsException',
    })
    expect(await call('POST', 'configuration-sets/two/event-destinations', destination())).toMatchObject({
      status: 404,
    })
    expect(await call('GET', 'configuration-sets/one/event-destinations')).toMatchObject({
      EventDestinations: [{ Name: 'sns', MatchingEventTypes: ['SEND'] }],
    })
    expect(await call('DELETE', 'configuration-sets/one')).toMatchObject({ status: 200 })
    expect(await call('GET', 'configuration-sets/one')).toMatchObject({ status: 404 })
  })

  it('send for a tenant only with its resources', async () => {
    const { call, send } = await aServer()
    await call('POST', 'configuration-sets', { ConfigurationSetName: 'one' })
    const tenant = await call('POST', 'tenants', { TenantName: 'shop' })
    expect(tenant.TenantArn).toBe('arn:aws:ses:eu-west-1:123456789012:tenant/shop')
    const more = { TenantName: 'shop', ConfigurationSetName: 'one' }
    expect(await send('ada@example.org', more)).toMatchObject({ error: 'BadRequestException' })
    for (const resource of ['identity/shop.example', 'configuration-set/one'])
      expect(
        await call('POST', 'tenants/resources', {
          TenantName: 'shop',
          ResourceArn: `arn:aws:ses:eu-west-1:123456789012:${resource}`,
        }),
      ).toMatchObject({ status: 200 })
    expect(await send('ada@example.org', more)).toMatchObject({ status: 200 })
    await call('DELETE', 'identities/shop.example')
    expect((await call('POST', 'tenants/resources/list', { TenantName: 'shop' })).TenantResources).toHaveLength(1)
  })
})

describe('events of the local SES', () => {
  const listening = async (options: LocalSesOptions = {}, statuses: number[] = []) => {
    const world = await aServer(options)
    const receiver = await localReceiver((_request, response) => void response.writeHead(statuses.shift() ?? 200).end())
    endings.push(receiver.close)
    const { ses, call } = world
    await call('POST', 'configuration-sets', { ConfigurationSetName: 'one' })
    await call('POST', 'configuration-sets/one/event-destinations', {
      EventDestinationName: 'sns',
      EventDestination: {
        Enabled: true,
        MatchingEventTypes: ['SEND', 'BOUNCE', 'COMPLAINT'],
        SnsDestination: { TopicArn: topicArn },
      },
    })
    await ses.sns.subscribe(topicArn, receiver.url)
    const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, string>)
    const confirm = async () => {
      expect((await fetch(messages()[0]?.SubscribeURL ?? '')).status).toBe(200)
    }
    return { ...world, messages, confirm }
  }

  const isSigned = async (ses: LocalSes, message: Readonly<Record<string, string>>) => {
    const pem = await (await fetch(message.SigningCertURL ?? '')).text()
    const names = ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type']
    expect(message.SigningCertURL).toContain(ses.url)
    return createVerify(message.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1')
      .update(names.map((name) => `${name}\n${message[name]}\n`).join(''))
      .verify(new X509Certificate(pem).publicKey, message.Signature ?? '', 'base64')
  }

  it.each(['1', '2'] as const)('reach confirmed subscribers, signed by version %s', async (signatureVersion) => {
    const { ses, send, messages, confirm } = await listening({ signatureVersion })
    await send('ada@example.org', { ConfigurationSetName: 'one' })
    await ses.sns.settled()
    expect(messages().map(({ Type }) => Type)).toEqual(['SubscriptionConfirmation'])
    await confirm()
    await send('ada@example.org', { ConfigurationSetName: 'one', EmailTags: [{ Name: 'delivery', Value: 'd1' }] })
    await ses.sns.settled()
    const [, notification = {}] = messages()
    expect(await isSigned(ses, notification)).toBe(true)
    expect(await isSigned(ses, { ...notification, Message: '{}' })).toBe(false)
    expect(JSON.parse(notification.Message ?? '')).toMatchObject({
      eventType: 'Send',
      mail: { tags: { delivery: ['d1'] }, headers: [{ name: 'Subject', value: 'Hello' }] },
    })
  })

  it('are repeated while they fail, but not after a refusal', async () => {
    const { ses, send, messages, confirm } = await listening({}, [200, 503, 429, 200, 403])
    await confirm()
    for (let n = 0; n < 2; n += 1) {
      await send('ada@example.org', { ConfigurationSetName: 'one' })
      await ses.sns.settled()
    }
    expect(ses.sns.posts.map(({ status }) => status)).toEqual([200, 503, 429, 200, 403])
    const [, first, second, third, fourth] = messages().map(({ MessageId }) => MessageId)
    expect([second, third]).toEqual([first, first])
    expect(fourth).not.toBe(first)
  })

  it('follow the mailbox simulator’s addresses', async () => {
    const { ses, send, messages, confirm } = await listening()
    await confirm()
    for (const to of ['success', 'bounce+one', 'complaint'])
      await send(`${to}@simulator.amazonses.com`, { ConfigurationSetName: 'one' })
    await ses.sns.settled()
    const types = messages()
      .slice(1)
      .map(({ Message }) => (JSON.parse(Message ?? '') as { eventType: string }).eventType)
    expect(types.sort()).toEqual(['Bounce', 'Complaint', 'Send', 'Send', 'Send'])
  })

  it('are signed with a certificate of the given name and dates', () => {
    const { pem, privateKey } = signingCertificate({ commonName: 'someone', days: 10, now: new Date('2026-01-10') })
    const certificate = new X509Certificate(pem)
    expect(certificate.subject).toBe('CN=someone')
    expect(certificate.checkPrivateKey(privateKey)).toBe(true)
    expect([new Date(certificate.validFrom), new Date(certificate.validTo)]).toEqual([
      new Date('2026-01-09'),
      new Date('2026-01-20'),
    ])
  })
})
