import { createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject, scriptedDomainIdentities } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'
const domain = 'shop.example'

const start = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const world = inMemoryPorts(changes)
  const core = createCore({ ...world.ports, domainVerified: undefined })
  const { scope, project, account } = await sampleProject(core)
  const other = await sampleProject(core, { name: 'Other' })
  const add = (name = domain, at: Scope = scope, where = region) =>
    core.domains.create(at, { domain: name, region: where })
  const verified = async (name = domain) => {
    const added = await add(name)
    world.dns.publish(added.requiredDns)
    return core.domains.check(scope, added._id)
  }
  const senders = async () =>
    (await core.senderIdentities.list(scope)).items.map(({ email, region: where }) => `${email} ${where}`)
  const ownCloud = () =>
    core.projects.update(scope, {
      status: 'byoCloudSes',
      cloudConfig: { accessKeyId: 'a', secretAccessKey: 'b', region: 'eu-west-1' },
    })
  const sister = async (): Promise<Scope> => {
    const { _id } = await core.projects.create({ accountId: account._id, name: 'Sister' })
    return { projectId: _id, caller: 'api-key' }
  }
  return { ...world, core, scope, project, sister, other, add, verified, senders, ownCloud }
}

describe('adding a domain', () => {
  it('returns the required records and the project’s resources at the provider', async () => {
    const { add, identities, project } = await start()
    const added = await add('Shop.Example.')
    expect(added).toMatchObject({
      domain,
      region,
      tenant: { name: `tenant-${project._id}`, configurationSet: `set-${project._id}` },
      requiredDns: {
        mx: { type: 'MX', name: 'mail.shop.example', value: 'feedback.eu-west-1.provider.example', priority: '10' },
        spf: { type: 'TXT', name: 'mail.shop.example', value: 'v=spf1 include:provider.example ~all' },
        dmarc: { type: 'TXT', name: '_dmarc.shop.example', value: 'v=DMARC1; p=none;' },
      },
      observed: { allOk: false, dkim: { selectors: [], allOk: false, checkedAt: '' } },
    })
    expect(
      added.requiredDns.dkimCNAMEs.map(({ type, name }) => [type, name.endsWith('._domainkey.shop.example')]),
    ).toEqual([1, 2, 3].map(() => ['CNAME', true]))
    expect(identities.known()).toEqual(['shop.example in eu-west-1'])
  })

  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://mail.localhost'])(
    'warns if the public URL is %s, which only this machine reaches',
    async (publicUrl) => {
      const { ports } = inMemoryPorts()
      const core = createCore({ ...ports, settings: { ...ports.settings, publicUrl } })
      const { scope } = await sampleProject(core)
      const { hostname } = new URL(publicUrl)
      expect((await core.domains.create(scope, { domain, region })).warnings).toEqual([
        `Records of shop.example, or links of its mails, lead to ${hostname}, which only this machine reaches. Set the public URL (POSTHORN_PUBLIC_URL) to where recipients reach this server, then delete the domain and add it again.`,
      ])
    },
  )

  it('warns about records that lead to localhost, whatever the public URL is now', async () => {
    const { add, core, scope, ports } = await start()
    const { _id, ...added } = await add()
    expect(added).not.toHaveProperty('warnings')
    const mx = { ...added.requiredDns.mx, value: 'feedback-smtp.eu-west-1.localhost' }
    await ports.repositories.domains.change({ _id }, (one) => ({ ...one, requiredDns: { ...one.requiredDns, mx } }))
    expect((await core.domains.get(scope, _id)).warnings).toEqual([
      expect.stringContaining('lead to feedback-smtp.eu-west-1.localhost'),
    ])
  })

  it('is refused if the project has it in that region, in any spelling', async () => {
    const { add, scope } = await start()
    await add()
    await expect(add('SHOP.example')).rejects.toMatchObject({
      kind: 'invalid',
      message: 'domain: shop.example is a domain of this project in eu-west-1 already',
    })
    expect((await add(domain, scope, 'us-east-1')).region).toBe('us-east-1')
    expect((await add('xn--bcher-kva.example')).domain).toBe('xn--bcher-kva.example')
    await expect(add('bücher.example')).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is possible for another project of the account, without an ownership record', async () => {
    const { add, sister } = await start()
    await add()
    expect((await add(domain, await sister())).requiredDns.ownership).toBeUndefined()
  })

  it('is possible for all accounts if each has DKIM records of its own', async () => {
    const { core, scope, other, add, dns } = await start({ identities: scriptedDomainIdentities({ perProject: true }) })
    const [mine, theirs] = [await add(), await add(domain, other.scope)]
    expect(theirs.requiredDns.dkimCNAMEs).not.toEqual(mine.requiredDns.dkimCNAMEs)
    dns.publish(mine.requiredDns)
    expect((await core.domains.check(scope, mine._id)).observed.allOk).toBe(true)
    expect((await core.domains.check(other.scope, theirs._id)).observed.dkim).toMatchObject({
      selectors: [],
      allOk: false,
    })
    await expect(add()).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('creates one domain for two concurrent requests', async () => {
    const { add } = await start()
    const twice = await Promise.allSettled([add('twice.example'), add('twice.example')])
    expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('reports all violations', async () => {
    const { core, scope } = await start()
    await expect(core.domains.create(scope, { domain: 'com', region: 'mars-1', owner: 'me' } as never)).rejects.toThrow(
      'domain: expected a domain name such as example.com; region: expected one of us-east-1, eu-west-1, eu-central-1, eu-north-1; Unexpected field: owner',
    )
  })

  it('stores nothing if the provider does not respond', async () => {
    const { core, add, identities, scope } = await start()
    identities.failWith(new Error('out of order'))
    await expect(add()).rejects.toThrow('out of order')
    expect((await core.domains.list(scope)).count).toBe(0)
  })
})

describe('the domains of a project', () => {
  it('are listed, can be filtered, and are hidden from other projects', async () => {
    const { core, scope, other, add } = await start()
    for (let i = 0; i < 40; i += 1) await add(`d${i}.example`, scope, i % 2 ? 'eu-west-1' : 'us-east-1')
    expect((await core.domains.list(scope)).items).toHaveLength(40)
    expect((await core.domains.list(scope, { filter: { region: 'us-east-1' } })).count).toBe(20)
    expect((await core.domains.list(other.scope)).count).toBe(0)
    await expect(core.domains.list(scope, { filter: { verifiedAt: 'x' } })).rejects.toThrow('unknown field')
  })
})

describe('a check', () => {
  it('adds the no-reply sender at the first success only', async () => {
    const { core, scope, verified, senders } = await start()
    const { _id, observed } = await verified()
    expect(observed.allOk).toBe(true)
    expect(await senders()).toEqual(['post@example.com eu-west-1', 'no-reply@shop.example eu-west-1'])
    await core.domains.check(scope, _id)
    const added = (await core.senderIdentities.list(scope)).items.find(({ email }) => email.startsWith('no-reply'))
    await core.senderIdentities.remove(scope, added?._id ?? '')
    await core.domains.check(scope, _id)
    expect(await senders()).toEqual(['post@example.com eu-west-1'])
  })

  it('adds it once for concurrent checks, and keeps an existing one', async () => {
    const { core, scope, add, dns, senders } = await start()
    await core.senderIdentities.create({ ...scope, caller: 'operator' }, { email: 'No-Reply@shop.example', region })
    const { _id, requiredDns } = await add()
    dns.publish(requiredDns)
    await Promise.all([core.domains.check(scope, _id), core.domains.check(scope, _id)])
    expect(await senders()).toEqual(['post@example.com eu-west-1', 'No-Reply@shop.example eu-west-1'])
  })

  it('succeeds only after the provider confirms DKIM', async () => {
    const { core, scope, verified, identities, senders, add } = await start()
    identities.withhold({ domain, region })
    const { _id, observed } = await verified()
    expect(observed).toMatchObject({ allOk: false, dkim: { allOk: false }, spf: { present: true } })
    expect(await senders()).toHaveLength(1)
    identities.confirm({ domain, region })
    expect((await core.domains.check(scope, _id)).observed.allOk).toBe(true)
    expect(await senders()).toHaveLength(2)
    expect((await add('waiting.example')).observed.allOk).toBe(false)
  })

  it('notices a missing record, and ignores a server that is down', async () => {
    const { core, scope, verified, dns, lines } = await start()
    const { _id, requiredDns } = await verified()
    const { spf, mx } = requiredDns
    dns.set('TXT', spf.name, [])
    dns.set('MX', mx.name, new Error('SERVFAIL'))
    const { observed } = await core.domains.check(scope, _id)
    expect(observed).toMatchObject({
      spf: { present: false },
      mx: { present: true },
      dkim: { allOk: true },
      allOk: false,
    })
    expect(JSON.stringify(lines)).toContain('MX mail.shop.example')
  })

  it('responds even if DNS and the provider are down', async () => {
    const { core, scope, verified, dns, identities } = await start()
    const before = await verified()
    const { dkimCNAMEs, mx, spf, dmarc } = before.requiredDns
    identities.failWith(new Error('down'))
    for (const { type, name } of [...dkimCNAMEs, mx, spf, dmarc]) dns.set(type, name, new Error('down'))
    expect((await core.domains.check(scope, before._id)).observed).toEqual(before.observed)
  })
})

describe('a verified domain', () => {
  it('allows senders of its project in its region only', async () => {
    const { core, scope, other, verified } = await start()
    await verified()
    const create = (email: string, where = region, at = scope) =>
      core.senderIdentities.create(at, { email, region: where })
    expect((await create('Ada@SHOP.example')).email).toBe('Ada@SHOP.example')
    await expect(create('ada@shop.example', 'us-east-1')).rejects.toMatchObject({
      kind: 'invalid',
      message: 'email: the domain shop.example is not verified in us-east-1; add it and its DNS records first',
    })
    for (const asked of [
      create('ada@sub.shop.example'),
      create('ada@notshop.example'),
      create('a@shop.example', region, other.scope),
    ])
      await expect(asked).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('allows no new senders when its DKIM records are missing', async () => {
    const { core, scope, verified, dns } = await start()
    const { _id, requiredDns } = await verified()
    dns.set('CNAME', requiredDns.dkimCNAMEs[0]?.name ?? '', [])
    await core.domains.check(scope, _id)
    await expect(core.senderIdentities.create(scope, { email: 'a@shop.example', region })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })
})

describe('removing a domain', () => {
  it('is blocked while a sender in its region uses it', async () => {
    const { core, scope, verified, add, identities } = await start()
    const { _id } = await verified()
    const elsewhere = await add(domain, scope, 'us-east-1')
    await expect(core.domains.remove(scope, _id)).rejects.toMatchObject({
      kind: 'blocked',
      message: 'The domain is in use by the sender identity no-reply@shop.example.',
    })
    expect(await core.domains.remove(scope, elsewhere._id)).toEqual({ _id: elsewhere._id })
    expect(identities.known()).toEqual(['shop.example in eu-west-1'])
  })

  it('keeps it at the provider for another project of the account', async () => {
    const { core, scope, sister, add, identities } = await start()
    const theirs = await sister()
    const [mine, hers] = [await add(), await add(domain, theirs)]
    await core.domains.remove(scope, mine._id)
    expect(identities.known()).toEqual(['shop.example in eu-west-1'])
    await core.domains.remove(theirs, hers._id)
    expect(identities.known()).toEqual([])
  })

  it('keeps it if the provider does not respond', async () => {
    const { core, scope, add, identities } = await start()
    const { _id } = await add()
    identities.failWith(new Error('out of order'))
    await expect(core.domains.remove(scope, _id)).rejects.toThrow('out of order')
    expect((await core.domains.get(scope, _id))._id).toBe(_id)
  })
})

describe('a project that sends through its own cloud account', () => {
  it('cannot manage domains here, but still lists its earlier ones', async () => {
    const { core, scope, add, ownCloud } = await start()
    const { _id } = await add()
    await ownCloud()
    const refusal = {
      kind: 'blocked',
      message: 'A project that sends through its own cloud account has its domains there.',
    }
    await expect(add('more.example')).rejects.toMatchObject(refusal)
    await expect(core.domains.check(scope, _id)).rejects.toMatchObject(refusal)
    await expect(core.domains.remove(scope, _id)).rejects.toMatchObject(refusal)
    expect((await core.domains.list(scope)).count).toBe(1)
    expect((await core.domains.dnsExport(scope, _id)).filename).toBe('shop.example-dns.csv')
  })
})

it('the export has a row for each record', async () => {
  const { core, scope, other, add } = await start()
  const { _id, requiredDns } = await add()
  const { rows } = await core.domains.dnsExport(scope, _id)
  expect(rows.map(({ type, priority }) => `${type} ${priority}`)).toEqual([
    'CNAME ',
    'CNAME ',
    'CNAME ',
    'MX 10',
    'TXT ',
    'TXT ',
  ])
  expect(rows.map(({ value }) => value)).toContain(requiredDns.spf.value)
  await expect(core.domains.dnsExport(other.scope, _id)).rejects.toMatchObject({
    kind: 'invalid',
    message: 'Domain not found',
  })
})

describe('a domain that the operator releases', () => {
  it('is removed from all projects and regions, and can be added by its owner', async () => {
    const { core, add, other, verified, identities, scope } = await start()
    await verified()
    await add(domain, scope, 'us-east-1')
    const { projectId } = scope
    expect(await core.domains.release('Shop.Example')).toEqual([
      { projectId, domain, region },
      { projectId, domain, region: 'us-east-1' },
    ])
    expect(identities.known()).toEqual([])
    expect((await core.domains.list(scope)).count).toBe(0)
    await expect(add(domain, other.scope)).resolves.toMatchObject({ domain })
    await expect(core.domains.release('unknown.example')).rejects.toMatchObject({ kind: 'not-found' })
    await expect(core.domains.release('no domain')).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('stays with other projects if removed from one', async () => {
    const { core, add, sister, identities, scope } = await start()
    await add()
    const other = await sister()
    await add(domain, other)
    expect(await core.domains.release(domain, scope.projectId)).toEqual([
      { projectId: scope.projectId, domain, region },
    ])
    expect((await core.domains.list(other)).count).toBe(1)
    expect(identities.known()).toEqual([`${domain} in ${region}`])
  })

  it('loses its senders; other senders stay', async () => {
    const { core, verified, senders } = await start()
    await verified()
    expect(await senders()).toContain(`no-reply@${domain} ${region}`)
    await core.domains.release(domain)
    expect(await senders()).toEqual([`post@example.com ${region}`])
  })
})
