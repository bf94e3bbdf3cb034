import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { aBrowser, describeInBrowser } from '../browser.js'
import { aWorld, type World } from '../world.js'

describeInBrowser('the pages that links in mails lead to', () => {
  let browser: Browser
  let world: World
  let page: Page
  let readers: string
  let news: string
  let landing: string
  let people = 0
  let email: string
  /** What the pages asked of anybody. */
  let asked: string[]

  const logo = '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40"/></svg>'
  const website = createServer(({ url }, response) =>
    url === '/logo.svg'
      ? void response.setHeader('content-type', 'image/svg+xml').end(logo)
      : void response.end('Welcome'),
  )

  beforeAll(async () => {
    await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve))
    landing = `http://shop.example.com:${(website.address() as AddressInfo).port}/welcome`
    world = await aWorld()
    readers = world.project.list._id
    news = await aList({ name: 'Weekly news', description: 'What happened, every Friday.' })
    await aList({ name: 'Board', private: true })
    browser = await aBrowser()
  })
  beforeEach(() => {
    people += 1
    email = `person${people}@example.com`
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    website.closeAllConnections()
    await Promise.all([world.client.close(), new Promise((resolve) => website.close(resolve))])
  })

  const aList = async (body: object) => (await world.call('createSubscriberList', { body })).result._id
  const aStrictList = async (doubleOptIn: object) => {
    const body = { name: 'C', subject: 'Confirm', type: 'html', document: '<a href="{{verifyLink}}">Confirm</a>' }
    const emailId = (await world.call('createTransactionalEmail', { body })).result._id
    return aList({ name: 'Strict', private: true, doubleOptIn: { active: true, emailId, ...doubleOptIn } })
  }
  const subscribe = (id: string) => world.call('subscribe', { params: { id }, body: { email } })
  const statusOn = async (id: string) => (await world.call('getSubscriber', { params: { id, email } })).result?.status

  /** The link in the last mail to the person, on this machine. */
  const linkInMail = async (path: string) => {
    await world.core.worker.runUntilIdle()
    const mime = world.mailer.sent.findLast(({ to }) => to === email)?.mime ?? ''
    const text = mime
      .replace(/=?\r\n[ ]?/g, '')
      .replaceAll('=3D', '=')
      .replaceAll('&#x3D;', '=')
    const link = new RegExp(`https://posthorn\\.example\\.com${path}[^"\\s\\]>]*`).exec(text)?.[0] ?? ''
    return link.replace('https://posthorn.example.com', world.client.base)
  }
  const sendTriggered = async () => {
    const document = '<a href="{{unsubscribeLink}}">x</a>'
    const body = { name: 'T', subject: 'T', type: 'html', document, subscriberListId: readers }
    const { _id } = (await world.call('createTriggeredEmail', { body })).result
    await world.call('sendTriggered', { body: { triggeredId: _id, emails: [email] } })
  }

  const open = async (link: string, { width = 390, dark = false, locale = 'en-GB' } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme: dark ? 'dark' : 'light',
      locale,
    })
    asked = []
    page = await context.newPage()
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(link)
  }
  /** The preferences page of a person on the list of readers, by the link of a mail that they got. */
  const openPreferences = async (look = {}) => {
    await subscribe(readers)
    await sendTriggered()
    await open(await linkInMail('/preferences'), look)
  }
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const saved = () => page.getByRole('status').filter({ hasText: 'Your choice is saved.' }).waitFor()
  const item = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  const pause = async (subject: string, day: string) => {
    const details = page.locator('details').filter({ has: page.getByLabel(`Pause ${subject}`, { exact: true }) })
    await details.locator('summary').click()
    await details.getByLabel('Until').fill(day)
    await details.getByRole('button').click()
  }

  it('subscribe to another list without a further question', async () => {
    await openPreferences()
    await item('Weekly news').getByText('Not subscribed').waitFor()
    await click('Subscribe: Weekly news')
    await saved()
    await item('Weekly news').getByText('Subscribed', { exact: true }).waitFor()
    expect(await statusOn(news)).toBe('active')
    expect(await page.getByText('Board').count()).toBe(0)
  })

  it('pause one list until a day, and end the pause', async () => {
    await openPreferences()
    await pause('Readers', '2099-01-31')
    await saved()
    await item('Readers').getByText('Paused until 31 January 2099').waitFor()
    expect(await statusOn(readers)).toBe('paused')
    await click('Get mail again: Readers')
    await saved()
    expect(await statusOn(readers)).toBe('active')
  })

  it('accept no day in the past', async () => {
    await openPreferences()
    await pause('Readers', '2001-01-01')
    expect(await page.locator('input:invalid').count()).toBeGreaterThan(0)
    await page.locator('form').evaluateAll((forms) => {
      for (const form of forms) form.setAttribute('novalidate', '')
    })
    await click('Pause Readers')
    await page.getByText('A pause has to end on a day in the future.').waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await item('Readers').getByText('Subscribed', { exact: true }).waitFor()
    expect(await statusOn(readers)).toBe('active')
  })

  it('pause all lists at once', async () => {
    await subscribe(news)
    await openPreferences()
    await pause('all lists', '2099-01-31')
    await saved()
    expect([await statusOn(readers), await statusOn(news)]).toEqual(['paused', 'paused'])
  })

  it('unsubscribe from one list only', async () => {
    await subscribe(news)
    await openPreferences()
    await click('Unsubscribe: Readers')
    await saved()
    expect([await statusOn(readers), await statusOn(news)]).toEqual(['unsubscribed', 'active'])
  })

  it('unsubscribe from all lists, and then offer nothing more to unsubscribe from', async () => {
    await subscribe(news)
    await openPreferences()
    await click('Unsubscribe from all lists')
    await saved()
    expect([await statusOn(readers), await statusOn(news)]).toEqual(['unsubscribed', 'unsubscribed'])
    expect(await page.getByRole('button', { name: 'Unsubscribe' }).count()).toBe(0)
  })

  it('work with the keyboard alone', async () => {
    await openPreferences()
    await page.locator('summary').first().focus()
    for (const key of ['Enter', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type('01312099')
    await page.keyboard.press('Enter')
    await saved()
    expect(await statusOn(readers)).toBe('paused')
  })

  it('unsubscribe by the button of a one-click link, not by opening it', async () => {
    await subscribe(readers)
    await sendTriggered()
    await open(await linkInMail(`/v1/subscriber-lists/${readers}`))
    await page.getByRole('heading', { name: 'Unsubscribe from Readers?' }).waitFor()
    expect(await statusOn(readers)).toBe('active')
    await click('Unsubscribe')
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    expect(await statusOn(readers)).toBe('unsubscribed')
  })

  it('confirm a subscription when a person views them, not when a program fetches them', async () => {
    const strict = await aStrictList({ confirmationTitle: 'You are <in>', confirmationMessage: 'See you on Friday.' })
    await subscribe(strict)
    const link = await linkInMail('/v1/verify')
    for (const method of ['HEAD', 'GET']) await fetch(link, { method })
    expect(await statusOn(strict)).toBe('unverified')
    for (let turn = 0; turn < 2; turn += 1) {
      await open(link)
      await page.getByRole('heading', { name: 'Confirm your subscription' }).waitFor()
      await page.getByRole('heading', { name: 'You are <in>' }).waitFor()
      expect(await page.title()).toBe('You are <in>')
      expect(await statusOn(strict)).toBe('active')
      await page.context().close()
    }
  })

  it('confirm only by a button if scripts are off', async () => {
    const strict = await aStrictList({ redirectLink: landing })
    await subscribe(strict)
    const link = await linkInMail('/v1/verify')
    const context = await browser.newContext({ javaScriptEnabled: false })
    page = await context.newPage()
    await page.goto(link)
    await page.waitForTimeout(2500)
    expect(await statusOn(strict)).toBe('unverified')
    await click('Confirm')
    await page.waitForURL(landing)
    expect(await statusOn(strict)).toBe('active')
  })

  it('do not confirm while the tab is hidden', async () => {
    const strict = await aStrictList({})
    await subscribe(strict)
    const link = await linkInMail('/v1/verify')
    const context = await browser.newContext()
    page = await context.newPage()
    await page.addInitScript(
      `Object.defineProperty(document, 'visibilityState', { get: () => window.seen ?? 'hidden' })`,
    )
    await page.goto(link)
    await page.waitForTimeout(2500)
    expect(await statusOn(strict)).toBe('unverified')
    await page.evaluate(`seen = 'visible'; document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByRole('heading', { name: 'Your subscription is confirmed' }).waitFor()
    expect(await statusOn(strict)).toBe('active')
  })

  it('redirect to the list’s page once confirmed', async () => {
    const strict = await aStrictList({ redirectLink: landing })
    await subscribe(strict)
    await open(await linkInMail('/v1/verify'))
    await page.waitForURL(landing)
    expect(await page.evaluate('document.referrer')).toBe('')
    expect(await statusOn(strict)).toBe('active')
  })

  it('explain a truncated link', async () => {
    await open(`${world.client.base}/preferences?token=lost`)
    expect(await page.getByText('may lack its end').count()).toBe(1)
  })

  it('request nothing from elsewhere, set no cookies, and run nothing written into a list’s name', async () => {
    const evil = `"><script>window.pwned = true</script><img src="http://evil.example.com/x" onerror="pwned = true">`
    const list = await aList({ name: evil, description: evil })
    await openPreferences()
    await item('window.pwned').waitFor()
    expect(await page.evaluate(`'pwned' in window`)).toBe(false)
    expect(asked.map((url) => new URL(url).pathname)).toEqual(['/preferences'])
    expect(await page.context().cookies()).toEqual([])
    await world.call('deleteSubscriberList', { params: { id: list } })
  })

  it('block styles, scripts and images that are not their own', async () => {
    await openPreferences()
    const added = await page.evaluate(`new Promise((resolve) => {
      const refused = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        refused.push(effectiveDirective)
        if (refused.length === 3) resolve(refused.sort())
      })
      document.body.insertAdjacentHTML('beforeend', '<style>p { color: red }</style><img src="data:,">')
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'pwned = true' }))
    })`)
    expect(added).toEqual(['img-src', 'script-src-elem', 'style-src-elem'])
    expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px')
  })

  it('show the project’s logo and use the browser’s language', async () => {
    const logoUrl = landing.replace('/welcome', '/logo.svg')
    await world.call('updateProject', { body: { logoUrl } })
    await openPreferences({ width: 320, dark: true, locale: 'pl' })
    await page.getByRole('heading', { name: 'Twoje subskrypcje' }).waitFor()
    expect(await page.evaluate('document.images[0].naturalWidth')).toBe(160)
    expect(asked.map((url) => new URL(url).pathname)).toEqual(['/preferences', '/logo.svg'])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    await click('Rezygnuję: Readers')
    await page.getByRole('status').filter({ hasText: 'Wybór został zapisany.' }).waitFor()
    await world.call('updateProject', { body: { logoUrl: '' } })
  })

  it.each([{ width: 320 }, { width: 390 }, { width: 390, dark: true }, { width: 1280 }, { width: 1280, dark: true }])(
    'fit on the screen and pass the accessibility check: %j',
    async (look) => {
      const long = await aList({ name: 'A_name_that_is_far_too_long_for_a_small_screen_'.repeat(3) })
      await subscribe(await aStrictList({}))
      const confirmation = await linkInMail('/v1/verify')
      await openPreferences(look)
      await page.locator('summary').first().click()
      // A page that nobody sees waits, so that there is time to look at it.
      await page.addInitScript(`Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })`)
      const question = await linkInMail(`/v1/subscriber-lists/${readers}`)
      for (const link of ['', question, confirmation, `${confirmation}lost`]) {
        if (link) await page.goto(link)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        await page.evaluate(axe.source)
        const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      }
      await world.call('deleteSubscriberList', { params: { id: long } })
    },
  )
})
