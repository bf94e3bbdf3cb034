import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import type { Log } from '@posthorn/core'
import { SesError } from '@posthorn/local-aws'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deliveryIdInTags } from '../../src/http/send-request.js'
import { type SesMailerOptions, sesMailer } from '../../src/index.js'
import { atEnd, awsOf, mail, region, started } from '../world.js'

afterEach(() => void vi.unstubAllEnvs())

type Started = Awaited<ReturnType<typeof started>>

const mailerTo = (ses: Pick<Started, 'url'>, options: Partial<SesMailerOptions> = {}) => {
  const mailer = sesMailer({ region, ...awsOf(ses), ...options })
  atEnd(() => mailer.close())
  return mailer
}

const aMailer = async (options: Partial<SesMailerOptions> = {}) => {
  const ses = await started()
  return { ses, mailer: mailerTo(ses, options) }
}

describe('a mail', () => {
  it('arrives byte for byte, tagged with its delivery and project', async () => {
    const { ses, mailer } = await aMailer()
    const one = mail()
    const outcome = await mailer.send(one)
    const [taken] = ses.sent
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: taken?.messageId })
    expect(taken).toMatchObject({ region, from: one.from, to: [one.to], mime: one.mime })
    expect(taken).toMatchObject({ configurationSet: undefined, tenant: undefined })
    const tags = Object.fromEntries(Object.entries(taken?.tags ?? {}).map(([name, value]) => [name, [value]]))
    expect(deliveryIdInTags(tags)).toBe(one.deliveryId)
    expect(taken?.tags['posthorn-project']).toBe(one.projectId)
  })

  it('is sent with the environment’s settings only, like by the SDK', async () => {
    const ses = await started({ accessKeyId: 'AKIDENVIRONMENT' })
    vi.stubEnv('AWS_ENDPOINT_URL_SESV2', ses.url)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENVIRONMENT')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    const mailer = sesMailer({ region: 'us-east-1' })
    atEnd(() => mailer.close())
    ses.region('us-east-1').identities.verify('shop.example', true)
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
    expect(ses.sent[0]?.region).toBe('us-east-1')
  })

  it('uses the given configuration set, or its tenant’s', async () => {
    const tenant = { name: 'shop', configurationSet: 'of-shop' }
    const { ses, mailer } = await aMailer({
      configurationSet: 'all',
      tenantOf: async ({ from }) => (from.endsWith('@shop.example') ? tenant : undefined),
    })
    const { configurationSets, tenants, identities } = ses.region(region)
    for (const name of ['all', 'of-shop']) configurationSets.create(name)
    tenants.create({ TenantName: 'shop' })
    for (const resource of ['identity/shop.example', 'configuration-set/of-shop'])
      tenants.associate({ TenantName: 'shop', ResourceArn: `arn:aws:ses:${region}:123456789012:${resource}` })
    identities.verify('other.example', true)
    await mailer.send(mail())
    await mailer.send(mail({ from: 'news@other.example' }))
    expect(ses.sent).toMatchObject([
      { tenant: 'shop', configurationSet: 'of-shop' },
      { tenant: undefined, configurationSet: 'all' },
    ])
  })

  it('shares few connections with hundreds of others, each sent once', async () => {
    const { ses, mailer } = await aMailer({ limits: { connections: 4 } })
    const mails = Array.from({ length: 300 }, () => mail())
    const outcomes = await Promise.all(mails.map((one) => mailer.send(one)))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(new Set(ses.sent.map(({ to }) => to[0]))).toEqual(new Set(mails.map(({ to }) => to)))
    expect(ses.connections()).toBeLessThanOrEqual(4)
    expect(mailer.concurrency).toBe(4)
  })

  it.each([
    { to: 'ada@example.org, eve@example.org' },
    { to: 'ada@example.org,eve@example.org' },
    { to: 'Ada <ada@example.org>' },
    { from: 'news@shop.example\r\nBcc: eve@example.org' },
    { to: `${'a'.repeat(250)}@example.org` },
    { to: '' },
  ])('to or from anything but a single address is never sent: %j', async (changes) => {
    const { ses, mailer } = await aMailer()
    expect(await mailer.send(mail(changes))).toMatchObject({ kind: 'refused', error: { name: 'MalformedAddress' } })
    expect(ses.calls).toEqual([])
  })
})

