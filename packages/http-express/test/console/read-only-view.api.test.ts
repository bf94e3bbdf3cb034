import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consoleApiRoutes } from '../../src/console/rows.js'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, password } from './browser.js'

const hour = 60 * 60_000
const readable = ['project.read', 'figures.read', 'addresses.read']
const rows = consoleApiRoutes.filter(({ auth, path }) => auth === 'person' && path.includes('{projectId}'))

describe('an operator’s read-only view of a project of others', () => {
  let world: World
  let operator: ConsoleBrowser
  let theirs = ''

  beforeEach(async () => {
    world = await aWorld()
    operator = await anOwner(world)
    const { _id } = await world.core.accounts.create({ name: 'Somebody else' })
    theirs = (await world.core.projects.create({ accountId: _id, name: 'Theirs' }))._id
  })
  afterEach(() => world.client.close())

  const begin = (body: object = { reason: 'They asked why a mail is late', password }) =>
    operator.call<{ until: string }>('POST', `/operator/projects/${theirs}/view`, body)

  const statusOf = async ({ method, path }: (typeof rows)[number]) => {
    const at = path
      .slice('/console/api'.length)
      .replace('{projectId}', theirs)
      .replace(/\{\w+\}/g, 'none')
    return (await operator.call(method.toUpperCase(), at, method === 'get' || method === 'delete' ? undefined : {}))
      .status
  }
  const contacts = () => operator.call('GET', `/projectId/${theirs}/contacts`)

  const entries = async () => {
    const all = []
    for await (const one of world.ports.repositories.auditEntries.each({ projectId: theirs })) all.push(one)
    return all
  }

  it('opens every row that reads, and none that changes, exports or shows settings', async () => {
    const open = async () => {
      const found: string[] = []
      for (const row of rows) if ((await statusOf(row)) !== 403) found.push(row.id)
      return found
    }
    expect(await open()).toEqual([])
    expect((await begin()).status).toBe(201)
    expect(await open()).toEqual(rows.filter(({ permission }) => readable.includes(permission)).map(({ id }) => id))
  })

  it('permits no request but those that only compute, and the operator’s own views and notices', () => {
    const others = rows.filter(({ method, permission }) => method !== 'get' && readable.includes(permission))
    expect(others.map(({ id }) => id).filter((id) => !/^(preview|render)/.test(id))).toEqual([
      'createSavedView',
      'renameSavedView',
      'deleteSavedView',
      'changeNotices',
    ])
  })

  it('needs the password and a reason, and is in the audit log of the project', async () => {
    expect((await begin({ reason: 'x', password: 'wrong' })).status).toBe(401)
    expect((await begin({ reason: ' ', password })).status).toBe(400)
    expect((await contacts()).status).toBe(403)
    expect(await entries()).toEqual([])
    const { result } = await begin()
    expect(await entries()).toMatchObject([
      { action: 'beginReadOnlyView', by: 'person', byName: 'Olga', after: { until: result.until } },
    ])
    expect(JSON.stringify(await entries())).toContain('why a mail is late')
    expect((await operator.call('DELETE', '/operator/view')).status).toBe(200)
    expect((await contacts()).status).toBe(403)
    expect((await entries()).map(({ action }) => action)).toEqual(['beginReadOnlyView', 'endReadOnlyView'])
  })

  it('ends by itself after an hour, with the mark, and when another begins', async () => {
    await begin()
    const session = await operator.call<{ projects: readonly object[] }>('GET', '/session')
    expect(session.result.projects).toContainEqual(expect.objectContaining({ _id: theirs, permissions: readable }))
    world.clock.advance(hour - 1)
    expect((await contacts()).status).toBe(200)
    world.clock.advance(1)
    expect((await contacts()).status).toBe(403)

    await begin()
    const { persons } = world.ports.repositories
    const mark = (is: boolean) => persons.change({ emailKey: 'olga@example.com' }, (one) => ({ ...one, operator: is }))
    await mark(false)
    expect((await contacts()).status).toBe(403)
    await mark(true)
    expect((await contacts()).status).toBe(200)
    const own = world.project.project._id
    await operator.call('POST', `/operator/projects/${own}/view`, { reason: 'Another', password })
    expect((await contacts()).status).toBe(403)
  })
})
