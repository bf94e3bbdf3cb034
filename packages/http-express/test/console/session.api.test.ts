import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, consoleBrowser, password, tokenIn } from './browser.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

describe('setting up', () => {
  it('creates the owner with the printed link, which works once', async () => {
    const browser = consoleBrowser(world.client.base)
    const token = tokenIn(await world.core.people.setupLink())
    const input = { token, email: 'first@example.com', name: 'First', password }
    const seen = await browser.call('POST', '/setup', input)
    expect(seen.status).toBe(200)
    expect(seen.result).toMatchObject({
      person: { email: 'first@example.com', operator: true, totp: false },
      projects: [{ _id: world.project.project._id, role: 'owner', accountName: 'Sample' }],
    })
    expect(seen.headers.get('set-cookie')).toMatch(
      /^__Host-posthorn=[\w-]{43}; HttpOnly; Secure; SameSite=Lax; Path=\/$/,
    )
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect((await consoleBrowser(world.client.base).call('POST', '/setup', input)).status).toBe(401)
    expect(await world.core.people.setupLink()).toBeUndefined()
  })

  it('refuses a weak password and leaves the link usable', async () => {
    const fresh = await aWorld()
    const token = tokenIn(await fresh.core.people.setupLink())
    const browser = consoleBrowser(fresh.client.base)
    const weak = await browser.call('POST', '/setup', { token, email: 'a@example.com', name: 'A', password: 'short' })
    expect(weak.status).toBe(400)
    expect((await browser.call('POST', '/setup', { token, email: 'a@example.com', name: 'A', password })).status).toBe(
      200,
    )
    await fresh.client.close()
  })
})

describe('signing in', () => {
  const email = 'first@example.com'

  it('gives the person, a new session each time, and ends the earlier one', async () => {
    const browser = consoleBrowser(world.client.base)
    expect((await browser.call('GET', '/session')).error?.name).toBe('AUTHENTICATION_ERROR')
    await browser.call('POST', '/session', { email, password })
    const first = browser.cookie()
    expect((await browser.call('GET', '/session')).status).toBe(200)
    await browser.call('POST', '/session', { email: 'FIRST@example.com', password })
    expect(browser.cookie()).not.toBe(first)
    const thief = consoleBrowser(world.client.base)
    thief.take(first)
    expect((await thief.call('GET', '/session')).status).toBe(401)
  })

  it('never takes over a session that somebody else chose', async () => {
    const browser = consoleBrowser(world.client.base)
    browser.take(`__Host-posthorn=${'A'.repeat(43)}`)
    await browser.call('POST', '/session', { email, password })
    expect(browser.cookie()).not.toContain('AAAA')
    const other = consoleBrowser(world.client.base)
    other.take(`__Host-posthorn=${'A'.repeat(43)}`)
    expect((await other.call('GET', '/session')).status).toBe(401)
  })

  it('answers a wrong address and a wrong password with the same words', async () => {
    const browser = consoleBrowser(world.client.base)
    const unknown = await browser.call('POST', '/session', { email: 'nobody@example.com', password })
    const wrong = await browser.call('POST', '/session', { email, password: 'something else' })
    const odd = await browser.call('POST', '/session', { email: 'not an address', password: '' })
    expect([unknown.status, wrong.status, odd.status]).toEqual([401, 401, 401])
    expect(new Set([unknown, wrong, odd].map(({ error }) => JSON.stringify(error))).size).toBe(1)
    expect(wrong.headers.get('set-cookie')).toBeNull()
  })

  it('ends with signing out', async () => {
    const browser = consoleBrowser(world.client.base)
    await browser.call('POST', '/session', { email, password })
    const before = browser.cookie()
    await browser.call('DELETE', '/session')
    browser.take(before)
    expect((await browser.call('GET', '/session')).status).toBe(401)
  })

  it('ends after 12 hours without a request', async () => {
    const browser = consoleBrowser(world.client.base)
    await browser.call('POST', '/session', { email, password })
    world.clock.advance(11 * 3_600_000)
    expect((await browser.call('GET', '/session')).status).toBe(200)
    world.clock.advance(11 * 3_600_000)
    expect((await browser.call('GET', '/session')).status).toBe(200)
    world.clock.advance(12 * 3_600_000)
    expect((await browser.call('GET', '/session')).status).toBe(401)
  })

  it('ends after 7 days in any case', async () => {
    const browser = consoleBrowser(world.client.base)
    await browser.call('POST', '/session', { email, password })
    const statuses: number[] = []
    for (let hours = 0; hours < 7 * 24; hours += 8) {
      statuses.push((await browser.call('GET', '/session')).status)
      world.clock.advance(8 * 3_600_000)
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await browser.call('GET', '/session')).status).toBe(401)
  })

  it('slows down after many wrong passwords, whoever’s they are', async () => {
    const fresh = await aWorld()
    await anOwner(fresh)
    const browser = consoleBrowser(fresh.client.base)
    const statuses: number[] = []
    for (let i = 0; i < 15; i += 1)
      statuses.push((await browser.call('POST', '/session', { email: `${i}@example.com`, password })).status)
    expect(statuses.filter((one) => one === 401).length).toBeLessThanOrEqual(10)
    expect(statuses.at(-1)).toBe(429)
    expect((await browser.call('POST', '/session', { email: 'olga@example.com', password })).status).toBe(429)
    await fresh.client.close()
  })
})

