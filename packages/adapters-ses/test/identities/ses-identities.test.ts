import { type Fault, SesError } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { sesIdentities, sesMailer } from '../../src/index.js'
import { atEnd, awsOf, mail, region, started, topicArn } from '../world.js'

const projectId = 'a'.repeat(24)
const sisterId = 'b'.repeat(24)
const shop = { domain: 'new.example', region, projectId }

const aProvider = async () => {
  const ses = await started()
  const logged: string[] = []
  const identities = sesIdentities({
    ...awsOf(ses),
    topicArn,
    log: (_level, message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  })
  atEnd(async () => identities.close())
  return { ses, identities, logged, there: ses.region(region) }
}

describe('a domain', () => {
  it('becomes an identity with Easy DKIM, a MAIL FROM, and a tenant with published events', async () => {
    const { identities, there } = await aProvider()
    const made = await identities.create(shop)
    expect(made).toMatchObject({
      bounceHost: 'feedback-smtp.eu-west-1.amazonses.com',
      spf: 'v=spf1 include:amazonses.com ~all',
      tenant: { name: `posthorn-${projectId}`, configurationSet: `posthorn-${projectId}` },
    })
    for (const { selector, target } of made.dkim) expect(target).toBe(`${selector}.dkim.eu-west-1.amazonses.com`)
    expect(there.identities.get('new.example')).toMatchObject({
      MailFromAttributes: { MailFromDomain: 'mail.new.example', BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' },
    })
    expect(there.configurationSets.destinations(made.tenant.configurationSet)).toMatchObject([
      { topicArn, types: ['SEND', 'BOUNCE', 'COMPLAINT', 'REJECT', 'RENDERING_FAILURE'] },
    ])
  })

  it('is verified once SES has found its keys', async () => {
    const { identities, there } = await aProvider()
    expect(await identities.verified(shop)).toBe(false)
    await identities.create(shop)
    expect(await identities.verified(shop)).toBe(false)
    there.identities.verify('new.example', true)
    expect(await identities.verified(shop)).toBe(true)
  })

  it('can be sent from by its tenant once it is verified', async () => {
    const { ses, identities, there } = await aProvider()
    const { tenant } = await identities.create(shop)
    there.identities.verify('new.example', true)
    const mailer = sesMailer({ region, ...awsOf(ses), tenantOf: async () => tenant })
    atEnd(() => mailer.close())
    expect(await mailer.send(mail({ from: 'news@new.example' }))).toMatchObject({ kind: 'accepted' })
    expect(ses.sent).toMatchObject([{ tenant: tenant.name, configurationSet: tenant.configurationSet }])
  })

  it('that the account had before can be neither taken nor removed', async () => {
    const { identities, there } = await aProvider()
    await expect(identities.create({ ...shop, domain: 'shop.example' })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('The operator of this server decides'),
    })
    await identities.remove({ ...shop, domain: 'shop.example', shared: false })
    expect(there.identities.names()).toEqual(['shop.example'])
  })
})

describe('removing a domain', () => {
  it('leaves nothing if nobody else needs it', async () => {
    const { identities, there } = await aProvider()
    await identities.create(shop)
    await identities.remove({ ...shop, shared: false })
    expect([there.identities.names(), there.configurationSets.names(), there.tenants.names()]).toEqual([
      ['shop.example'],
      [],
      [],
    ])
  })

  it('keeps what other projects or domains need', async () => {
    const { identities, there } = await aProvider()
    await identities.create(shop)
    await identities.create({ ...shop, projectId: sisterId })
    await identities.create({ ...shop, domain: 'second.example' })
    await identities.remove({ ...shop, shared: true })
    expect(there.identities.names()).toEqual(['shop.example', 'new.example', 'second.example'])
    expect(there.tenants.names()).toEqual([`posthorn-${projectId}`, `posthorn-${sisterId}`])
    await identities.remove({ ...shop, projectId: sisterId, shared: false })
    expect(there.identities.names()).toEqual(['shop.example', 'second.example'])
    expect(there.tenants.names()).toEqual([`posthorn-${projectId}`])
  })
})

describe('creating a domain', () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ['before it was carried out', 'break-before'],
    ['after it was carried out', 'break-after'],
  ]
  it.each(faults)('that is interrupted at any call, %s, is completed by the next', async (_when, fault) => {
    const complete = await aProvider()
    const wanted = await complete.identities.create(shop)
    const steps = complete.ses.calls.length
    expect(steps).toBe(7)
    const { ses, identities, there } = await aProvider()
    for (let n = 1; n <= steps; n += 1) {
      let call = 0
      ses.failWith(() => {
        call += 1
        return call === n ? fault : undefined
      })
      await expect(identities.create(shop)).rejects.toMatchObject({ kind: 'unavailable' })
      expect(await identities.create(shop)).toEqual(wanted)
      await identities.remove({ ...shop, shared: false })
      expect([there.identities.names(), there.configurationSets.names(), there.tenants.names()]).toEqual([
        ['shop.example'],
        [],
        [],
      ])
    }
  })

  it('waits if AWS throttles', async () => {
    const { ses, identities } = await aProvider()
    let calls = 0
    ses.failWith(() => {
      calls += 1
      return calls % 2 === 0 ? new SesError('TooManyRequestsException', 'Rate exceeded', 429) : undefined
    })
    expect((await identities.create(shop)).dkim).toHaveLength(3)
    expect(calls).toBeGreaterThan(7)
  })

  it('that was interrupted is undone by a removal', async () => {
    const { ses, identities, there } = await aProvider()
    for (let n = 1; n <= 7; n += 1) {
      let call = 0
      ses.failWith(() => {
        call += 1
        return call === n ? 'break-after' : undefined
      })
      await expect(identities.create(shop)).rejects.toMatchObject({ kind: 'unavailable' })
      ses.failWith(() => undefined)
      await identities.remove({ ...shop, shared: false })
      expect([there.identities.names(), there.configurationSets.names(), there.tenants.names()]).toEqual([
        ['shop.example'],
        [],
        [],
      ])
    }
  })

  it('that AWS refuses reveals nothing to the tenant, and advises the operator', async () => {
    const { ses, identities, logged } = await aProvider()
    ses.failWith(() => new SesError('AccessDeniedException', 'User arn:aws:iam::123456789012:user/x may not.', 403))
    const error = await identities.create(shop).catch((refusal: Error) => refusal)
    expect(error).toMatchObject({ kind: 'unavailable', message: expect.not.stringContaining('arn:') })
    expect(logged).toEqual([expect.stringContaining('Allow the call in IAM')])
    await expect(identities.verified(shop)).rejects.toThrow('may not')
  })

  it('of an invalid name is refused', async () => {
    const { ses, identities } = await aProvider()
    ses.failWith(() => new SesError('BadRequestException', 'Invalid identity.'))
    await expect(identities.create(shop)).rejects.toMatchObject({ kind: 'invalid' })
  })
})
