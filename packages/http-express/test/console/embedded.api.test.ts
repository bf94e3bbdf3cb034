import { createCore } from '@posthorn/core'
import type { RoleMembership } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import type { Request } from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { httpApp } from '../../src/index.js'
import { type TestClient, testClient } from '../../src/testing.js'
import { unlimited } from '../world.js'
import { type ConsoleBrowser, consoleBrowser, password } from './browser.js'

/** An application that signs people in by a header of its own. */
const anApplication = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const project = await sampleProject(core)
  const other = await core.projects.create({ accountId: project.account._id, name: 'Second' })
  let memberships: readonly RoleMembership[] = []
  let asked = 0
  const app = httpApp({
    core,
    publicUrl: ports.settings.publicUrl,
    log: ports.log,
    rateLimits: unlimited,
    authenticate: async (request: Request) => {
      asked += 1
      const id = request.get('X-Own-User')
      return id === undefined ? undefined : { id, email: `${id}@example.com`, name: id, memberships }
    },
  })
  const client: TestClient = await testClient(app)
  const browser = consoleBrowser(client.base, { 'sec-fetch-site': 'same-origin', 'x-own-user': 'ada' })
  return {
    core,
    ports,
    client,
    browser,
    accountId: project.account._id,
    projectId: project.project._id,
    otherId: other._id,
    asked: () => asked,
    permit: (next: readonly RoleMembership[]) => {
      memberships = next
    },
  }
}

describe('an application that signs people in', () => {
  let application: Awaited<ReturnType<typeof anApplication>>
  let ada: ConsoleBrowser
  beforeAll(async () => {
    application = await anApplication()
    ada = application.browser
  })
  beforeEach(() => application.permit([{ accountId: application.accountId, role: 'manager' }]))
  afterAll(() => application.client.close())

  const campaigns = (projectId = application.projectId) => `/projectId/${projectId}/campaigns`

  it('says who it is, in which projects, and that it signs people in', async () => {
    expect((await ada.call('GET', '/session')).result).toMatchObject({
      person: { email: 'ada@example.com', operator: false, totp: false },
      embedded: true,
      projects: [{ role: 'manager' }, { role: 'manager' }],
    })
  })

  it('asks nobody for a password, which people do not have here', async () => {
    const made = await ada.call('POST', `/projectId/${application.projectId}/api-keys`, { name: 'Shop' })
    expect([made.status, made.error]).toEqual([201, undefined])
  })

  it('decides at each request what the person may do', async () => {
    const { permit, accountId, projectId, otherId } = application
    expect((await ada.call('GET', campaigns())).status).toBe(200)
    permit([{ accountId, projectId, role: 'analyst' }])
    expect((await ada.call('GET', campaigns())).status).toBe(200)
    expect((await ada.call('GET', campaigns(otherId))).status).toBe(403)
    expect((await ada.call('POST', campaigns(), {})).status).toBe(403)
    permit([])
    expect((await ada.call('GET', campaigns())).status).toBe(403)
  })

  it('gets 401 for nobody', async () => {
    const nobody = { 'sec-fetch-site': 'same-origin' }
    expect((await ada.call('GET', campaigns(), undefined, nobody)).status).toBe(401)
    expect((await ada.call('GET', '/session', undefined, nobody)).status).toBe(401)
  })

  it('is not asked about requests of other sites, which are refused', async () => {
    const before = application.asked()
    const foreign = { 'sec-fetch-site': 'cross-site', 'x-own-user': 'ada' }
    expect((await ada.call('POST', campaigns(), {}, foreign)).status).toBe(403)
    expect(application.asked()).toBe(before)
  })

  it.each([
    ['POST', '/session', { email: 'ada@example.com', password }],
    ['DELETE', '/session', undefined],
    ['POST', '/setup', { token: 'x', email: 'ada@example.com', name: 'Ada', password }],
    ['POST', '/link', { token: 'x' }],
    ['POST', '/reset', { token: 'x', password }],
    ['POST', '/invitations/accept', { token: 'x', name: 'Ada', password }],
    ['GET', '/sessions', undefined],
    ['PATCH', '/me', { name: 'Ada' }],
    ['POST', '/me/password', { password, newPassword: password }],
    ['POST', '/me/totp', { password }],
    ['DELETE', '/me/totp', { password }],
  ])('has no sign-in of the console beside its own: %s %s', async (method, path, body) => {
    const seen = await ada.call(method, path, body)
    expect([seen.status, seen.error?.message]).toEqual([405, 'The application that embeds Posthorn signs people in.'])
    expect(seen.headers.get('set-cookie')).toBeNull()
  })

  it('is named in the audit log by its own id', async () => {
    const { projectId, ports } = application
    await ada.call('POST', `/projectId/${projectId}/subscriber-lists`, { name: 'News' })
    expect(await ports.repositories.auditEntries.get({ action: 'createSubscriberList' })).toMatchObject({
      by: 'person',
      byId: 'ada',
      byName: 'ada',
    })
  })
})