describe('sessions', () => {
  it('are listed and revoked, without anything that opens them', async () => {
    const fresh = await aWorld()
    const browser = await anOwner(fresh)
    const other = consoleBrowser(fresh.client.base)
    await other.call('POST', '/session', { email: 'olga@example.com', password })
    const { result } = await browser.call<{ items: { _id: string; current: boolean }[] }>('GET', '/sessions')
    expect(result.items).toHaveLength(2)
    expect(JSON.stringify(result)).not.toMatch(/digest|token/)
    const foreign = result.items.find(({ current }) => !current)
    expect((await browser.call('DELETE', `/sessions/${foreign?._id}`)).status).toBe(200)
    expect((await other.call('GET', '/session')).status).toBe(401)
    expect((await browser.call('DELETE', `/sessions/${foreign?._id}`)).status).toBe(404)
    await fresh.client.close()
  })

  it('other than this one end when the password changes', async () => {
    const fresh = await aWorld()
    const browser = await anOwner(fresh)
    const other = consoleBrowser(fresh.client.base)
    await other.call('POST', '/session', { email: 'olga@example.com', password })
    const wrong = await browser.call('POST', '/me/password', {
      password: 'wrong',
      newPassword: 'another long password',
    })
    expect(wrong.status).toBe(401)
    const changed = await browser.call('POST', '/me/password', { password, newPassword: 'another long password' })
    expect(changed.status).toBe(200)
    expect((await other.call('GET', '/session')).status).toBe(401)
    expect((await browser.call('GET', '/session')).status).toBe(200)
    await fresh.client.close()
  })
})

describe('a forgotten password', () => {
  it('gets the same response for every address, then 429', async () => {
    const fresh = await aWorld()
    await anOwner(fresh)
    const seen = []
    for (const address of ['olga@example.com', 'nobody@example.com', 'not an address']) {
      const browser = consoleBrowser(fresh.client.base)
      const { status, result, headers } = await browser.call('POST', '/reset-request', { email: address })
      seen.push(JSON.stringify({ status, result, cookie: headers.get('set-cookie') }))
    }
    expect(new Set(seen)).toEqual(new Set(['{"status":200,"result":{"mails":false},"cookie":null}']))
    const browser = consoleBrowser(fresh.client.base)
    const statuses = []
    for (let n = 0; n < 4; n += 1)
      statuses.push((await browser.call('POST', '/reset-request', { email: 'nobody@example.com' })).status)
    expect(statuses.at(-1)).toBe(429)
    await fresh.client.close()
  })

  it('is replaced by a link of the command line, which asks for the second factor only if one is left', async () => {
    const fresh = await aWorld()
    await anOwner(fresh)
    const token = tokenIn((await fresh.core.people.commands.reset('olga@example.com')).url)
    const browser = consoleBrowser(fresh.client.base)
    const reset = await browser.call('POST', '/reset', { token, password: 'another long password' })
    expect(reset.status).toBe(200)
    expect((await browser.call('GET', '/session')).status).toBe(200)
    expect((await browser.call('POST', '/reset', { token, password: 'another long password' })).status).toBe(401)
    await fresh.client.close()
  })
})

describe('requests of other sites', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }],
    ['another Origin', { origin: 'https://evil.example' }],
    ['the Origin null', { origin: 'null' }],
    ['neither header', {}],
    ['the right Origin but cross-site', { origin: 'https://posthorn.example.com', 'sec-fetch-site': 'cross-site' }],
  ]

  it.each(cases)('are refused: %s', async (_name, headers) => {
    const fresh = await aWorld()
    const browser = await anOwner(fresh)
    const path = `/projectId/${fresh.project.project._id}/campaigns`
    for (const [method, at, body] of [
      ['GET', path, undefined],
      ['POST', path, { name: 'x' }],
      ['GET', '/session', undefined],
      ['POST', '/session', { email: 'olga@example.com', password }],
      ['DELETE', '/session', undefined],
    ] as const) {
      const seen = await browser.call(method, at, body, headers)
      expect(seen.status).toBe(403)
      expect(seen.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect((await browser.call('GET', '/session')).status).toBe(200)
    await fresh.client.close()
  })

  it('are answered for the public URL’s own Origin, if the browser states no site', async () => {
    const fresh = await aWorld()
    const browser = await anOwner(fresh)
    expect((await browser.call('GET', '/session', undefined, { origin: 'https://posthorn.example.com' })).status).toBe(
      200,
    )
    await fresh.client.close()
  })
})

describe('the cookie', () => {
  it('opens nothing below /v1', async () => {
    const fresh = await aWorld()
    const browser = await anOwner(fresh)
    const url = `${fresh.client.base}/v1/projectId/${fresh.project.project._id}/campaigns`
    const response = await fetch(url, { headers: { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' } })
    expect(response.status).toBe(403)
    await fresh.client.close()
  })

  it('is the only credential of the console: an API key opens nothing there', async () => {
    const fresh = await aWorld()
    const browser = consoleBrowser(fresh.client.base)
    const seen = await browser.call('GET', `/projectId/${fresh.project.project._id}/campaigns`, undefined, {
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${fresh.project.key}`,
    })
    expect(seen.status).toBe(401)
    await fresh.client.close()
  })
})
