import { type Core, createCore } from '@posthorn/core'
import { aDomain, anObservedDns, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import type { Request } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleApiRoutes } from '../../src/console/rows.js'
import { httpApp } from '../../src/index.js'
import { testClient } from '../../src/testing.js'
import { aWorld, unlimited, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, consoleBrowser, password, tokenIn } from './browser.js'

const operatorRows = consoleApiRoutes.filter(({ auth }) => auth === 'operator')

const reached = async (browser: ConsoleBrowser, id: string): Promise<readonly string[]> => {
  const open: string[] = []
  for (const row of operatorRows) {
    const at = row.path.slice('/console/api'.length).replace('{id}', id)
    const { status } = await browser.call(row.method.toUpperCase(), at, row.method === 'get' ? undefined : {})
    if (status !== 401 && status !== 403) open.push(`${row.id}: ${status}`)
  }
  return open
}

const application = {
  volume: 50_000,
  whyBluefox: 'Self-hosted',
  typeOfEmails: 'Receipts',
  contactsSource: 'Customers',
  productDescription: 'A shop',
  website: 'https://shop.example.com',
}

describe('the rows of operators', () => {
  let world: World
  let operator: ConsoleBrowser
  let manager: ConsoleBrowser
  let owner: ConsoleBrowser
  let projectId = ''
  let accountId = ''

  const joined = async (role: string, within: string) => {
    const { result } = await operator.call<{ link: string }>('POST', `/projectId/${projectId}/people/invitations`, {
      email: `${role}@example.com`,
      role,
      within,
      password,
    })
    const browser = consoleBrowser(world.client.base)
    await browser.call('POST', '/invitations/accept', { token: tokenIn(result.link), name: role, password })
    return browser
  }

  beforeAll(async () => {
    world = await aWorld()
    operator = await anOwner(world)
    projectId = world.project.project._id
    accountId = world.project.account._id
    manager = await joined('manager', 'project')
    owner = await joined('owner', 'account')
  })
  afterAll(() => world.client.close())

  it('are all the rows below /operator, and name no project of the session', () => {
    const below = consoleApiRoutes.filter(({ path }) => path.startsWith('/console/api/operator'))
    expect(below).toEqual(operatorRows)
    expect(below.length).toBeGreaterThan(10)
    expect(below.some(({ path }) => path.includes('{projectId}'))).toBe(false)
  })

  it('refuse owners, managers and strangers', async () => {
    for (const browser of [owner, manager, consoleBrowser(world.client.base)])
      for (const id of [projectId, accountId]) expect(await reached(browser, id)).toEqual([])
    expect((await operator.call('GET', '/operator/projects')).status).toBe(200)
  })

  it('refuse an operator as soon as the mark is taken', async () => {
    const { persons } = world.ports.repositories
    const mark = (is: boolean) => persons.change({ emailKey: 'olga@example.com' }, (one) => ({ ...one, operator: is }))
    await mark(false)
    expect(await reached(operator, projectId)).toEqual([])
    await mark(true)
    expect((await operator.call('GET', '/operator/server')).status).toBe(200)
  })

  const lastEntries = async (n: number) => {
    const all = []
    for await (const one of world.ports.repositories.auditEntries.each({})) all.push(one)
    return all.slice(-n)
  }

  it('add credit, on the record of the account’s projects', async () => {
    const at = `/operator/accounts/${accountId}`
    const before = (await operator.call<{ credits: number }>('GET', at)).result.credits
    for (const credits of [0, -5, 1.5, '10'])
      expect((await operator.call('POST', `${at}/credit`, { credits })).status).toBe(400)
    const { result } = await operator.call<{ credits: number }>('POST', `${at}/credit`, { credits: 500 })
    expect(result.credits).toBe(before + 500)
    expect((await operator.call('POST', '/operator/accounts/none/credit', { credits: 1 })).status).toBe(404)
    expect(await lastEntries(1)).toMatchObject([
      {
        action: 'addCredit',
        byName: 'Olga',
        record: accountId,
        projectId,
        after: { added: 500, credits: before + 500 },
      },
    ])
  })

  it('find projects and accounts by a part of their name, in pages', async () => {
    const made = await world.core.accounts.create({ name: 'Kestrel Books' })
    await world.core.projects.create({ accountId: made._id, name: 'Advent letters' })
    type Found = { items: readonly { name: string; accountName: string; projects: number }[]; count: number }
    const list = async (path: string) => (await operator.call<Found>('GET', path)).result
    expect(await list('/operator/projects?search=VENT')).toMatchObject({
      items: [{ name: 'Advent letters', accountName: 'Kestrel Books', status: 'sandbox', credits: 0, sent: 0 }],
      count: 1,
    })
    expect(await list('/operator/accounts?search=kestrel')).toMatchObject({ items: [{ projects: 1 }], count: 1 })
    expect((await list(`/operator/projects?accountId=${made._id}`)).count).toBe(1)
    const first = await list('/operator/projects?limit=1')
    expect([first.items.length, first.count]).toEqual([1, 2])
    expect((await list('/operator/projects?skip=1&limit=1')).items).not.toEqual(first.items)
    expect((await list('/operator/projects?search=none')).items).toEqual([])
    expect((await operator.call('GET', '/operator/projects?limit=x')).status).toBe(400)
  })

  it('restrict a project and lift it, in its audit log', async () => {
    const at = `/operator/projects/${projectId}`
    expect((await operator.call('POST', `${at}/restrict`, { reason: ' ' })).status).toBe(400)
    expect((await operator.call('POST', `${at}/unrestrict`, {})).status).toBe(405)
    expect((await operator.call('POST', `${at}/restrict`, { reason: 'Spam traps' })).status).toBe(200)
    const restricted = await operator.call<{ count: number }>('GET', '/operator/projects?restricted=true')
    expect(restricted.result.count).toBe(1)
    expect((await operator.call('POST', `${at}/unrestrict`, {})).status).toBe(200)
    expect(await lastEntries(2)).toMatchObject([
      { action: 'restrictProject', projectId, after: { restricted: true, restrictedReason: 'Spam traps' } },
      { action: 'unrestrictProject', projectId, after: { restricted: false } },
    ])
  })

  it('say what the server does, without checks if another program runs the engine', async () => {
    const { result } = await operator.call('GET', '/operator/server')
    expect(result).toMatchObject({ hasChecks: false, isPaused: false, channels: [], unreadEvents: 0 })
    expect((await operator.call('GET', '/operator/server/checks')).status).toBe(404)
  })
})

