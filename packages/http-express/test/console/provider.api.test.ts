import { fakeIdentityProvider } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from '../world.js'
import { anOwner, type ConsoleBrowser, consoleBrowser, password } from './browser.js'

const roles = [
  { value: 'owners', role: 'owner' },
  { value: 'writers', role: 'writer' },
] as const

let world: World
afterEach(() => world.client.close())

const start = async (settings: { readonly publicUrl?: string; readonly passwords?: boolean } = {}) => {
  const { passwords = true, ...more } = settings
  const provider = fakeIdentityProvider()
  const identityProvider = { name: 'Example', claim: 'groups', passwords, roles }
  world = await aWorld({ identityProvider: provider, settings: { ...more, identityProvider } })
  const ada = {
    subject: 'ada',
    claims: { email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['writers'] },
  }
  /** A browser that keeps each cookie by its name. */
  const aBrowser = () => {
    const cookies = new Map<string, string>()
    const browser = consoleBrowser(world.client.base)
    const call = async (...given: Parameters<ConsoleBrowser['call']>) => {
      browser.take([...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
      const seen = await browser.call<Record<string, never>>(...given)
      for (const cookie of seen.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return seen
    }
    return { cookies, call }
  }
  type Browser = ReturnType<typeof aBrowser>
  const leave = async (browser: Browser) => String((await browser.call('POST', '/sign-in/provider')).result.url)
  const comeBack = (browser: Browser, answer: string) => browser.call('POST', '/sign-in/callback', { answer })
  const enter = async (browser: Browser, account = ada) =>
    comeBack(browser, provider.answer(await leave(browser), account))
  return { provider, ada, aBrowser, leave, comeBack, enter }
}

describe('signing in by the identity provider', () => {
  it('says how people sign in, without a session', async () => {
    const { aBrowser } = await start({ passwords: false })
    expect((await aBrowser().call('GET', '/sign-in')).result).toEqual({ passwords: false, provider: 'Example' })
    await world.client.close()
    world = await aWorld()
    expect((await consoleBrowser(world.client.base).call('GET', '/sign-in')).result).toEqual({ passwords: true })
  })

  it('opens a normal session with a new cookie, and takes the other one away', async () => {
    const { aBrowser, leave, comeBack, provider, ada } = await start()
    const browser = aBrowser()
    const left = await browser.call('POST', '/sign-in/provider')
    expect(left.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-posthorn-sign-in=[\w-]+; HttpOnly; Secure; SameSite=Strict; Max-Age=600; Path=\/$/,
      ),
    ])
    const seen = await comeBack(browser, provider.answer(await leave(browser), ada))
    expect(seen.result).toMatchObject({
      person: { email: 'ada@example.com', external: true },
      projects: [{ role: 'writer' }],
    })
    expect(seen.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-posthorn-sign-in=; .*Max-Age=0/),
      expect.stringMatching(/^__Host-posthorn=[\w-]{43}; HttpOnly; Secure; SameSite=Lax; Path=\/$/),
    ])
    const { result } = await browser.call('GET', '/sessions')
    expect(result.items).toMatchObject([{ current: true }])
  })

  it('ends the session that the browser had before', async () => {
    const { aBrowser, enter } = await start()
    const browser = aBrowser()
    await enter(browser)
    const before = browser.cookies.get('__Host-posthorn') ?? ''
    await enter(browser)
    const thief = consoleBrowser(world.client.base)
    thief.take(`__Host-posthorn=${before}`)
    expect((await thief.call('GET', '/session')).status).toBe(401)
  })

  it.each([
    ['', 'https://posthorn.example.com'],
    ['below a path', 'https://example.com/mail/console-here'],
  ])('comes back to the public URL, %s', async (_, publicUrl) => {
    const { aBrowser, leave } = await start({ publicUrl })
    expect(new URL(await leave(aBrowser())).searchParams.get('redirect_uri')).toBe(
      `${publicUrl}/console/sign-in/callback`,
    )
  })

  it('refuses the answer to somebody else’s visit (login CSRF), and keeps the session', async () => {
    const { aBrowser, leave, comeBack, enter, provider, ada } = await start()
    const attacker = aBrowser()
    const victim = aBrowser()
    await enter(victim, { ...ada, subject: 'vera', claims: { ...ada.claims, email: 'vera@example.com' } })
    const answer = provider.answer(await leave(attacker), ada)
    expect((await comeBack(victim, answer)).error?.code).toBe('sign-in-expired')
    await leave(victim)
    expect((await comeBack(victim, answer)).error?.code).toBe('sign-in-expired')
    expect((await victim.call('GET', '/session')).result).toMatchObject({ person: { email: 'vera@example.com' } })
  })

  it('refuses a second use, even with the cookie of the first', async () => {
    const { aBrowser, leave, comeBack, provider, ada } = await start()
    const browser = aBrowser()
    const url = await leave(browser)
    const flow = browser.cookies.get('__Host-posthorn-sign-in') ?? ''
    const answers = [provider.answer(url, ada), provider.answer(url, ada)]
    expect((await comeBack(browser, answers[0] ?? '')).status).toBe(200)
    for (const answer of answers) {
      browser.cookies.set('__Host-posthorn-sign-in', flow)
      expect((await comeBack(browser, answer)).error?.code).toBe('sign-in-expired')
    }
  })

  it('begins and ends on pages of the console only', async () => {
    const { aBrowser } = await start()
    for (const page of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}])
      for (const path of ['/sign-in/provider', '/sign-in/callback', '/me/provider'])
        expect((await aBrowser().call('POST', path, { answer: '' }, page as Record<string, string>)).status).toBe(403)
  })

  it('has no way to name an address to go to', async () => {
    const { aBrowser, comeBack, leave, provider, ada } = await start()
    const browser = aBrowser()
    const left = await browser.call('POST', '/sign-in/provider?redirect=https://evil.example', {
      redirect_uri: 'https://evil.example',
    })
    expect(left.status).not.toBe(200)
    const answer = `${provider.answer(await leave(browser), ada)}&redirect_uri=https://evil.example&next=//evil.example`
    const seen = await comeBack(browser, answer)
    expect([seen.status, seen.headers.get('location')]).toEqual([200, null])
    expect(JSON.stringify(seen.result)).not.toContain('evil')
  })

  it.each([
    ['unreachable', 503, 'provider-unreachable'],
    ['misconfigured', 503, 'provider-misconfigured'],
    ['denied', 401, 'provider-denied'],
    ['invalid', 401, 'provider-invalid'],
  ] as const)('says what happened if the provider is %s', async (reason, status, code) => {
    const { aBrowser, leave, comeBack, provider, ada } = await start()
    const browser = aBrowser()
    const answer = provider.answer(await leave(browser), ada)
    provider.fail(reason)
    const seen = await comeBack(browser, answer)
    expect([seen.status, seen.error?.code]).toEqual([status, code])
    expect(seen.headers.getSetCookie()).toEqual([expect.stringMatching(/-sign-in=; .*Max-Age=0/)])
  })

  it('does not exist without a provider', async () => {
    world = await aWorld()
    const browser = consoleBrowser(world.client.base)
    expect((await browser.call('POST', '/sign-in/provider')).status).toBe(405)
    expect((await browser.call('POST', '/sign-in/callback', { answer: '' })).status).toBe(405)
  })
})

