import { createCore, standardCoreSettings } from '@posthorn/core'
import type { CloudAccount } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject, scriptedCloudAccount } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const roleArn = 'arn:aws:iam::123456789012:role/posthorn-sending'
const secretAccessKey = 'wJalrXUtnFEMI-K7MDENG'
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey }
const region = 'eu-west-1'

type Setup = Parameters<typeof inMemoryPorts>[0]

const start = async (changes: Setup = {}) => {
  const account = scriptedCloudAccount({
    opens: [roleArn, secretAccessKey],
    verified: { 'eu-west-1': ['post@example.com', 'shop@example.com'], 'us-east-1': ['us@example.com'] },
  })
  const { ports, lines } = inMemoryPorts({ cloudAccount: account, ...changes })
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const check = (asked: unknown = {}) => core.ownCloud.check(scope, asked as never)
  const store = (cloudConfig: unknown) => core.projects.update(scope, { cloudConfig: cloudConfig as never })
  const stored = () => ports.repositories.projects.get({ _id: scope.projectId })
  return { core, scope, account, lines, check, store, stored }
}

describe('a cloud check', () => {
  it('uses the stored configuration and the project’s senders', async () => {
    const { check, store, account, scope } = await start()
    const { projectId } = scope
    await store({ ...keys, region, limit: 14 })
    expect(await check()).toEqual({ success: true })
    expect(account.looks).toEqual([{ projectId, credentials: keys, region, senders: ['post@example.com'] }])
  })

  it('uses the given configuration if none is stored, and stores nothing', async () => {
    const { check, stored } = await start()
    const before = await stored()
    expect(
      await check({
        ...keys,
        region,
        limit: 1,
        senderIdentities: [{ _id: 'x', name: 'S', email: 'shop@example.com' }],
      }),
    ).toEqual({
      success: true,
    })
    expect(await stored()).toEqual(before)
  })

  it('uses given credentials of one kind instead of stored ones of the other', async () => {
    const { check, store, account } = await start()
    await store({ ...keys, region })
    await check({ roleArn })
    await store({ roleArn, removeCredentials: 'keys' })
    await check(keys)
    expect(account.looks.map(({ credentials }) => Object.keys(credentials).toSorted())).toEqual([
      ['externalId', 'roleArn'],
      ['accessKeyId', 'secretAccessKey'],
    ])
  })

  it('assumes a role with the project’s external id', async () => {
    const { core, scope, check, account } = await start()
    const { link, externalId } = await core.ownCloud.setupLink(scope)
    await check({ roleArn, region })
    expect(account.looks).toMatchObject([{ credentials: { roleArn, externalId } }])
    expect(externalId).toMatch(/^.{20,}$/)
    expect(new URL(link).hash).toContain(`externalId=${encodeURIComponent(externalId)}`)
  })

  it('queries each region of the senders, and its own', async () => {
    const { check, account } = await start()
    const senderIdentities = [{ email: 'us@example.com', region: 'us-east-1' }]
    expect(await check({ ...keys, region, senderIdentities })).toEqual({ success: true })
    expect(account.looks.map((look) => `${look.region} ${look.senders.length}`)).toEqual(['eu-west-1 0', 'us-east-1 1'])
  })

  it('succeeds with warnings about what does not prevent sending', async () => {
    const look: CloudAccount['look'] = async ({ region: where }) => ({
      ...{ maxSendRate: 14, unverified: [] },
      warnings: [{ code: 'no-topic', message: `Bounces are not heard of in ${where}.`, values: { region: where } }],
    })
    const { check, core, scope } = await start({ cloudAccount: { look } })
    const senderIdentities = [{ email: 'us@example.com', region: 'us-east-1' }]
    expect(await check({ ...keys, region, senderIdentities })).toEqual({
      success: true,
      warnings: ['Bounces are not heard of in eu-west-1.', 'Bounces are not heard of in us-east-1.'],
      warningDetails: ['eu-west-1', 'us-east-1'].map((where) => ({
        code: 'no-topic',
        message: `Bounces are not heard of in ${where}.`,
        values: { region: where },
      })),
    })
    const own = { status: 'byoCloudSes', cloudConfig: { ...keys, region } }
    expect((await core.projects.update(scope, own)).status).toBe('byoCloudSes')
  })

  it('reports everything that prevents sending', async () => {
    const { check } = await start()
    const senderIdentities = [
      { email: 'shop@example.com' },
      { email: 'a@b.example' },
      { email: 'shop@example.com', region: 'us-east-1' },
    ]
    await expect(check({ ...keys, region, limit: 15, senderIdentities })).rejects.toMatchObject({
      kind: 'invalid',
      message:
        'senderIdentities: a@b.example is not verified in eu-west-1; add its domain to the identities of Amazon SES there, and the records that it names to DNS; limit: the account sends at most 14 mails per second in eu-west-1; give no more, or request a higher sending quota at AWS; senderIdentities: shop@example.com is not verified in us-east-1; add its domain to the identities of Amazon SES there, and the records that it names to DNS',
    })
  })

  it('repeats the provider’s reason without credentials', async () => {
    const { core, scope, check } = await start()
    await core.ownCloud.setupLink(scope)
    for (const credentials of [
      { accessKeyId: 'AKIAWRONG', secretAccessKey: 'wrong-secret' },
      { roleArn: 'arn:aws:iam::123456789012:role/other' },
    ]) {
      const error = await check({ ...credentials, region }).catch((refusal) => refusal)
      expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('The security token') })
      for (const secret of Object.values(credentials)) expect(error.message).not.toContain(secret)
    }
  })

  it('reports that the account did not respond, and logs the reason without credentials', async () => {
    const look: CloudAccount['look'] = async () => {
      throw new Error(`connect ETIMEDOUT with ${secretAccessKey}`)
    }
    const { check, lines } = await start({ cloudAccount: { look } })
    await expect(check({ ...keys, region })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'cloudConfig: the cloud account did not answer in eu-west-1',
    })
    const logged = JSON.stringify(lines)
    expect(logged).toContain('ETIMEDOUT')
    expect(logged).not.toContain(secretAccessKey)
  })

  it.each([
    [{}, 'cloudConfig: nothing is stored, and nothing was given to check'],
    [{ region }, 'cloudConfig: there is neither a roleArn nor an access key'],
    [{ limit: 1 }, 'cloudConfig: there is neither a roleArn nor an access key; cloudConfig: there is no region'],
    [keys, 'cloudConfig: there is no region'],
    [{ ...keys, roleArn, region }, 'not both'],
    [{ accessKeyId: 'AKIA', region }, 'go together'],
    [{ ...keys, region: 'evil.example/' }, 'region: expected a region such as eu-west-1'],
    [{ removeCredentials: 'role' }, 'Unexpected field: removeCredentials'],
    [{ senderIdentities: [{ email: 'nobody' }] }, 'Invalid email format'],
  ])('rejects %j', async (asked, message) => {
    const { check, account } = await start()
    await expect(check(asked)).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining(message) })
    expect(account.looks).toEqual([])
  })

  it('reports that the server cannot inspect cloud accounts', async () => {
    const { check } = await start({ cloudAccount: undefined })
    await expect(check({ ...keys, region })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'cloudConfig: this server sends without Amazon SES and cannot look at cloud accounts',
    })
  })
})

