import { sampleProject } from '@posthorn/testkit'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
const worlds: World[] = []
beforeEach(async () => {
  world = await aWorld({ domainVerified: undefined })
  worlds.push(world)
})
afterAll(() => Promise.all(worlds.map(({ client }) => client.close())))

const region = 'eu-west-1'
const create = (body: unknown = { domain: 'shop.example', region }) => world.call('createDomain', { body })
const at = (domainId: string) => ({ params: { domainId } })
const stranger = async () => {
  const { key, project } = await sampleProject(world.core, { name: 'Other' })
  return { key, params: { projectId: project._id } }
}
const ownCloud = () =>
  world.call('updateProject', {
    body: { status: 'byoCloudSes', cloudConfig: { accessKeyId: 'a', secretAccessKey: 'b', region: 'eu-west-1' } },
  })
const byoCloud = {
  status: 405,
  error: {
    name: 'METHOD_NOT_ALLOWED',
    message: 'A project that sends through its own cloud account has its domains there.',
  },
}
const verified = async () => {
  const { result } = await create()
  world.dns.publish(result.requiredDns)
  return world.call('checkDomain', at(result._id))
}

describe('listRegions', () => {
  it('returns the regions of this server', async () => {
    const { status, result } = await world.call('listRegions')
    expect([status, result]).toEqual([200, { regions: ['us-east-1', 'eu-west-1', 'eu-central-1', 'eu-north-1'] }])
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world.call('listRegions', { key: 'ph_wrong' })).status).toBe(403)
  })
})

describe('createDomain', () => {
  it('returns the DNS records to add', async () => {
    const { status, result } = await create({ domain: 'Bücher.example', region })
    expect(status).toBe(201)
    expect(result).toMatchObject({ domain: 'xn--bcher-kva.example', region, observed: { allOk: false } })
    const { dkimCNAMEs, mx, spf, dmarc } = result.requiredDns
    expect(dkimCNAMEs).toHaveLength(3)
    expect([mx.priority, mx.name, spf.name, dmarc.name]).toEqual([
      '10',
      'mail.xn--bcher-kva.example',
      'mail.xn--bcher-kva.example',
      '_dmarc.xn--bcher-kva.example',
    ])
  })

  it.each<readonly [object, string]>([
    [{}, 'Missing required field: domain; Missing required field: region'],
    [{ domain: 'shop.example', region: 'mars-1' }, 'region: expected one of us-east-1'],
    [{ domain: 'shop.example', region: ['eu-west-1'] }, 'region'],
    [{ domain: { $ne: '' }, region }, 'domain'],
    [{ domain: 'shop.example', region, observed: { allOk: true } }, 'Unexpected field: observed'],
    ...['com', 'https://shop.example/', '127.0.0.1', 'shop.example\0', 'a\r\n.example', '*.shop.example'].map(
      (domain): [object, string] => [{ domain, region }, 'domain: expected a domain name such as example.com'],
    ),
  ])('rejects %j', async (body, message) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      error: { name: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
    })
  })

  it('rejects a domain that the project already has in the region, and requires proof of ownership if two accounts add it', async () => {
    await create()
    expect((await create()).status).toBe(400)
    expect((await create({ domain: 'shop.example', region: 'us-east-1' })).status).toBe(201)
    const theirs = await world.call('createDomain', {
      ...(await stranger()),
      body: { domain: 'shop.example', region },
    })
    expect([theirs.status, theirs.result.requiredDns.ownership?.name]).toEqual([201, '_posthorn.shop.example'])
    expect(theirs.result.warnings?.[0]).toContain('another account has added it too')
  })

  it('works in sandbox, and returns 403 for a wrong key', async () => {
    const { key, project } = await sampleProject(world.core, { name: 'Sandbox', production: false })
    const body = { domain: 'sandbox.example', region }
    expect((await world.call('createDomain', { key, params: { projectId: project._id }, body })).status).toBe(201)
    expect((await world.call('createDomain', { key: 'ph_wrong', body })).status).toBe(403)
  })

  it('is refused for projects with their own cloud account', async () => {
    await ownCloud()
    expect(await create()).toMatchObject(byoCloud)
  })
})

describe('listDomains', () => {
  it('returns all domains that match the filter, without pages', async () => {
    for (let i = 0; i < 30; i += 1) await create({ domain: `d${i}.example`, region })
    const all = await world.call('listDomains')
    expect([all.status, all.result.items.length, all.result.count, all.result.next]).toEqual([200, 30, 30, null])
    const { result } = await world.call('listDomains', { query: { 'filter[domain]': 'd7.example' } })
    expect(result.items.map(({ domain }) => domain)).toEqual(['d7.example'])
    expect((await world.call('listDomains', { query: { 'filter[tenant][$ne]': '' } })).status).toBe(400)
    expect((await world.call('listDomains', await stranger())).result.items).toEqual([])
  })
})

