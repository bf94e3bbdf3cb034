import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'

const start = async () => {
  const { ports, dns, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const domain = await core.domains.create(scope, {
    domain: 'shop.example',
    region,
    trackingDomain: 'Links.Shop.Example',
  })
  const sent = async () => {
    const sender = (await core.senderIdentities.list(scope, {})).items.find(({ email }) =>
      email.endsWith('@shop.example'),
    )
    const { _id } = await core.transactionalEmails.create(scope, {
      name: 'Receipt',
      subject: 'Receipt',
      type: 'html',
      document: '<a href="https://shop.example/">x</a>',
      senderIdentity: sender?._id ?? '',
    })
    await core.sends.transactional(scope, { email: 'ada@example.com', transactionalId: _id })
    await core.worker.runUntilIdle()
    return (mailer.sent.at(-1)?.mime ?? '').replaceAll('=\r\n', '')
  }
  return { core, scope, dns, domain, sent }
}

describe('a tracking domain', () => {
  it('requires a CNAME to this server, in its records and their export', async () => {
    const { core, scope, domain } = await start()
    const record = { type: 'CNAME', name: 'links.shop.example', value: 'posthorn.example.com' }
    expect(domain).toMatchObject({ trackingDomain: 'links.shop.example', requiredDns: { tracking: record } })
    expect((await core.domains.dnsExport(scope, domain._id)).rows.at(-1)).toMatchObject(record)
  })

  it('is used for links in mails of its domain while its record exists', async () => {
    const { core, scope, dns, domain, sent } = await start()
    const { tracking, ...others } = domain.requiredDns
    dns.publish(others)
    const first = await core.domains.check(scope, domain._id)
    expect(first.observed).toMatchObject({ allOk: true, tracking: { present: false } })
    expect(await sent()).toContain('https://posthorn.example.com/c/')
    dns.publish({ ...others, tracking })
    expect((await core.domains.check(scope, domain._id)).observed.tracking).toMatchObject({ present: true })
    const mime = await sent()
    expect(mime).toContain('https://links.shop.example/c/')
    expect(mime).not.toContain('posthorn.example.com/c/')
    dns.set('CNAME', 'links.shop.example', ['elsewhere.example'])
    await core.domains.check(scope, domain._id)
    expect(await sent()).toContain('https://posthorn.example.com/c/')
  })

  it('can be changed and removed, and must then be verified again', async () => {
    const { core, scope, dns, domain } = await start()
    dns.publish(domain.requiredDns)
    await core.domains.check(scope, domain._id)
    const other = await core.domains.update(scope, domain._id, { trackingDomain: 'go.shop.example' })
    expect(other.requiredDns.tracking?.name).toBe('go.shop.example')
    expect(other.observed.tracking).toBeUndefined()
    const none = await core.domains.update(scope, domain._id, { trackingDomain: null })
    expect(none.trackingDomain).toBeUndefined()
    expect(none.requiredDns.tracking).toBeUndefined()
  })

  it.each(['shop.example', 'links.example.org', 'evilshop.example', 'no name'])(
    'must be below its domain: rejects %s',
    async (trackingDomain) => {
      const { core, scope, domain } = await start()
      await expect(core.domains.update(scope, domain._id, { trackingDomain })).rejects.toMatchObject({
        kind: 'invalid',
      })
    },
  )
})