describe('a setup link', () => {
  it('is the same each time, different per project, and not shown elsewhere', async () => {
    const { core, scope, stored } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    const [first, second] = await Promise.all([core.ownCloud.setupLink(scope), core.ownCloud.setupLink(scope)])
    expect(second).toEqual(first)
    expect(await core.ownCloud.setupLink(other)).not.toEqual(first)
    const externalId = (await stored())?.cloudExternalId ?? ''
    expect(externalId).not.toBe('')
    expect(JSON.stringify(await core.projects.get(scope))).not.toContain(externalId)
  })

  it('opens IAM with everything filled in', async () => {
    const { ports } = inMemoryPorts()
    const settings = { ...ports.settings, cloudSetup: { accountId: '210987654321' } }
    const { core, scope, stored } = await start({ settings })
    const { origin, pathname, hash } = new URL((await core.ownCloud.setupLink(scope)).link)
    expect(origin + pathname).toBe('https://console.aws.amazon.com/iam/home')
    const asked = new URLSearchParams(hash.slice(hash.indexOf('?')))
    expect(Object.fromEntries(asked)).toEqual({
      step: 'type',
      trustedEntityType: 'AWS_ACCOUNT',
      awsAccount: '210987654321',
      isThirdParty: 'true',
      externalId: (await stored())?.cloudExternalId,
      policies: 'arn:aws:iam::aws:policy/AmazonSESFullAccess',
    })
  })

  it('opens the operator’s template if there is one, in the account’s region', async () => {
    const templateUrl = 'https://bucket.s3.amazonaws.com/role.json?a=b&c=d'
    const settings = {
      ...standardCoreSettings,
      publicUrl: 'https://x.example',
      workerName: 'w',
      cloudSetup: { templateUrl },
    }
    const { core, scope, store } = await start({ settings })
    await store({ region: 'us-east-1' })
    const { search, hash } = new URL((await core.ownCloud.setupLink(scope)).link)
    expect(search).toBe('?region=us-east-1')
    const asked = new URLSearchParams(hash.slice(hash.indexOf('?')))
    expect(asked.get('templateURL')).toBe(templateUrl)
    expect(asked.has('param_AccountId')).toBe(false)
    expect(asked.get('param_ExternalId')).not.toBe('')
    expect([...asked.keys()].filter((name) => /EventsUrl|ConfigurationSet/.test(name))).toEqual([])
  })

  it('sets up events to this server under the project’s name, if Amazon can reach the server', async () => {
    const { ports } = inMemoryPorts()
    const eventsUrl = 'https://mail.example.com/v1/ses/events'
    const cloudSetup = { templateUrl: 'https://bucket.s3.amazonaws.com/role.json', eventsUrl }
    const { core, scope } = await start({ settings: { ...ports.settings, cloudSetup } })
    const { hash } = new URL((await core.ownCloud.setupLink(scope)).link)
    const asked = new URLSearchParams(hash.slice(hash.indexOf('?')))
    expect([asked.get('param_EventsUrl'), asked.get('param_ConfigurationSet')]).toEqual([
      eventsUrl,
      `posthorn-own-${scope.projectId}`,
    ])
  })
})

