import { aDomain, anObservedDns, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationId } from '../src/index.js'
import type { TestHttpRequest } from '../src/testing.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

const application = {
  volume: 50_000,
  whyBluefox: 'Self-hosted',
  typeOfEmails: 'Receipts',
  contactsSource: 'Customers',
  productDescription: 'A shop',
  website: 'https://shop.example.com',
}
const increase = { monthlyLimit: 80_000, reason: 'The list has grown' }

/** A project in sandbox with a domain, called by its key. */
const sandboxed = async (seen: Parameters<typeof anObservedDns>[0] = {}) => {
  const { core, ports, client } = world
  const project = await sampleProject(core, { production: false, name: `Newcomer ${ports.newId()}` })
  const projectId = project.project._id
  await ports.repositories.domains.add(aDomain({ _id: ports.newId(), projectId, observed: anObservedDns(seen) }))
  const call = <I extends OperationId>(id: I, asked: TestHttpRequest = {}) =>
    client.call(id, { key: project.key, ...asked, params: { projectId } })
  return {
    ...project,
    projectId,
    call,
    apply: (body: object = application) => call('applyForProductionAccess', { body }),
  }
}

/** The same in production. */
const approved = async () => {
  const project = await sandboxed()
  await project.apply()
  await world.core.accessReviews.approve(project.projectId)
  return { ...project, askForMore: (body: object = increase) => project.call('requestLimitIncrease', { body }) }
}

const refusal = ({
  status,
  error,
}: {
  readonly status: number
  readonly error?: { readonly message: string } | undefined
}) => `${status} ${error?.message}`

describe('getProductionAccess', () => {
  it('returns the status of a project that has not applied', async () => {
    const { core, client } = world
    const { key, project } = await sampleProject(core, { production: false, name: 'New' })
    const { status, result } = await client.call('getProductionAccess', { key, params: { projectId: project._id } })
    expect(status).toBe(200)
    expect(result).toEqual({
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

  it('returns a verified domain, the approved limits, and a restriction', async () => {
    const { call, projectId, askForMore } = await approved()
    await askForMore()
    await world.core.restriction.restrict(projectId, { reason: 'Bought addresses' })
    expect((await call('getProductionAccess')).result).toMatchObject({
      requestStatus: 'approved',
      domainStatus: 'verified',
      verifiedDomain: 'example.com',
      monthlyLimit: 50_000,
      limitIncreases: [{ requestedLimit: 80_000, reason: 'The list has grown', status: 'pending' }],
      restricted: true,
      restrictedReason: 'Bought addresses',
    })
  })

  it('is refused with another project’s key', async () => {
    const { project } = await sandboxed()
    expect((await world.call('getProductionAccess', { params: { projectId: project._id } })).status).toBe(403)
  })
})

describe('applyForProductionAccess', () => {
  it('creates a pending request', async () => {
    const { apply, call } = await sandboxed()
    const { status, result } = await apply()
    expect(status).toBe(201)
    expect(result).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), status: 'pending' })
    expect((await call('getProductionAccess')).result.requestStatus).toBe('pending')
  })

  it('reports all violations at once', async () => {
    const { apply } = await sandboxed()
    const { status, error } = await apply({ volume: 0, website: 'javascript:alert(1)', whyBluefox: ' ', size: 1 })
    expect(status).toBe(400)
    for (const field of [
      'volume',
      'website',
      'whyBluefox',
      'typeOfEmails',
      'contactsSource',
      'productDescription',
      'size',
    ])
      expect(error?.message).toContain(field)
  })

  it('requires a domain with verified SPF, MX and DKIM records, and only DKIM when applying again', async () => {
    const { apply, projectId } = await sandboxed({ mx: false })
    expect(refusal(await apply())).toContain('400 Production access needs a domain whose SPF, MX and DKIM records')
    const { domains } = world.ports.repositories
    await domains.change({ projectId }, (domain) => ({ ...domain, observed: anObservedDns({}) }))
    expect((await apply()).status).toBe(201)
    await world.core.accessReviews.decline(projectId)
    await domains.change({ projectId }, (domain) => ({ ...domain, observed: anObservedDns({ mx: false, spf: false }) }))
    expect((await apply()).status).toBe(201)
  })

  it('is refused while a request is pending or approved', async () => {
    const { apply, projectId } = await sandboxed()
    await apply()
    expect(refusal(await apply())).toBe('400 The production access is pending already.')
    await world.core.accessReviews.approve(projectId)
    expect(refusal(await apply())).toBe('400 The production access is approved already.')
    await world.core.accessReviews.revoke(projectId)
    expect((await apply()).status).toBe(201)
  })

  it('is refused with another project’s key', async () => {
    const { projectId } = await sandboxed()
    const answer = await world.call('applyForProductionAccess', { params: { projectId }, body: application })
    expect(answer.status).toBe(403)
  })
})

describe('requestLimitIncrease', () => {
  it('records the request without changing the limit', async () => {
    const { askForMore } = await approved()
    const { status, result } = await askForMore({ monthlyLimit: 0, reason: 'There is no end to it' })
    expect(status).toBe(200)
    expect(result).toMatchObject({ monthlyLimit: 50_000, limitIncreases: [{ requestedLimit: 0, status: 'pending' }] })
  })

  it.each([
    [{ ...increase, monthlyLimit: 50_000 }, '400 monthlyLimit: expected more than the current 50000, or 0'],
    [{ ...increase, monthlyLimit: -1 }, '400 monthlyLimit: '],
    [{ ...increase, reason: 'too short' }, '400 reason: '],
    [{ monthlyLimit: 80_000 }, '400 '],
  ])('rejects %j', async (body, message) => {
    const { askForMore } = await approved()
    expect(refusal(await askForMore(body))).toContain(message)
  })

  it('is refused while one is pending, and in the sandbox', async () => {
    const { askForMore } = await approved()
    await askForMore()
    expect(refusal(await askForMore())).toBe('400 A limit increase is pending already.')
    const { call } = await sandboxed()
    expect(refusal(await call('requestLimitIncrease', { body: increase }))).toBe(
      '400 Limit increases are for projects in production; There is no production-access request yet.',
    )
  })

  it('is refused with another project’s key', async () => {
    const { projectId } = await approved()
    const answer = await world.call('requestLimitIncrease', { params: { projectId }, body: increase })
    expect(answer.status).toBe(403)
  })
})
