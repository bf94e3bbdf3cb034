import { SesError } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { standardConnectionPoolLimits } from '../../src/http/sdk-client.js'
import { type SesMailerOptions, sesMailer } from '../../src/index.js'
import { mailerInThread } from '../../src/mailer/thread-mailer.js'
import { atEnd, awsOf, mail, region, started } from '../world.js'

type Started = Awaited<ReturnType<typeof started>>

/** A mailer as a thread has it; what it asks and is told goes over as plain data. */
const inThread = (ses: Started, options: Partial<SesMailerOptions> = {}, configurationSet?: string) => {
  const here = sesMailer({ region, ...awsOf(ses), configurationSet, ...options })
  const questions: unknown[] = []
  const ask = async (question: unknown) => {
    questions.push(structuredClone(question))
    return structuredClone(await here.answer(structuredClone(question) as Parameters<typeof here.answer>[0]))
  }
  const there = mailerInThread({ region, configurationSet, limits: standardConnectionPoolLimits }, undefined, ask)
  atEnd(() => there.close())
  atEnd(() => here.close())
  return { here, there, questions }
}

describe('a thread’s mailer', () => {
  it('sends the same bytes as the main thread’s mailer, with the same configuration set and tenant', async () => {
    const ses = await started()
    const { configurationSets, tenants, identities } = ses.region(region)
    for (const name of ['all', 'of-shop']) configurationSets.create(name)
    identities.verify('other.example', true)
    tenants.create({ TenantName: 'shop' })
    for (const resource of ['identity/shop.example', 'configuration-set/of-shop'])
      tenants.associate({ TenantName: 'shop', ResourceArn: `arn:aws:ses:${region}:123456789012:${resource}` })
    const tenantOf = async ({ from }: { readonly from: string }) =>
      from.endsWith('@shop.example') ? { name: 'shop', configurationSet: 'of-shop' } : undefined
    const { here, there } = inThread(ses, { tenantOf }, 'all')
    const mails = [
      mail(),
      mail({ mime: `Subject: x\r\n\r\n${'\u00e4\u0000\u00ff'.repeat(100_000)}` }),
      mail({ from: 'news@other.example', deliveryId: `${'d'.repeat(24)}:grüße@example.org` }),
    ]
    for (const one of mails) expect(await there.send(one)).toMatchObject({ kind: 'accepted' })
    for (const one of mails) expect(await here.send(one)).toMatchObject({ kind: 'accepted' })
    const told = ses.calls.filter(({ operation }) => operation === 'SendEmail').map(({ body }) => body)
    expect(told.slice(0, 3)).toEqual(told.slice(3))
    expect(ses.sent.map(({ tenant }) => tenant)).toEqual(['shop', 'shop', undefined, 'shop', 'shop', undefined])
  })

  it('queries the main thread once for a hundred mails of a sender', async () => {
    const ses = await started()
    const { there, questions } = inThread(ses)
    for (let n = 0; n < 100; n += 1) await there.send(mail())
    expect(questions).toEqual([
      { kind: 'tenant', projectId: 'a'.repeat(24), from: 'news@shop.example' },
      { kind: 'access' },
    ])
  })

  it('uses new credentials when the earlier ones are refused', async () => {
    const ses = await started({ accessKeyId: 'AKIDNEW' })
    let accessKeyId = 'AKIDOLD'
    const credentials = async () => ({ accessKeyId, secretAccessKey: 'secret', expiration: new Date() })
    const { there } = inThread(ses, { aws: { endpoint: ses.url, credentials } })
    expect(await there.send(mail())).toMatchObject({
      kind: 'stopped',
      error: { name: 'UnrecognizedClientException' },
    })
    accessKeyId = 'AKIDNEW'
    expect(await there.send(mail())).toMatchObject({ kind: 'accepted' })
  })

  it('causes a new account query after a mail was refused for the account', async () => {
    const ses = await started()
    let time = 0
    const { here, there } = inThread(ses, { now: () => time })
    await here.ratePerSecond()
    ses.change({ sendingEnabled: false })
    time = 5_000
    expect(await there.send(mail())).toMatchObject({ kind: 'stopped' })
    await expect
      .poll(() => here.ratePerSecond().then(() => ses.calls.map(({ operation }) => operation)))
      .toEqual(['GetAccount', 'SendEmail', 'GetAccount'])
  })

  it.each([
    [new SesError('TooManyRequestsException', 'Because.', 429), { kind: 'deferred', throttled: true }],
    [new SesError('MessageRejected', 'Because.', 400), { kind: 'refused' }],
    [new SesError('ServiceUnavailable', 'Because.', 503), { kind: 'deferred', throttled: false }],
    ['break-after', { kind: 'unknown', error: { name: 'SesNoAnswer' } }],
  ] as const)('reports the same outcome as the main thread’s mailer: %s', async (failure, outcome) => {
    const ses = await started()
    ses.failWith(({ operation }) => (operation === 'SendEmail' ? failure : undefined))
    const { here, there } = inThread(ses)
    const said = await there.send(mail())
    expect(said).toMatchObject(outcome)
    expect(await here.send(mail())).toEqual(said)
  })

  it('reports the same outcome if the main thread cannot answer', async () => {
    const ses = await started()
    const credentials = async () => {
      throw Object.assign(new Error('Nothing was found'), { name: 'CredentialsProviderError' })
    }
    const { here, there } = inThread(ses, { aws: { endpoint: ses.url, credentials } })
    const said = await there.send(mail())
    expect(said).toMatchObject({ kind: 'deferred', error: { name: 'CredentialsProviderError' } })
    expect(await here.send(mail())).toEqual(said)
    expect(ses.calls).toEqual([])
  })

  it('never lets a line break into a header', async () => {
    const ses = await started()
    const credentials = { accessKeyId: 'AKID\r\nX-Evil: 1', secretAccessKey: 'secret' }
    const { there } = inThread(ses, { aws: { endpoint: ses.url, credentials } })
    expect(await there.send(mail())).toMatchObject({ kind: 'deferred' })
    expect(ses.calls).toEqual([])
  })

  it('waits for mails in flight when it is closed', async () => {
    const ses = await started()
    const { there } = inThread(ses)
    const outcomes = Promise.all(Array.from({ length: 20 }, () => there.send(mail())))
    await there.close()
    expect((await outcomes).every(({ kind }) => kind === 'accepted')).toBe(true)
  })
})
