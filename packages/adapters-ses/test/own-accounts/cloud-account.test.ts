import { Refusal } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { sesCloudAccount } from '../../src/index.js'
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
    account.look({ projectId: 'a'.repeat(24), credentials, region, senders })
  return { ses, shop, roleArn, at }
}

describe('inspecting an own account', () => {
  it('returns its rate, by an access key or a role', async () => {
    const { at, roleArn } = await looking()
    const seen = {
      maxSendRate: 5,
      unverified: [],
      warnings: [{ code: 'no-public-url', message: expect.stringContaining('POSTHORN_PUBLIC_URL'), values: {} }],
    }
    expect(await at(keys, ['news@own.example'])).toEqual(seen)
    expect(await at({ roleArn, externalId }, ['news@own.example'])).toEqual(seen)
  })

  it('recognises senders verified by address, domain or parent domain, and names the others', async () => {
    const { shop, at } = await looking()
    const { identities } = shop.region(region)
    identities.verify('me@single.example', true)
    identities.verify('pending.example', false)
    const verified = ['a@own.example', 'b@mail.own.example', 'me@single.example']
    const others = ['you@single.example', 'a@pending.example', 'a@unknown.example', 'a@notown.example']
    expect(await at(keys, [...verified, ...others])).toMatchObject({ unverified: others })
  })

  it('queries each domain once, however many senders it has', async () => {
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
  ] as const)('explains what prevents sending, and what to do: %j', async (changes, words) => {
    const { shop, at } = await looking()
    shop.change(changes)
    expect(await at(keys)).toMatchObject({ problem: expect.stringContaining(words) })
  })

  it('ignores a used-up daily quota', async () => {
    const { shop, at } = await looking()
    shop.change({ max24HourSend: 0 })
    expect(await at(keys)).not.toHaveProperty('problem')
  })

  const refusal = (words: string) =>
    expect.objectContaining({ kind: 'invalid', message: expect.stringContaining(words) })

  it.each([
    [{ ...keys, secretAccessKey: 'wrong' }, 'Store a new access key and secret'],
    [{ ...keys, accessKeyId: 'ASIAUNKNOWN' }, 'AWS does not know the access key'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/posthorn-sending', externalId: 'wrong' }, 'setup link'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/posthorn-sending' }, 'external id'],
    [{ roleArn: 'arn:aws:iam::210000000001:role/gone', externalId }, 'setup link'],
  ])('rejects invalid credentials, with advice: %j', async (credentials, words) => {
    const { at } = await looking()
    const error = await at(credentials).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Refusal)
    expect(error).toEqual(refusal(words))
  })

  it('rejects a role without an external id, which any project could assume', async () => {
    const { shop, at } = await looking()
    const roleArn = shop.addRole({ name: 'open' })
    await expect(at({ roleArn, externalId })).rejects.toEqual(refusal('sts:ExternalId'))
  })

  it('names what the policy does not allow', async () => {
    const { ses, at } = await looking()
    const { SesError } = await import('@posthorn/local-aws')
    ses.failWith(() => new SesError('AccessDeniedException', 'User is not authorized to perform ses:GetAccount', 403))
    await expect(at(keys)).rejects.toEqual(refusal('ses:GetAccount'))
  })

  it('does not blame credentials if AWS does not respond', async () => {
    const { ses, at } = await looking()
    ses.failWith(() => 'break-before')
    const error = await at(keys).catch((one: unknown) => one)
    expect(error).not.toBeInstanceOf(Refusal)
  })
})
