import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleApiRoutes } from '../../src/console/rows.js'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, consoleBrowser } from './browser.js'

/** What a page of somebody else makes a browser send with the cookie. */
const foreignPages: readonly [name: string, headers: Readonly<Record<string, string>>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of the site', { 'sec-fetch-site': 'same-site' }],
  ['another site with a forged Origin', { 'sec-fetch-site': 'cross-site', origin: 'https://mail.example.com' }],
  ['another Origin', { origin: 'https://evil.example' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['an address that was typed', { 'sec-fetch-site': 'none' }],
  ['a browser that states nothing', {}],
]

describe('every row of the console', () => {
  let world: World
  let owner: ConsoleBrowser
  let projectId = ''

  beforeAll(async () => {
    world = await aWorld()
    owner = await anOwner(world)
    projectId = world.project.project._id
  })
  afterAll(() => world.client.close())

  const ask = (
    browser: ConsoleBrowser,
    { method, path }: (typeof consoleApiRoutes)[number],
    headers?: Readonly<Record<string, string>>,
  ) => {
    const at = path
      .slice('/console/api'.length)
      .replace('{projectId}', projectId)
      .replace(/\{\w+\}/g, 'none')
    return browser.call(method.toUpperCase(), at, method === 'get' || method === 'delete' ? undefined : {}, headers)
  }

  it.each(foreignPages)('refuses %s', async (_name, headers) => {
    const open: string[] = []
    for (const row of consoleApiRoutes) {
      const { status, error } = await ask(owner, row, headers)
      if (status !== 403 || !/must come from its own pages/.test(error?.message ?? ''))
        open.push(`${row.id}: ${status}`)
    }
    expect(open).toEqual([])
    expect((await owner.call('GET', '/session')).status).toBe(200)
  })

  it('needs a session, except for signing in', async () => {
    const open: string[] = []
    for (const row of consoleApiRoutes.filter(({ auth }) => auth !== 'console')) {
      for (const cookie of ['', `${owner.cookie().split('=')[0]}=${'A'.repeat(43)}`]) {
        const stranger = consoleBrowser(world.client.base)
        stranger.take(cookie)
        const { status } = await ask(stranger, row)
        if (status !== 401) open.push(`${row.id}: ${status}`)
      }
    }
    expect(open).toEqual([])
  })

  it('is neither cached, framed, guessed at nor readable by other sites', async () => {
    const wrong: string[] = []
    // Those that end the session come last.
    const rows = [...consoleApiRoutes].sort((a, b) => Number(a.id === 'signOut') - Number(b.id === 'signOut'))
    for (const row of rows) {
      const { status, headers } = await ask(owner, row)
      const at = `${row.id} (${status})`
      if (!/no-store/.test(headers.get('cache-control') ?? '')) wrong.push(`${at}: ${headers.get('cache-control')}`)
      if (!/frame-ancestors 'none'/.test(headers.get('content-security-policy') ?? ''))
        wrong.push(`${at} may be framed`)
      if (headers.get('x-content-type-options') !== 'nosniff') wrong.push(`${at}: its type is guessed`)
      if (headers.get('access-control-allow-origin') !== null) wrong.push(`${at}: other sites may read it`)
    }
    expect(wrong).toEqual([])
  })
})