describe('connecting the identity provider', () => {
  it('needs a session, rotates it, and ends the password', async () => {
    const { aBrowser, comeBack, provider, ada } = await start()
    await anOwner(world)
    const browser = aBrowser()
    expect((await browser.call('POST', '/me/provider')).status).toBe(401)
    await browser.call('POST', '/session', { email: 'olga@example.com', password })
    const before = browser.cookies.get('__Host-posthorn')
    const url = String((await browser.call('POST', '/me/provider')).result.url)
    const claims = { ...ada.claims, email: 'olga@example.com', groups: ['owners'] }
    const seen = await comeBack(browser, provider.answer(url, { subject: 'o-1', claims }))
    expect(seen.result).toMatchObject({ person: { email: 'olga@example.com', external: true } })
    expect(browser.cookies.get('__Host-posthorn')).not.toBe(before)
    const again = await browser.call('POST', '/session', { email: 'olga@example.com', password })
    expect(again.status).toBe(401)
  })

  it('is of no use to somebody else’s browser', async () => {
    const { aBrowser, comeBack, provider, ada } = await start()
    await anOwner(world)
    const browser = aBrowser()
    await browser.call('POST', '/session', { email: 'olga@example.com', password })
    const url = String((await browser.call('POST', '/me/provider')).result.url)
    browser.cookies.delete('__Host-posthorn')
    const claims = { ...ada.claims, email: 'olga@example.com', groups: ['owners'] }
    expect((await comeBack(browser, provider.answer(url, { subject: 'o-1', claims }))).status).toBe(401)
  })
})

describe('an installation without passwords', () => {
  it('refuses a password, with a sentence that names the provider', async () => {
    const { aBrowser } = await start({ passwords: false })
    const seen = await aBrowser().call('POST', '/session', { email: 'olga@example.com', password })
    expect([seen.status, seen.error?.message]).toEqual([405, expect.stringContaining('Example signs people in here')])
  })
})
