import { createServer, request as httpRequest, type Server } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  freePort,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { certifiedProvider } from './certified-provider.js'

const password = 'correct horse battery'
const secret = 'a secret that only tests have: +/%'
/** Of a test that starts the server again, in ms. */
const restartTime = 180_000

/** Passes requests below `/mail` on, without that part of the path, as a reverse proxy does. */
const proxyTo = async (port: number, target: number): Promise<Server> => {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/^\/mail/, '') || '/'
    const { method, headers } = request
    const passed = httpRequest({ host: '127.0.0.1', port: target, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return server
}

describeInBrowser('signing in by a certified OpenID Connect provider, below a path', () => {
  const directory = temporaryDirectory()
  const people = new Map([
    ['ada', { email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['mail team'] }],
    ['olga', { email: 'olga@example.com', email_verified: true, name: 'Olga', groups: ['owners'] }],
    ['eve', { email: 'olga@example.com', email_verified: true, name: 'Eve', groups: ['owners'] }],
  ])
  let server: RunningServer
  let proxy: Server
  let provider: Awaited<ReturnType<typeof certifiedProvider>>
  let base = ''
  let setupLink = ''
  let browser: Browser
  let context: BrowserContext
  let page: Page

  const settings = (): Record<string, string> => ({
    POSTHORN_PUBLIC_URL: base,
    POSTHORN_OIDC_ISSUER: provider.issuer,
    POSTHORN_OIDC_CLIENT_ID: 'posthorn',
    POSTHORN_OIDC_CLIENT_SECRET: secret,
    POSTHORN_OIDC_NAME: 'Example ID',
    POSTHORN_OIDC_SCOPE: 'openid profile email groups',
    POSTHORN_OIDC_ROLES: 'mail team=writer; owners=owner',
  })
  const restart = async (more: Record<string, string> = {}) => {
    if (server) await stopServer(server)
    proxy?.close()
    proxy?.closeAllConnections()
    server = await startBuiltServer(directory.path, { ...settings(), ...more })
    proxy = await proxyTo(Number(new URL(base).port), Number(new URL(server.base).port))
  }
  const leave = async () => {
    await page.goto(`${base}/console`)
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
  }
  const signInThere = async (login: string) => {
    await page.getByPlaceholder('Enter any login').fill(login)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  const home = () => page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()
  const shoot = async (name: string) => {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` })
  }

  beforeAll(async () => {
    base = `http://localhost:${await freePort()}/mail`
    const client = {
      client_id: 'posthorn',
      client_secret: secret,
      redirect_uris: [`${base}/console/sign-in/callback`],
    }
    provider = await certifiedProvider(await freePort(), client, people)
    await restart()
    const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(server.printed()) ?? []
    setupLink = link
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await stopServer(server)
    await provider.close()
    proxy.close()
    directory.remove()
  })
  beforeEach(async () => {
    context = await browser.newContext({ locale: 'en-GB' })
    page = await context.newPage()
  })
  afterEach(() => context.close())

  it('prints the address to register, and opens the console for somebody with a role', async () => {
    expect(server.printed()).toContain(`${base}/console/sign-in/callback`)
    await leave()
    await signInThere('ada')
    await home()
    expect(page.url().startsWith(`${base}/console/`)).toBe(true)
    const cookies = await context.cookies(base)
    expect(cookies.filter(({ name }) => name.startsWith('posthorn-'))).toMatchObject([
      { httpOnly: true, sameSite: 'Lax' },
    ])
  })

  it('lets nobody in whose role is gone at the provider, and opens again when it is back', async () => {
    await leave()
    await signInThere('ada')
    await home()
    const ada = people.get('ada')
    if (!ada) throw new Error('Ada is gone')
    people.set('ada', { ...ada, groups: [] })
    await context.clearCookies({ name: /^posthorn-/ })
    await leave()
    await alert('Example ID gives you no role here. Ask the operator of this server')
    await shoot('provider-no-role')
    people.set('ada', ada)
    await page.getByRole('link', { name: 'Back to signing in' }).click()
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await home()
  })

  it('says what to do after a refusal at the provider, and after the same answer again', async () => {
    await page.goto(`${base}/console`)
    await shoot('provider-sign-in')
    await leave()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await alert('Example ID did not sign you in. Try again')
    expect(page.url()).toBe(`${base}/console/sign-in/callback`)
    let answer = ''
    page.on('request', (request) => {
      if (request.url().includes('code=')) answer = request.url()
    })
    await leave()
    await signInThere('ada')
    await home()
    await page.goto(answer)
    await alert('This sign-in has expired, was used already, or began in another browser.')
  })

  it('gives nobody an existing account by its address, until its owner connects it', async () => {
    await page.goto(setupLink.replace(/^http:\/\/[^/]+\/(mail\/)?/, `${base}/`))
    await page.getByLabel('Name').fill('Olga Owner')
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await home()
    const own = page
    const stranger = await browser.newContext({ locale: 'en-GB' })
    page = await stranger.newPage()
    await leave()
    await signInThere('eve')
    await alert('Somebody with your email signs in here without Example ID.')
    await stranger.close()
    page = own
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('link', { name: 'Your account', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Sign in with Example ID' }).waitFor()
    await shoot('provider-connect')
    await page.getByRole('button', { name: 'Connect Example ID' }).click()
    await signInThere('olga')
    await home()
    await context.clearCookies({ name: /^posthorn-/ })
    await page.goto(`${base}/console`)
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await alert('The email, the password or the code is wrong.')
    await leave()
    await home()
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('link', { name: 'People', exact: true }).first().click()
    await page.getByText('decided by Example ID').first().waitFor()
    await shoot('provider-people')
  })

  it(
    'is the only way in without passwords; the command line remains',
    async () => {
      await restart({ POSTHORN_OIDC_PASSWORDS: 'false' })
      await page.goto(`${base}/console`)
      await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor()
      expect(await page.getByLabel('Password').count()).toBe(0)
      await shoot('provider-only')
      const environment = { POSTHORN_DATA_DIR: directory.path, ...settings(), POSTHORN_OIDC_PASSWORDS: 'false' }
      const { stdout } = await runCommand(['person', 'link', 'ada@example.com'], environment)
      await page.goto(stdout.trim())
      await home()
    },
    restartTime,
  )

  it(
    'says that the client is wrong, and nothing of the secret',
    async () => {
      await restart({ POSTHORN_OIDC_CLIENT_SECRET: 'a wrong secret of this server' })
      await leave()
      await signInThere('ada')
      await alert('Sign-in with Example ID is not set up correctly. Ask the operator of this server')
      expect(server.printed()).toContain('invalid_client')
      expect(server.printed()).not.toContain('a wrong secret')
    },
    restartTime,
  )

  it(
    'says that the provider does not respond',
    async () => {
      await restart()
      await provider.close()
      await page.goto(`${base}/console`)
      await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
      await alert('Example ID does not respond. Try again in a minute.')
    },
    restartTime,
  )
})