describe('an SES error', () => {
  it.each([
    ['TooManyRequestsException', 429, 'deferred', true],
    ['LimitExceededException', 400, 'deferred', true],
    ['InternalServiceErrorException', 500, 'deferred', false],
    ['ServiceUnavailable', 503, 'deferred', false],
    ['RequestTimeout', 408, 'deferred', false],
    ['MessageRejected', 400, 'refused', undefined],
    ['BadRequestException', 400, 'refused', undefined],
    ['MailFromDomainNotVerifiedException', 400, 'refused', undefined],
    ['AccountSuspendedException', 400, 'stopped', undefined],
    ['SendingPausedException', 400, 'stopped', undefined],
    ['AccessDeniedException', 403, 'stopped', undefined],
    ['UnrecognizedClientException', 403, 'stopped', undefined],
    ['NotFoundException', 404, 'deferred', false],
  ] as const)('%s (%i) makes a mail %s', async (name, status, kind, throttled) => {
    const { ses, mailer } = await aMailer()
    ses.failWith(() => new SesError(name, 'Because.', status))
    expect(await mailer.send(mail())).toEqual({
      kind,
      error: { name, message: expect.stringContaining('Because.') },
      ...(throttled !== undefined && { throttled }),
    })
    expect(ses.calls).toHaveLength(1)
  })

  it('for an unverified sender is reported unchanged', async () => {
    const { mailer } = await aMailer()
    expect(await mailer.send(mail({ from: 'news@other.example' }))).toMatchObject({
      kind: 'refused',
      error: { name: 'MessageRejected', message: expect.stringContaining('news@other.example') },
    })
  })

  it.each([
    ['SendingPausedException', 400, 'put-account-sending-attributes'],
    ['AccountSuspendedException', 400, 'AWS Support Center'],
    ['AccessDeniedException', 403, 'Allow the call in IAM'],
    ['SignatureDoesNotMatch', 403, 'AWS_SECRET_ACCESS_KEY'],
    ['ExpiredTokenException', 403, 'have expired'],
  ])('for the whole account contains advice: %s', async (name, status, words) => {
    const { ses, mailer } = await aMailer()
    ses.failWith(() => new SesError(name, 'Because.', status))
    expect(await mailer.send(mail())).toMatchObject({ error: { message: expect.stringContaining(words) } })
  })
})

describe('a connection', () => {
  it('that breaks before a response leaves an unknown outcome', async () => {
    const { ses, mailer } = await aMailer()
    ses.failWith(() => 'break-after')
    expect(await mailer.send(mail())).toMatchObject({ kind: 'unknown', error: { name: 'SesNoAnswer' } })
    expect(ses.sent).toHaveLength(1)
    ses.failWith(() => undefined)
    expect(await mailer.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  const listening = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('that is refused defers the mail', async () => {
    const server = createServer()
    const url = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await mailerTo({ url }).send(mail())).toMatchObject({
      kind: 'deferred',
      throttled: false,
      error: { name: 'SesUnreachable' },
    })
  })

  it('that breaks while a large mail is written defers it', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()).on('error', () => {}))
    const url = await listening(server)
    atEnd(async () => void server.close())
    const large = mail({ mime: `Subject: large\r\n\r\n${'x'.repeat(20_000_000)}` })
    expect(await mailerTo({ url }).send(large)).toMatchObject({ kind: 'deferred', error: { name: 'SesUnreachable' } })
  })

  it('without a response times out with an unknown outcome', async () => {
    const server = createServer((socket) => socket.on('error', () => {}))
    const url = await listening(server)
    atEnd(async () => void server.close())
    const mailer = mailerTo({ url }, { limits: { requestTimeout: 200 } })
    expect(await mailer.send(mail())).toMatchObject({
      kind: 'unknown',
      error: { message: expect.stringContaining('200 ms') },
    })
  })
})

