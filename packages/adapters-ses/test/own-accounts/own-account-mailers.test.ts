import { type LocalCall, type LocalSesOptions, SesError } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { type OwnAccountMailersOptions, ownAccountMailers } from '../../src/index.js'
import { atEnd, mail, region, started } from '../world.js'

const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }
const externalId = 'of-the-project'

/** Beside the server's account, one with an access key and one with a role. */
const accounts = async (options: OwnAccountMailersOptions = {}, sesOptions: LocalSesOptions = {}) => {
  const ses = await started(sesOptions)
  const shop = ses.addAccount({ id: '210000000001', ...keys, account: { maxSendRate: 5 } })
  const farm = ses.addAccount({ id: '210000000002', account: { maxSendRate: 50 } })
  const roleArn = farm.addRole({ name: 'posthorn-sending', externalId })
  for (const { region: of } of [shop, farm]) of(region).identities.verify('own.example', true)
  const mailers = ownAccountMailers({
    aws: { endpoint: ses.url },
    sts: { endpoint: ses.url, credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' } },
    ...options,
  })
  atEnd(mailers.close)
  return {
    ses,
    shop,
    farm,
    mailers,
    byKeys: (changes: object = {}) => mailers.of({ owner: 'a', region, credentials: keys, ...changes }),
    byRole: (changes: object = {}) =>
      mailers.of({ owner: 'b', region, credentials: { roleArn, externalId }, ...changes }),
    roleArn,
    calls: (operation: string) => ses.calls.filter((call: LocalCall) => call.operation === operation),
  }
}

const ownMail = () => mail({ from: 'news@own.example' })

describe('an own account’s mail', () => {
  it('is sent through that account, by its access key or by an assumed role', async () => {
    const { ses, shop, farm, byKeys, byRole } = await accounts()
    expect(await byKeys().send(ownMail())).toMatchObject({ kind: 'accepted' })
    expect(await byRole().send(ownMail())).toMatchObject({ kind: 'accepted' })
    expect(ses.sent.map(({ accountId }) => accountId)).toEqual([shop.id, farm.id])
  })

  it('cannot use another account’s verified sender', async () => {
    const { byKeys } = await accounts()
    expect(await byKeys().send(mail())).toMatchObject({ kind: 'refused', error: { name: 'MessageRejected' } })
  })

  it('follows that account’s rate, or its owner’s if lower', async () => {
    const { byKeys, byRole } = await accounts()
    expect(
      await Promise.all(
        [byKeys(), byRole(), byRole({ limit: 7 }), byKeys({ limit: 7 })].map((one) => one.ratePerSecond()),
      ),
    ).toEqual([5, 50, 7, 5])
  })

  it('is not delayed by another account’s throttling', async () => {
    const { ses, shop, byKeys, byRole } = await accounts()
    ses.failWith(({ accountId, operation }) =>
      operation === 'SendEmail' && accountId === shop.id
        ? new SesError('TooManyRequestsException', 'Slow down.', 429)
        : undefined,
    )
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? byKeys() : byRole()).send(ownMail())),
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? 'deferred' : 'accepted')),
    )
  })
})

describe('a role', () => {
  it('is assumed once for many mails, and again before its credentials expire', async () => {
    let time = Date.now()
    const { byRole, calls } = await accounts({}, { now: () => time })
    for (let n = 0; n < 3; n += 1) await byRole().send(ownMail())
    expect(calls('AssumeRole')).toHaveLength(1)
    expect(calls('AssumeRole')[0]?.body).toMatchObject({ ExternalId: externalId, RoleSessionName: 'posthorn' })
    time += 7_200_000
    expect(await byRole().send(ownMail())).toMatchObject({ error: { name: 'ExpiredTokenException' } })
  })

  it.each([
    ['with another external id', { externalId: 'of-another-project' }, 'setup link'],
    ['without one', { externalId: undefined }, 'external id'],
    ['that is not there', { roleArn: 'arn:aws:iam::210000000002:role/gone', externalId }, 'setup link'],
  ])('%s is not assumed, with advice', async (_what, changes, words) => {
    const { ses, roleArn, byRole } = await accounts()
    const mailer = byRole({ credentials: { roleArn, ...changes } })
    expect(await mailer.send(ownMail())).toMatchObject({ error: { message: expect.stringContaining(words) } })
    await expect(mailer.check()).rejects.toThrow(words)
    expect(ses.sent).toEqual([])
  })
})

it.each([
  [{ ...keys, secretAccessKey: 'wrong' }, 'secret of cloudConfig'],
  [{ ...keys, accessKeyId: 'ASIAUNKNOWN' }, 'access key of cloudConfig'],
])('refused keys are reported for their owner to fix', async (credentials, words) => {
  const { byKeys } = await accounts()
  await expect(byKeys({ credentials }).check()).rejects.toThrow(words)
})

