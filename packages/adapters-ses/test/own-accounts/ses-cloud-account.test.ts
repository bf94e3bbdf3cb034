import { Refusal } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { sendingRoleTemplate, sesCloudAccount } from '../../src/index.js'
import { atEnd, region, started } from '../world.js'

const keys = { accessKeyId: 'AKIDSHOP', secretAccessKey: 'shop-secret' }
const externalId = 'of-the-project'

const looking = async () => {
  const ses = await started()
  const shop = ses.addAccount({ id: '210000000001', ...keys, account: { maxSendRate: 5 } })
  const roleArn = shop.addRole({ name: 'posthorn-sending', externalId })
  shop.region(region).identities.verify('own.example', true)
  const account = sesCloudAccount({
    aws: { endpoint: ses.url },
    sts: { endpoint: ses.url, credentials: { accessKeyId: 'AKIDLOCAL', secretAccessKey: 'secret' } },
  })
  atEnd(async () => account.close())
  type Asked = Parameters<typeof account.look>[0]
  const at = (credentials: Asked['credentials'], senders: readonly string[] = []) =>
    account.look({ credentials, region, senders })
  return { ses, shop, roleArn, at }
}

describe('a look into an own account', () => {
  it('tells its rate, by an access key or by a role', async () => {
    const { at, roleArn } = await looking()
    const seen = { maxSendRate: 5, unverified: [] }
    expect(await at(keys, ['news@own.example'])).toEqual(seen)
    expect(await at({ roleArn, externalId }, ['news@own.example'])).toEqual(seen)
  })

  it('finds a sender verified by its address, its domain or one above, and names all others', async () => {
    const { shop, at } = await looking()
    const { identities } = shop.region(region)
    identities.verify('me@single.example', true)
    identities.verify('pending.example', false)
    const verified = ['a@own.example', 'b@mail.own.example', 'me@single.example']
    const others = ['you@single.example', 'a@pending.example', 'a@unknown.example', 'a@notown.example']
    expect(await at(keys, [...verified, ...others])).toMatchObject({ unverified: others })
  })

  it('asks for each domain once, however many senders it has', async () => {
    const { ses, at } = await looking()
    await at(
      keys,
      Array.from({ length: 100 }, (_, n) => `n${n}@own.example`),
    )
    expect(ses.calls.map(({ operation }) => operation)).toEqual(['GetAccount', 'GetEmailIdentity'])
  })

  it.each([
    [{ productionAccess: false }, 'Request production access'],
    [{ sendingEnabled: false }, 'put-account-sending-attributes'],
    [{ enforcementStatus: 'SHUTDOWN' }, 'AWS Support Center'],
  ] as const)('tells what keeps it from sending, and what to do: %j', async (changes, words) => {
    const { shop, at } = await looking()
    shop.change(changes)
    expect(await at(keys)).toMatchObject({ problem: expect.stringContaining(words) })
  })

  it('finds nothing wrong with a day that is over tomorrow', async () => {
    const { shop, at } = await looking()
    shop.change({ max24HourSend: 0 })
    expect(await at(keys)).not.toHaveProperty('problem')
  })

  const refusal = (words: string) =>
    expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(words) })

  it.each([
    [{ ...keys, secretAccessKey: 'wrong' }, 'Store the access key and the secret'],
    [{ ...keys, accessKeyId: 'ASIAUNKNOWN' }, 'AWS does not know the access key'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/posthorn-sending', externalId: 'wrong' }, 'setup link'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/posthorn-sending' }, 'external id'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/gone', externalId }, 'setup link'],
  ])('refuses credentials that do not open it, with what to do: %j', async (credentials, words) => {
    const { at } = await looking()
    const error = await at(credentials).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Refusal)
    expect(error).toEqual(refusal(words))
  })

  it('refuses a role that every project could enter by, as it asks for no external id', async () => {
    const { shop, at } = await looking()
    const roleArn = shop.addRole({ name: 'open' })
    await expect(at({ roleArn, externalId })).rejects.toEqual(refusal('sts:ExternalId'))
  })

  it('refuses what the policy does not allow, by name', async () => {
    const { ses, at } = await looking()
    const { SesError } = await import('@posthorn/testkit/local-ses')
    ses.failWith(() => new SesError('AccessDeniedException', 'User is not authorized to perform ses:GetAccount', 403))
    await expect(at(keys)).rejects.toEqual(refusal('ses:GetAccount'))
  })

  it('blames no credentials where AWS does not answer', async () => {
    const { ses, at } = await looking()
    ses.failWith(() => 'break-before')
    const error = await at(keys).catch((one: unknown) => one)
    expect(error).not.toBeInstanceOf(Refusal)
  })
})

