import { serverMailer } from '@posthorn/core'
import { recordingMailer, recordingMailers } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { MailerUnavailable } from '../../src/sending/channels/mailer.js'
import { approved, sandboxed } from './world.js'

describe('a project’s production access', () => {
  it('is none at first', async () => {
    const { status } = await sandboxed()
    expect(await status()).toEqual({
      requestStatus: 'none',
      domainStatus: 'none',
      verifiedDomain: '',
      monthlyLimit: 0,
      sendingRates: ['us-east-1', 'eu-west-1', 'eu-central-1', 'eu-north-1'].map((region) => ({
        region,
        ratePerSecond: 1,
      })),
      limitIncreases: [],
      restricted: false,
    })
  })

  it('shows a verified domain', async () => {
    const { status, addDomain } = await sandboxed()
    await addDomain('first.example.com', { dkim: false })
    expect(await status()).toMatchObject({ domainStatus: 'pending', verifiedDomain: '' })
    await addDomain('second.example.com', { mx: false })
    expect(await status()).toMatchObject({ domainStatus: 'verified', verifiedDomain: 'second.example.com' })
  })

  it('shows in production the mailer’s rate in whole mails, or 10000 if unknown', async () => {
    const rates = async (ratePerSecond?: number) => {
      const mailer = recordingMailer(ratePerSecond === undefined ? {} : { ratePerSecond })
      const { status } = await approved({ mailers: serverMailer(mailer) })
      return new Set((await status()).sendingRates.map((one) => one.ratePerSecond))
    }
    expect(await rates(14.7)).toEqual(new Set([14]))
    expect(await rates(0.5)).toEqual(new Set([1]))
    expect(await rates(0)).toEqual(new Set([0]))
    expect(await rates()).toEqual(new Set([10_000]))
  })

  it('shows rates of 0 while nothing may be sent', async () => {
    const { status, core, scope } = await approved()
    expect((await status()).sendingRates[0]).toEqual({ region: 'us-east-1', ratePerSecond: 10_000 })
    await core.restriction.restrict(scope.projectId, { reason: 'Bought addresses' })
    expect((await status()).sendingRates[0]).toEqual({ region: 'us-east-1', ratePerSecond: 0 })
  })

  it('says that the server sends nothing, but not why', async () => {
    const mailer = recordingMailer({ ratePerSecond: 0 })
    mailer.waitsFor = async () => 'The account has sent 200 of 200 mails.'
    const { status } = await approved({ mailers: serverMailer(mailer) })
    expect((await status()).sendingRates[0]).toEqual({
      region: 'us-east-1',
      ratePerSecond: 0,
      reason: 'This server sends nothing now; what it accepts waits.',
    })
  })

  it('says why an own account sends nothing', async () => {
    const mailers = recordingMailers()
    const { status, core, scope } = await sandboxed({ mailers })
    await core.projects.update(scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    const own = mailers.at(`project:${scope.projectId}:eu-west-1`)
    own.ratePerSecond = async () => 0
    own.waitsFor = async () => 'The account has sent 200 of 200 mails.'
    expect((await status()).sendingRates).toEqual([
      { region: 'eu-west-1', ratePerSecond: 0, reason: 'The account has sent 200 of 200 mails.' },
    ])
    own.problem = async () => 'AWS does not know the access key.'
    expect((await status()).sendingRates).toMatchObject([
      { ratePerSecond: 0, reason: 'AWS does not know the access key.' },
    ])
  })

  it('shows an own account’s rate for the regions of the project’s senders', async () => {
    const mailers = recordingMailers()
    const { status, core, scope } = await sandboxed({ mailers })
    await core.projects.update(scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    const own = `project:${scope.projectId}:eu-west-1`
    mailers.at(own).ratePerSecond = async () => 14.5
    expect((await status()).sendingRates).toEqual([{ region: 'eu-west-1', ratePerSecond: 14 }])
    mailers.fail(own, new MailerUnavailable('The role lets nobody in.'))
    expect((await status()).sendingRates).toEqual([
      { region: 'eu-west-1', ratePerSecond: 0, reason: 'The role lets nobody in.' },
    ])
  })

  it('is separate for each project', async () => {
    const { core, apply, addDomain } = await sandboxed()
    await addDomain('example.com')
    await apply()
    const other = await core.projects.create({ accountId: (await core.accounts.list())[0]?._id ?? '', name: 'Other' })
    expect(await core.productionAccess.status({ projectId: other._id, caller: 'api-key' })).toMatchObject({
      requestStatus: 'none',
      domainStatus: 'none',
    })
  })
})

describe('applying for production access', () => {
  it('creates a pending request', async () => {
    const { apply, addDomain, status } = await sandboxed()
    await addDomain('example.com', { dmarc: false })
    expect(await apply()).toEqual({ _id: expect.any(String), status: 'pending' })
    expect((await status()).requestStatus).toBe('pending')
  })

  it.each([{ spf: false }, { mx: false }, { dkim: false }])(
    'requires a domain with all records verified at first: rejects %j',
    async (seen) => {
      const { apply, addDomain, status } = await sandboxed()
      await addDomain('example.com', seen)
      await expect(apply()).rejects.toThrow('a domain whose SPF, MX and DKIM records are verified')
      expect((await status()).requestStatus).toBe('none')
    },
  )

  it('does not combine the records of different domains', async () => {
    const { apply, addDomain } = await sandboxed()
    await addDomain('one.example.com', { spf: false })
    await addDomain('two.example.com', { dkim: false })
    await expect(apply()).rejects.toMatchObject({ kind: 'invalid' })
  })

  it.each(['decline', 'revoke'] as const)('requires only DKIM again after a %s', async (how) => {
    const { apply, addDomain, core, scope, status, ports } = await sandboxed()
    await addDomain('example.com')
    const { _id } = await apply()
    if (how === 'revoke') await core.accessReviews.approve(scope.projectId)
    await core.accessReviews[how](scope.projectId)
    await ports.repositories.domains.removeAll({})
    await addDomain('other.example.com', { dkim: false })
    await expect(apply()).rejects.toThrow('a domain whose DKIM records are verified')
    await addDomain('later.example.com', { spf: false, mx: false })
    expect(await apply({ volume: 9 })).toEqual({ _id, status: 'pending' })
    expect((await status()).requestStatus).toBe('pending')
    expect(await core.accessReviews.get(scope.projectId)).toMatchObject({ application: { volume: 9 } })
  })

  it.each(['pending', 'approved'] as const)('is refused while the access is %s', async (standing) => {
    const { apply, addDomain, core, scope } = await sandboxed()
    await addDomain('example.com')
    await apply()
    if (standing === 'approved') await core.accessReviews.approve(scope.projectId)
    await expect(apply()).rejects.toMatchObject({
      kind: 'invalid',
      message: `The production access is ${standing} already.`,
    })
  })

  it('succeeds once under concurrency', async () => {
    const { apply, addDomain, core } = await sandboxed()
    await addDomain('example.com')
    const answers = await Promise.allSettled([apply(), apply(), apply()])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await core.accessReviews.list()).toHaveLength(1)
  })

  it('is refused for a project with its own account', async () => {
    const { apply, addDomain, core, scope } = await sandboxed()
    await addDomain('example.com')
    await core.projects.update(scope, {
      status: 'byoCloudSes',
      cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', region: 'eu-west-1' },
    })
    await expect(apply()).rejects.toThrow('needs no production access')
  })
})

describe('requesting a higher monthly limit', () => {
  it('is appended as pending, and changes nothing yet', async () => {
    const { askForMore, core, scope, clock } = await approved()
    await askForMore()
    await core.accessReviews.declineLimit(scope.projectId)
    const createdAt = clock.now().toISOString()
    const after = await askForMore({ monthlyLimit: 60_000 })
    expect(after).toMatchObject({ monthlyLimit: 50_000, requestStatus: 'approved' })
    expect(after.limitIncreases).toEqual([
      { requestedLimit: 80_000, reason: 'The list has grown', status: 'declined', createdAt },
      { requestedLimit: 60_000, reason: 'The list has grown', status: 'pending', createdAt },
    ])
  })

  it('may request no limit, which is also reviewed', async () => {
    const { askForMore } = await approved()
    expect(await askForMore({ monthlyLimit: 0 })).toMatchObject({
      monthlyLimit: 50_000,
      limitIncreases: [{ requestedLimit: 0, status: 'pending' }],
    })
  })

  it.each([50_000, 49_999, 1])('must exceed the current limit: rejects %i', async (monthlyLimit) => {
    const { askForMore } = await approved()
    await expect(askForMore({ monthlyLimit })).rejects.toThrow(
      'monthlyLimit: expected more than the current 50000, or 0',
    )
  })

  it('is refused while one is pending, also under concurrency', async () => {
    const { askForMore } = await approved()
    const answers = await Promise.allSettled([askForMore(), askForMore()])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(askForMore({ monthlyLimit: 0 })).rejects.toThrow('A limit increase is pending already.')
  })

  it('reports everything that prevents it in the sandbox at once', async () => {
    const { askForMore } = await sandboxed()
    await expect(askForMore({ reason: 'too short' })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(
        /^reason: .+; Limit increases are for projects in production; There is no production-access request yet\.$/,
      ),
    })
  })

  it('requires a reason of ten characters without surrounding blanks', async () => {
    const { askForMore } = await approved()
    await expect(askForMore({ reason: '   too short   ' })).rejects.toThrow(/^reason: /)
    await expect(askForMore({ reason: '0123456789' })).resolves.toHaveProperty('limitIncreases.length', 1)
  })
})