describe('an account’s problem', () => {
  const clocked = async (sesOptions: LocalSesOptions = {}) => {
    const time = { now: 0 }
    const world = await accounts({ now: () => time.now }, { now: () => time.now, ...sesOptions })
    /** So long that the account is asked again. */
    const later = () => {
      time.now += 60_000
    }
    return { ...world, time, later }
  }

  it.each([
    [{ sendingEnabled: false }, 'put-account-sending-attributes'],
    [{ enforcementStatus: 'SHUTDOWN' }, 'suspended'],
  ] as const)('is reported if the account may not send: %j', async (changes, words) => {
    const { shop, byKeys, later } = await clocked()
    expect(await byKeys().problem?.()).toBeUndefined()
    shop.change(changes)
    later()
    expect(await byKeys().problem?.()).toContain(words)
    expect(await byKeys().waitsFor?.()).toBeUndefined()
  })

  it('is reported for refused keys and roles', async () => {
    const { ses, byKeys, byRole, later } = await clocked()
    expect(await byKeys({ credentials: { ...keys, secretAccessKey: 'wrong' } }).problem?.()).toContain('cloudConfig')
    expect(await byRole().problem?.()).toBeUndefined()
    ses.failWith(() => new SesError('UnrecognizedClientException', 'The security token is invalid.', 403))
    later()
    expect(await byRole().problem?.()).toContain('access key of cloudConfig')
    ses.failWith(() => undefined)
    expect(
      await byRole({ owner: 'c', credentials: { roleArn: 'arn:aws:iam::1:role/no', externalId } }).problem?.(),
    ).toContain('setup link')
  })

  it('is known within five seconds of a refused mail, and cleared five seconds after its fix', async () => {
    const { shop, byKeys, time, calls } = await clocked()
    expect(await byKeys().problem?.()).toBeUndefined()
    shop.change({ sendingEnabled: false })
    time.now += 5_000
    expect(await byKeys().send(ownMail())).toMatchObject({ kind: 'stopped' })
    expect(await byKeys().problem?.()).toContain('paused')
    expect(await byKeys().problem?.()).toContain('paused')
    expect(calls('GetAccount')).toHaveLength(2)
    shop.change({ sendingEnabled: true })
    time.now += 5_000
    expect(await byKeys().problem?.()).toBeUndefined()
  })

  it('is not a used-up daily quota, which passes', async () => {
    const { shop, byKeys } = await clocked()
    shop.change({ max24HourSend: 0 })
    expect(await byKeys().problem?.()).toBeUndefined()
    expect(await byKeys().waitsFor?.()).toContain('0 of the 0 mails')
    expect(await byKeys().ratePerSecond()).toBe(0)
  })

  it('is not an outage of Amazon SES', async () => {
    const { ses, byKeys } = await clocked()
    ses.failWith(() => new SesError('ServiceUnavailable', 'Later.', 503))
    expect(await byKeys().problem?.()).toBeUndefined()
  })
})

describe('an SES client', () => {
  it('is shared per account and region', async () => {
    const { mailers, byKeys } = await accounts()
    await byKeys().ratePerSecond()
    await byKeys({ owner: 'c' }).ratePerSecond()
    expect(mailers.open()).toBe(1)
    await byKeys({ region: 'us-east-1' }).ratePerSecond()
    expect(mailers.open()).toBe(2)
  })

  it('has a limited number of connections', async () => {
    const { ses, byKeys } = await accounts({ limits: { connections: 3 } })
    expect(byKeys().concurrency).toBe(3)
    const before = ses.connections()
    await Promise.all(Array.from({ length: 30 }, () => byKeys().send(ownMail())))
    expect(ses.connections() - before).toBeLessThanOrEqual(3)
  })

  it('is closed after its configuration changed, once its mails are answered and nobody else uses it', async () => {
    const { mailers, byKeys, byRole } = await accounts()
    const sending = Promise.all(Array.from({ length: 5 }, () => byKeys().send(ownMail())))
    await byKeys({ owner: 'c' }).ratePerSecond()
    const changed = byRole({ owner: 'a' })
    expect(mailers.open()).toBe(1)
    byRole({ owner: 'c' })
    expect(mailers.open()).toBe(0)
    expect((await sending).map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'))
    expect(await changed.send(ownMail())).toMatchObject({ kind: 'accepted' })
  })

  it('is closed when idle, and reopened by its mailer', async () => {
    let time = 0
    const { mailers, byKeys } = await accounts({ idleTime: 20, now: () => time })
    const mailer = byKeys()
    await mailer.ratePerSecond()
    time += 19
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(mailers.open()).toBe(1)
    time += 1
    await expect.poll(() => mailers.open()).toBe(0)
    expect(await mailer.send(ownMail())).toMatchObject({ kind: 'accepted' })
  })
})