describe('the template of the role', () => {
  const text = sendingRoleTemplate()
  type Value = string | number | readonly Value[] | { readonly [name: string]: Value }
  const template = JSON.parse(text) as {
    readonly AWSTemplateFormatVersion: string
    readonly Parameters: Readonly<Record<string, { readonly Type: string; readonly AllowedPattern: string }>>
    readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Value }>>
    readonly Outputs: Readonly<Record<string, { readonly Value: Value }>>
  }
  const every = (value: Value, key: string): readonly Value[] =>
    typeof value !== 'object'
      ? []
      : Object.entries(value).flatMap(([name, one]) => [...(name === key ? [one] : []), ...every(one as Value, key)])

  it('is one of CloudFormation: sections, types and references that are there', () => {
    expect(template.AWSTemplateFormatVersion).toBe('2010-09-09')
    expect(Object.keys(template).toSorted()).toEqual([
      'AWSTemplateFormatVersion',
      'Description',
      'Outputs',
      'Parameters',
      'Resources',
    ])
    expect(Object.values(template.Resources).map(({ Type }) => Type)).toEqual(['AWS::IAM::Role'])
    const known = [...Object.keys(template.Parameters), ...Object.keys(template.Resources), 'AWS::Partition']
    const value = template as unknown as Value
    const substituted = every(value, 'Fn::Sub').flatMap((one) =>
      [...JSON.stringify(one).matchAll(/\$\{([^}]+)\}/g)].map(([, name]) => name),
    )
    const named = [
      ...every(value, 'Ref'),
      ...every(value, 'Fn::GetAtt').map((one) => (one as readonly string[])[0]),
      ...substituted,
    ]
    expect(named.length).toBeGreaterThan(3)
    for (const name of named) expect(known).toContain(name)
    expect(Buffer.byteLength(text)).toBeLessThan(51_200)
  })

  it('has the parameters that setup links fill in, and takes no others’ values', () => {
    const { AccountId, ExternalId } = template.Parameters
    expect(Object.keys(template.Parameters).toSorted()).toEqual(['AccountId', 'ExternalId'])
    expect('123456789012').toMatch(new RegExp(`^(?:${AccountId?.AllowedPattern})$`))
    const externalIds = new RegExp(`^(?:${ExternalId?.AllowedPattern})$`)
    expect(Buffer.alloc(24, 7).toString('base64url')).toMatch(externalIds)
    expect('').not.toMatch(externalIds)
  })

  it('lets in that account alone, by that external id alone, to what own accounts are asked for and nothing else', () => {
    const value = template.Resources as unknown as Value
    const root = 'arn:$' + '{AWS::Partition}:iam::$' + '{AccountId}:root'
    expect(every(value, 'Principal')).toEqual([{ AWS: { 'Fn::Sub': root } }])
    expect(every(value, 'Condition')).toEqual([{ StringEquals: { 'sts:ExternalId': { Ref: 'ExternalId' } } }])
    expect(every(value, 'Action').flat()).toEqual([
      'sts:AssumeRole',
      'ses:SendEmail',
      'ses:SendRawEmail',
      'ses:GetAccount',
      'ses:GetEmailIdentity',
    ])
  })
})