describe('the account', () => {
  const clocked = async (options: Partial<SesMailerOptions> = {}) => {
    const ses = await started({ account: { maxSendRate: 14, max24HourSend: 2 } })
    let time = 0
    const logged: string[] = []
    const log: Log = (level, message, fields) =>
      void logged.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`)
    const mailer = mailerTo(ses, { now: () => time, log, ...options })
    const pass = (milliseconds: number) => {
      time += milliseconds
    }
    return { ses, mailer, logged, pass }
  }

  it('supplies the rate, queried once a minute', async () => {
    const { ses, mailer, pass } = await clocked()
    expect(await Promise.all([mailer.ratePerSecond(), mailer.ratePerSecond()])).toEqual([14, 14])
    ses.change({ maxSendRate: 28 })
    expect(await mailer.ratePerSecond()).toBe(14)
    expect(ses.calls).toHaveLength(1)
    pass(60_000)
    expect(await mailer.ratePerSecond()).toBe(28)
    expect(ses.calls).toHaveLength(2)
  })

  it('with a used-up daily quota sends nothing until it recovers, with one log line', async () => {
    const { ses, mailer, logged, pass } = await clocked()
    for (let n = 0; n < 2; n += 1) await mailer.send(mail())
    expect(await mailer.ratePerSecond()).toBe(0)
    pass(60_000)
    expect(await mailer.ratePerSecond()).toBe(0)
    expect(logged).toEqual([expect.stringMatching(/^warn: .*2 of the 2 mails/)])
    expect(await mailer.waitsFor?.()).toContain('2 of the 2 mails')
    await expect(mailer.check()).rejects.toThrow('2 of the 2 mails')
    ses.change({ max24HourSend: 100 })
    pass(60_000)
    expect(await mailer.ratePerSecond()).toBe(14)
    expect(logged.at(-1)).toContain('info: Sending through Amazon SES has resumed')
  })

  it.each([
    [{ sendingEnabled: false }, 'paused'],
    [{ enforcementStatus: 'SHUTDOWN' }, 'suspended'],
  ] as const)('that may not send says so for each mail, at its known rate: %j', async (changes, words) => {
    const { ses, mailer, pass } = await clocked()
    expect(await mailer.ratePerSecond()).toBe(14)
    ses.change(changes)
    pass(5_000)
    expect(await mailer.send(mail())).toMatchObject({
      kind: 'stopped',
      error: { message: expect.stringContaining(words) },
    })
    expect(await mailer.ratePerSecond()).toBe(14)
    await expect(mailer.check()).rejects.toThrow(words)
  })

  it('that does not respond keeps the last known rate', async () => {
    const { ses, mailer, logged, pass } = await clocked()
    ses.failWith(() => new SesError('AccessDeniedException', 'Not you.', 403))
    expect(await mailer.ratePerSecond()).toBeUndefined()
    expect(logged[0]).toContain('Allow the call in IAM')
    await expect(mailer.check()).rejects.toThrow('Allow the call in IAM')
    ses.failWith(() => undefined)
    pass(60_000)
    expect(await mailer.ratePerSecond()).toBe(14)
    ses.failWith(() => new SesError('ServiceUnavailable', 'Later.', 503))
    pass(60_000)
    expect(await mailer.ratePerSecond()).toBe(14)
  })

  it.each(['UnrecognizedClientException', 'SignatureDoesNotMatch', 'ExpiredTokenException'])(
    'with refused credentials says so for each mail until they work: %s',
    async (name) => {
      const { ses, mailer, logged, pass } = await clocked()
      ses.failWith(() => new SesError(name, 'No.', 403))
      expect(await mailer.ratePerSecond()).toBe(1)
      expect(await mailer.send(mail())).toMatchObject({ kind: 'stopped' })
      expect(logged).toEqual([expect.stringMatching(/^warn: Sending through Amazon SES is stopped .*(Check|Renew)/)])
      ses.failWith(() => undefined)
      pass(60_000)
      expect(await mailer.ratePerSecond()).toBe(14)
    },
  )

  it('without credentials sends nothing, and says what to set', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, '')
    const ses = await started()
    const mailer = sesMailer({ region, aws: { endpoint: ses.url } })
    atEnd(() => mailer.close())
    expect(await mailer.ratePerSecond()).toBe(0)
    await expect(mailer.check()).rejects.toThrow('No AWS credentials were found')
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', error: { name: 'CredentialsProviderError' } })
  })

  it('is queried again soon after a mail was refused for its daily quota', async () => {
    const { ses, mailer, pass } = await clocked()
    expect(await mailer.ratePerSecond()).toBe(14)
    for (let n = 0; n < 2; n += 1) await mailer.send(mail())
    pass(5_000)
    expect(await mailer.send(mail())).toMatchObject({ kind: 'deferred', throttled: true })
    expect(await mailer.ratePerSecond()).toBe(0)
    expect(ses.calls.filter(({ operation }) => operation === 'GetAccount')).toHaveLength(2)
  })

  it('of the server reports no problem besides its mails’ outcomes', async () => {
    const { mailer } = await clocked()
    expect('problem' in mailer && mailer.problem !== undefined).toBe(false)
  })

  it('with an unlimited daily quota has its rate', async () => {
    const { ses, mailer } = await clocked()
    ses.change({ max24HourSend: -1 })
    expect(await mailer.ratePerSecond()).toBe(14)
    await expect(mailer.check()).resolves.toBeUndefined()
  })
})
