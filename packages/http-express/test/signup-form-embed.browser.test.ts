import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readCaptchaText, scriptedChallenges } from '@posthorn/testkit'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { aBrowser, describeInBrowser } from './browser.js'
import { aWorld, type World } from './world.js'

/** A provider's script, as Turnstile's behaves: it renders every widget with an input for the token of whoever clicks. */
const widgetScript = `
const render = () => {
  for (const box of document.querySelectorAll('.cf-turnstile')) {
    const input = Object.assign(document.createElement('input'), { type: 'hidden', name: box.dataset.responseFieldName })
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'I am human' })
    button.addEventListener('click', () => { input.value = 'solved' })
    box.replaceChildren(button, input)
  }
}
window.turnstile = { reset: render }
render()
`

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })

describeInBrowser('a signup form that is embedded', () => {
  let browser: Browser
  let world: World
  let page: Page
  let shop = ''
  /** What the website serves, by path. */
  const site = new Map<string, string>([['/thanks', '<!doctype html><title>Thanks</title><p>Thank you!']])
  const serveSite: RequestListener = ({ url = '' }, response) =>
    void response
      .writeHead(site.has(url) ? 200 : 404, { 'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html' })
      .end(site.get(url))
  const website = createServer(serveSite)
  const api = createServer()

  beforeAll(async () => {
    const [sitePort, apiPort] = await Promise.all([listening(website), listening(api)])
    shop = `http://shop.example.com:${sitePort}`
    site.set('/widget.js', widgetScript)
    world = await aWorld({
      verifyChallenge: scriptedChallenges({ secret: ['solved'] }),
      settings: {
        publicUrl: `http://mail.example.com:${apiPort}`,
        challengeScriptUrl: `http://challenges.example.com:${sitePort}/widget.js`,
      },
    })
    api.on('request', world.app)
    await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
    for (const [name, type] of Object.entries({ city: 'string', birthday: 'date', shoeSize: 'number', vip: 'boolean' }))
      await world.call('createCustomField', { body: { name, type } })
    browser = await aBrowser()
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    await Promise.all([world.client.close(), closed(website), closed(api)])
  })

  /** Opens a new page with a form on the project's list. */
  const open = async (
    fields: object = {},
    {
      host = shop,
      width = 390,
      framed = false,
      locale = 'en-GB',
    }: { host?: string; width?: number; framed?: boolean; locale?: string } = {},
  ) => {
    const body = { name: 'Newsletter', subscriberListIds: [world.project.list._id], ...fields }
    const { _id } = (await world.call('createSignupForm', { body })).result
    site.set('/form', (await world.call('getSignupFormEmbed', { params: { id: _id } })).result.content)
    site.set('/framed', '<!doctype html><title>Shop</title><iframe src="/form" width="380" height="700"></iframe>')
    const context = await browser.newContext({ viewport: { width, height: 900 }, locale })
    page = await context.newPage()
    await page.goto(`${host}${framed ? '/framed' : '/form'}`)
    return framed ? page.frameLocator('iframe') : page
  }

  const someFields = {
    termsAndConditions: { show: true, link: 'https://shop.example.com/terms' },
    propertiesStyle: { name: { placeholder: 'Your name' } },
  }

  const solve = async (where: Awaited<ReturnType<typeof open>> = page) => {
    const image = where.getByAltText('Image with characters to type')
    const source = await image.and(where.locator('[src]')).getAttribute('src')
    await where.getByLabel('Characters in the image').fill(readCaptchaText(decodeURIComponent(source ?? '')))
  }
  const send = (where: Awaited<ReturnType<typeof open>> = page) =>
    where.getByRole('button', { name: 'Subscribe' }).click()
  const statusOf = async (email: string) =>
    (await world.call('getSubscriber', { params: { id: world.project.list._id, email } })).result?.status
  const contact = async (email: string) => (await world.call('getContact', { params: { email } })).result
  const thanks = () => page.getByRole('status').filter({ hasText: 'Thank you for signing up.' })

  it('uses the visitor’s language, except for texts that the project set', async () => {
    await open({ ...someFields, btnLabel: 'Join' }, { locale: 'fr-CA' })
    const image = page.getByAltText('Image avec des caractères à recopier')
    await image.and(page.locator('[src]')).waitFor()
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run(".ph")')) as axe.AxeResults
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    await page.getByLabel('Votre adresse e-mail').fill('claire@example.com')
    await page.getByLabel('J’accepte les conditions générales').check()
    await page.getByLabel('Caractères de l’image').fill('wrong')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('Les caractères ne correspondent pas. Veuillez réessayer.').waitFor()
    const source = await image.and(page.locator('[src]')).getAttribute('src')
    await page.getByLabel('Caractères de l’image').fill(readCaptchaText(decodeURIComponent(source ?? '')))
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('status').filter({ hasText: 'Merci pour votre inscription.' }).waitFor()
    expect(await statusOf('claire@example.com')).toBe('active')
  })

  it('can be filled in, solved and sent, and reports success', async () => {
    await open({
      termsAndConditions: { show: true, link: 'https://shop.example.com/terms' },
      propertiesStyle: {
        name: { placeholder: 'Your name', required: true },
        city: {},
        birthday: { placeholder: 'Birthday' },
        shoeSize: {},
        vip: { placeholder: 'Send me offers' },
      },
    })
    await page.getByLabel('Your email address').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('City').fill('Wien')
    await page.getByLabel('Birthday').fill('1815-12-10')
    await page.getByLabel('Shoe size').fill('37.5')
    await page.getByLabel('Send me offers').check()
    await page.getByLabel('I accept the terms and conditions').check()
    await solve()
    await send()
    await thanks().waitFor()
    expect(await page.locator('form').isVisible()).toBe(false)
    expect(await statusOf('ada@example.com')).toBe('active')
    expect(await contact('ada@example.com')).toMatchObject({
      name: 'Ada',
      city: 'Wien',
      birthday: '1815-12-10T00:00:00.000Z',
      shoeSize: 37.5,
      vip: true,
    })
  })

  it('can be sent by keyboard alone', async () => {
    await open()
    await page.keyboard.press('Tab')
    await page.keyboard.type('keyboard@example.com')
    await solve()
    await page.keyboard.press('Enter')
    await thanks().waitFor()
    expect(await statusOf('keyboard@example.com')).toBe('active')
  })

  it('requests only the server, and sets no cookies', async () => {
    await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.reload()
    await page.getByLabel('Your email address').fill('private@example.com')
    await solve()
    await send()
    await thanks().waitFor()
    const pictures = asked.filter((url) => url.startsWith('data:'))
    const { publicUrl } = world.ports.settings
    const hosts = new Set(asked.filter((url) => !pictures.includes(url)).map((url) => new URL(url).origin))
    expect([...hosts].sort()).toEqual([publicUrl, shop])
    expect(await page.context().cookies()).toEqual([])
  })

  it('reports an error, shows another image, and can be sent again', async () => {
    await open()
    await page.getByLabel('Your email address').fill('second-try@example.com')
    const image = page.locator('img[src]')
    const before = await image.getAttribute('src')
    await page.getByLabel('Characters in the image').fill('wrong')
    await send()
    await page.getByRole('alert').filter({ hasText: 'Invalid CAPTCHA. Please try again.' }).waitFor()
    await page.getByLabel('Characters in the image').and(page.locator(':focus')).waitFor()
    expect(await image.getAttribute('src')).not.toBe(before)
    expect(await statusOf('second-try@example.com')).toBeUndefined()
    await solve()
    await send()
    await thanks().waitFor()
    expect(await statusOf('second-try@example.com')).toBe('active')
  })

  it('shows another image on request', async () => {
    await open()
    await page.getByLabel('Your email address').fill('reader@example.com')
    const before = await page.locator('img[src]').getAttribute('src')
    await page.getByRole('button', { name: 'Show another image' }).click()
    await page.getByLabel('Characters in the image').and(page.locator(':focus')).waitFor()
    expect(await page.locator('img[src]').getAttribute('src')).not.toBe(before)
    await solve()
    await send()
    await thanks().waitFor()
  })

  it('is not sent while a required field is missing', async () => {
    await open({
      captchaType: 'none',
      termsAndConditions: { show: true },
      propertiesStyle: { city: { required: true } },
    })
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await page.getByLabel('Your email address').fill('missing@example.com')
    await send()
    await page.getByLabel('City').fill('Wien')
    await send()
    expect(sent).toEqual([])
    await page.getByLabel('I accept the terms and conditions').check()
    await send()
    await thanks().waitFor()
  })

  it('redirects the visitor to the form’s page', async () => {
    await open({ captchaType: 'none', redirectLink: `${shop}/thanks` })
    await page.getByLabel('Your email address').fill('redirected@example.com')
    await send()
    await page.waitForURL(`${shop}/thanks`)
    expect(await statusOf('redirected@example.com')).toBe('active')
  })

  it('works in a frame, and redirects the whole page', async () => {
    const frame = await open({ redirectLink: `${shop}/thanks` }, { framed: true })
    await frame.getByLabel('Your email address').fill('framed@example.com')
    await solve(frame)
    await send(frame)
    await page.waitForURL(`${shop}/thanks`)
    expect(await statusOf('framed@example.com')).toBe('active')
  })

  it('subscribes nobody from another website, and says so', async () => {
    await open({}, { host: shop.replace('shop.', 'evil.') })
    await page.getByLabel('Your email address').fill('evil@example.com')
    await solve()
    await send()
    await page.getByRole('alert').filter({ hasText: 'The server cannot be reached from here.' }).waitFor()
    expect(await statusOf('evil@example.com')).toBeUndefined()
  })

  it('shows the challenge provider’s widget, and sends its token', async () => {
    await open({ captchaType: 'challenge', challengeSiteKey: 'site', challengeSecretKey: 'secret' })
    await page.getByLabel('Your email address').fill('challenged@example.com')
    await send()
    await page.getByRole('alert').filter({ hasText: 'Invalid CAPTCHA. Please try again.' }).waitFor()
    await page.getByRole('button', { name: 'I am human' }).click()
    await send()
    await thanks().waitFor()
    expect(await statusOf('challenged@example.com')).toBe('active')
  })

  describe('with a proof of work', () => {
    const challenged = { captchaType: 'challenge' }
    const check = () => page.locator('.ph-check-line')

    it('solves it while the visitor types', async () => {
      await open({ ...challenged, ...someFields })
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      expect(await check().textContent()).toBe('')
      await page.getByLabel('Your email address').fill('worker@example.com')
      await check().filter({ hasText: 'The check is done.' }).waitFor()
      await page.getByLabel('I accept the terms and conditions').check()
      await send()
      await thanks().waitFor()
      expect(await statusOf('worker@example.com')).toBe('active')
      expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([world.ports.settings.publicUrl]))
      expect(asked.filter((url) => url.includes('/v1/challenge'))).toHaveLength(1)
    })

    it('waits for it if the visitor is faster, and says so', async () => {
      await open(challenged)
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/v1/challenge?*', async (route) => {
        await held
        await route.continue()
      })
      await page.getByLabel('Your email address').fill('hasty@example.com')
      await send()
      await page.getByRole('status').filter({ hasText: 'Checking that you are not a robot…' }).waitFor()
      expect(await statusOf('hasty@example.com')).toBeUndefined()
      release()
      await thanks().waitFor()
      expect(await statusOf('hasty@example.com')).toBe('active')
    })

    it('can be sent by keyboard alone', async () => {
      await open(challenged)
      await page.keyboard.press('Tab')
      await page.keyboard.type('tabbed@example.com')
      await page.keyboard.press('Enter')
      await thanks().waitFor()
      expect(await statusOf('tabbed@example.com')).toBe('active')
    })

    it('reports an error, and sends a new proof the next time', async () => {
      await open(challenged)
      const sent: string[] = []
      await page.route('**/v1/signup-forms/*', async (route) => {
        const { challengeToken, ...rest } = route.request().postDataJSON()
        sent.push(challengeToken)
        const postData = sent.length === 1 ? { ...rest, challengeToken: 'guessed' } : { ...rest, challengeToken }
        await route.continue({ postData: JSON.stringify(postData) })
      })
      await page.getByLabel('Your email address').fill('again@example.com')
      await send()
      await page.getByRole('alert').filter({ hasText: 'Invalid CAPTCHA. Please try again.' }).waitFor()
      await send()
      await thanks().waitFor()
      expect(new Set(sent).size).toBe(2)
    })

    it('works in a frame, and retries after reporting that the server is unreachable', async () => {
      const frame = await open(challenged, { framed: true })
      let isDown = true
      await page.route('**/v1/challenge?*', (route) => (isDown ? route.abort() : route.continue()))
      await frame.getByLabel('Your email address').fill('patient@example.com')
      await send(frame)
      await frame.getByRole('alert').filter({ hasText: 'The server cannot be reached from here.' }).waitFor()
      isDown = false
      await send(frame)
      await frame.getByRole('status').filter({ hasText: 'Thank you for signing up.' }).waitFor()
      expect(await statusOf('patient@example.com')).toBe('active')
    })

    it.each([320, 390, 1280])('fits on a screen %i pixels wide, and passes the accessibility check', async (width) => {
      await open({ ...challenged, ...someFields }, { width })
      const heightBefore = await page.evaluate('document.documentElement.scrollHeight')
      await page.getByLabel('Your email address').focus()
      await check().filter({ hasText: 'The check is done.' }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(heightBefore)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate(`axe.run('.ph')`)) as axe.AxeResults
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    })
  })

  it('is confirmed by the link in its mail', async () => {
    const body = { name: 'C', subject: 'Confirm', type: 'html', document: '<a href="{{verifyLink}}">Confirm</a>' }
    const emailId = (await world.call('createTransactionalEmail', { body })).result._id
    await open({ captchaType: 'none', doubleOptIn: { active: true, emailId, confirmationTitle: 'You are in' } })
    await page.getByLabel('Your email address').fill('optin@example.com')
    await send()
    await page.getByRole('status').filter({ hasText: 'open the mail that we have just sent you' }).waitFor()
    expect(await statusOf('optin@example.com')).toBe('unverified')

    await world.core.worker.runUntilIdle()
    const mail = world.mailer.sent.find(({ to }) => to === 'optin@example.com')?.mime ?? ''
    const text = mail.replace(/=\r\n/g, '').replaceAll('=3D', '=').replaceAll('&#x3D;', '=')
    await page.goto(/http:\/\/mail\.example\.com:\d+\/v1\/verify\?token=[\w.-]+/.exec(text)?.[0] ?? '')
    await page.getByRole('heading', { name: 'You are in' }).waitFor()
    expect(await statusOf('optin@example.com')).toBe('active')
  })

  it('runs nothing that was written into it', async () => {
    const script = '</script><script>window.pwned = true</script>'
    const image = '"><img src=x onerror="window.pwned = true">'
    await open({
      name: script,
      formLayout: image,
      emailPlaceholder: image,
      btnLabel: script,
      successMessage: image,
      termsAndConditions: { show: true, label: image, linkLabel: script, link: `${shop}/?"onclick="x` },
      propertiesStyle: { city: { placeholder: image } },
    })
    await page.locator('img[src]').waitFor()
    expect(await page.evaluate(`'pwned' in window`)).toBe(false)
    expect(await page.locator('img').count()).toBe(1)
  })

  it.each([320, 390, 1280])('fits on a screen %i pixels wide, and passes the accessibility check', async (width) => {
    const fields = {
      propertiesStyle: { name: {}, vip: { placeholder: 'A_word_that_is_far_too_long_for_a_small_screen_'.repeat(2) } },
    }
    await open({ ...fields, termsAndConditions: { show: true, link: 'https://shop.example.com' } }, { width })
    await page.locator('img[src]').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate(`axe.run('.ph')`)) as axe.AxeResults
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })
})