describe('reviews', () => {
  it('wait until they are decided, and the applicant reads the answer', async () => {
    const checks = [{ what: 'store', ok: false, says: 'is gone', todo: 'start it' }]
    const report = {
      version: '1',
      store: 'memory',
      node: '24',
      mailer: 'outbox',
      roles: ['api'],
      startedAt: new Date(0).toISOString(),
    }
    const world = await aWorld({ serverReports: { report: async () => report, check: async () => checks } })
    const operator = await anOwner(world)
    const { _id: accountId } = world.project.account
    const { _id: projectId } = await world.core.projects.create({ accountId, name: 'New' })
    await world.ports.repositories.domains.add(
      aDomain({ projectId, domain: 'shop.example.com', observed: anObservedDns({}) }),
    )
    const scope = { projectId, caller: 'api-key' } as const
    await world.core.productionAccess.apply(scope, application)
    type Reviews = { items: readonly { _id: string; request: object }[]; count: number }
    const waiting = async () => (await operator.call<Reviews>('GET', '/operator/reviews')).result
    expect(await waiting()).toMatchObject({
      items: [
        {
          _id: projectId,
          request: { status: 'pending', application },
          domains: [{ domain: 'shop.example.com', verified: true }],
          bounce: { rate: 0 },
        },
      ],
      count: 1,
    })
    const at = `/operator/projects/${projectId}`
    expect((await operator.call('POST', `${at}/access/approve`, { monthlyLimit: -1 })).status).toBe(400)
    const declined = await operator.call('POST', `${at}/access/decline`, { answer: 'Which contacts?' })
    expect(declined.result).toMatchObject({ status: 'declined', answer: 'Which contacts?' })
    expect((await waiting()).count).toBe(0)
    expect((await operator.call('POST', `${at}/access/decline`, {})).status).toBe(405)
    await world.core.productionAccess.apply(scope, application)
    await operator.call('POST', `${at}/access/approve`, { answer: 'Welcome', monthlyLimit: 1000 })
    const status = () => world.core.productionAccess.status(scope)
    expect(await status()).toMatchObject({ requestStatus: 'approved', answer: 'Welcome', monthlyLimit: 1000 })

    await world.core.productionAccess.requestLimitIncrease(scope, { monthlyLimit: 5000, reason: 'We have grown' })
    expect((await waiting()).count).toBe(1)
    await operator.call('POST', `${at}/limit/approve`, { answer: 'Step by step', monthlyLimit: 2000 })
    expect(await status()).toMatchObject({
      monthlyLimit: 2000,
      limitIncreases: [{ status: 'approved', answer: 'Step by step' }],
    })
    expect((await operator.call('POST', `${at}/limit`, { monthlyLimit: 3000 })).status).toBe(200)
    expect((await status()).monthlyLimit).toBe(3000)
    const decided = await operator.call<Reviews>('GET', '/operator/reviews?state=decided')
    expect(decided.result.items[0]).toMatchObject({ _id: projectId })
    const audit = await world.core.people.audit.list(scope, { limit: 50 })
    expect(audit.items.map(({ action, byName }) => `${action} by ${byName}`)).toEqual(
      ['declineProductionAccess', 'approveProductionAccess', 'approveLimitIncrease', 'setMonthlyLimit']
        .map((action) => `${action} by Olga`)
        .toReversed(),
    )
    expect((await operator.call('GET', '/operator/server')).result).toMatchObject({ hasChecks: true, server: report })
    expect((await operator.call('GET', '/operator/server/checks')).result).toEqual({ checks })
    await world.client.close()
  })
})

describe('an application that signs people in', () => {
  it('decides who is an operator', async () => {
    const { ports } = inMemoryPorts()
    const core: Core = createCore(ports)
    const { project } = await sampleProject(core)
    const app = httpApp({
      core,
      publicUrl: ports.settings.publicUrl,
      log: ports.log,
      rateLimits: unlimited,
      authenticate: async (request: Request) => {
        const id = request.get('X-Own-User')
        if (id === undefined) return undefined
        const memberships = [{ accountId: await core.accountOf(project._id), role: 'owner' as const }]
        return { id, email: `${id}@example.com`, name: id, memberships, ...(id === 'operator' && { operator: true }) }
      },
    })
    const client = await testClient(app)
    const as = (id: string) => consoleBrowser(client.base, { 'sec-fetch-site': 'same-origin', 'x-own-user': id })
    expect(await reached(as('owner'), project._id)).toEqual([])
    expect((await as('operator').call('GET', '/operator/projects')).status).toBe(200)
    await client.close()
  })
})