describe('getDomain', () => {
  it('returns the domain, and 404 for another project', async () => {
    const { result } = await create()
    expect((await world.call('getDomain', at(result._id))).result).toEqual(result)
    const { key, params } = await stranger()
    expect(await world.call('getDomain', { key, params: { ...params, ...at(result._id).params } })).toMatchObject({
      status: 404,
      error: { name: 'NOT_FOUND', message: 'Domain not found' },
    })
  })
})

describe('checkDomain', () => {
  it('returns what DNS contains now, and adds the no-reply sender', async () => {
    const { status, result } = await verified()
    expect(status).toBe(200)
    expect(result.observed).toMatchObject({ allOk: true, dkim: { allOk: true } })
    const { items } = (await world.call('listSenderIdentities')).result
    expect(items.map(({ email }) => email)).toEqual(['post@example.com', 'no-reply@shop.example'])
  })

  it('succeeds although neither DNS nor the provider responds', async () => {
    const { result } = await create()
    world.identities.failWith(new Error('down'))
    world.dns.set('MX', result.requiredDns.mx.name, new Error('SERVFAIL'))
    const checked = await world.call('checkDomain', at(result._id))
    expect([checked.status, checked.result.observed.mx.checkedAt, checked.result.observed.allOk]).toEqual([
      200,
      '',
      false,
    ])
  })

  it('returns 404 for another project’s domain, and is refused with an own cloud account', async () => {
    const { _id } = (await create()).result
    const { key, params } = await stranger()
    expect((await world.call('checkDomain', { key, params: { ...params, domainId: _id } })).status).toBe(404)
    await ownCloud()
    expect(await world.call('checkDomain', at(_id))).toMatchObject(byoCloud)
  })
})

describe('deleteDomain', () => {
  it('is blocked while a sender identity uses the domain in its region', async () => {
    const { _id } = (await verified()).result
    expect(await world.call('deleteDomain', at(_id))).toMatchObject({
      status: 405,
      error: {
        name: 'METHOD_NOT_ALLOWED',
        message: 'The domain is in use by the sender identity no-reply@shop.example.',
      },
    })
    const { items } = (await world.call('listSenderIdentities')).result
    const sender = items.find(({ email }) => email === 'no-reply@shop.example')
    await world.call('deleteSenderIdentity', { params: { identityId: sender?._id ?? '' } })
    const { status, result } = await world.call('deleteDomain', at(_id))
    expect([status, result]).toEqual([200, { _id }])
    expect((await world.call('getDomain', at(_id))).status).toBe(404)
    expect((await world.call('deleteDomain', at(_id))).status).toBe(404)
    expect((await create()).status).toBe(201)
  })

  it('is refused for projects with their own cloud account', async () => {
    const { _id } = (await create()).result
    await ownCloud()
    expect(await world.call('deleteDomain', at(_id))).toMatchObject(byoCloud)
  })
})

describe('exportDomainDns', () => {
  it('returns a CSV file with a line per record', async () => {
    const { _id, requiredDns } = (await create()).result
    const { status, result, headers } = await world.call('exportDomainDns', at(_id))
    expect([status, result.filename]).toEqual([200, 'shop.example-dns.csv'])
    expect(headers.get('content-disposition')).toBe('attachment; filename=shop.example-dns.csv')
    const { dkimCNAMEs, mx, spf, dmarc } = requiredDns
    expect(result.content).toBe(
      [
        'type,name,value,priority',
        ...dkimCNAMEs.map(({ name, value }) => `CNAME,${name},${value},`),
        `MX,${mx.name},${mx.value},10`,
        `TXT,${spf.name},${spf.value},`,
        `TXT,${dmarc.name},${dmarc.value},`,
        '',
      ].join('\n'),
    )
  })

  it('returns 400 for an unknown domain, as the specification says', async () => {
    const { _id } = (await create()).result
    const { key, params } = await stranger()
    for (const asked of [at('0'.repeat(24)), { key, params: { ...params, domainId: _id } }])
      expect(await world.call('exportDomainDns', asked)).toMatchObject({
        status: 400,
        error: { name: 'VALIDATION_ERROR', message: 'Domain not found' },
      })
  })
})