describe('the status byoCloudSes', () => {
  const own = { status: 'byoCloudSes' }

  it('is set if the account can send for all senders of the project', async () => {
    const { core, scope, account } = await start()
    const { projectId } = scope
    const update = await core.projects.update(scope, { ...own, cloudConfig: { ...keys, region, limit: 14 } })
    expect(update.status).toBe('byoCloudSes')
    expect(account.looks).toEqual([{ projectId, credentials: keys, region, senders: ['post@example.com'] }])
  })

  it.each([
    [{ ...keys, secretAccessKey: 'wrong-secret', region }, 'The security token'],
    [
      { ...keys, region, senderIdentities: [{ name: 'A', email: 'a@b.example' }] },
      'a@b.example is not verified in eu-west-1; add its domain',
    ],
    [{ ...keys, region, limit: 15 }, 'at most 14 mails per second'],
    [keys, 'there is no region'],
  ])('is refused if the account cannot send, and nothing is stored: %j', async (cloudConfig, message) => {
    const { core, scope, stored } = await start()
    const before = await stored()
    await expect(core.projects.update(scope, { ...own, cloudConfig })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    })
    expect(await stored()).toEqual(before)
  })

  it('is refused for an account in Amazon’s sandbox, with advice', async () => {
    const look: CloudAccount['look'] = async () => ({
      maxSendRate: 1,
      unverified: [],
      problem: 'It is a sandbox. Ask.',
    })
    const { core, scope } = await start({ cloudAccount: { look } })
    await expect(core.projects.update(scope, { ...own, cloudConfig: { ...keys, region } })).rejects.toThrow(
      'cloudConfig: It is a sandbox. Ask.',
    )
  })

  it('is refused on a server without own accounts', async () => {
    const { core, scope } = await start({ cloudAccount: undefined })
    await expect(core.projects.update(scope, { ...own, cloudConfig: { ...keys, region } })).rejects.toThrow(
      'sends without Amazon SES',
    )
  })

  it('keeps its credentials until the operator moves the project back to the shared service', async () => {
    const { core, scope } = await start()
    await core.projects.update(scope, { ...own, cloudConfig: { ...keys, region } })
    const without = { cloudConfig: { removeCredentials: 'keys' } } as const
    await expect(core.projects.update(scope, without)).rejects.toThrow('the project sends by these credentials')
    await core.accessReviews.share(scope.projectId)
    await expect(core.projects.update(scope, without)).resolves.toMatchObject({ status: 'production' })
  })
})
