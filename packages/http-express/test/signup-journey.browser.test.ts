import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readCaptchaText } from '@posthorn/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aBrowser, describeInBrowser } from './browser.js'
import { aWorld, type World } from './world.js'

const email = 'ada@example.com'

describeInBrowser('from a form on a website to the preferences page', () => {
  let browser: Browser
  let world: World
  let page: Page
  let shop = ''
  let form = ''
  const website = createServer((_request, response) => void response.setHeader('content-type', 'text/html').end(form))
  const api = createServer()

  const portOf = async (server: typeof website) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  beforeAll(async () => {
    shop = `http://shop.example.com:${await portOf(website)}`
    world = await aWorld({ settings: { publicUrl: `http://mail.example.com:${await portOf(api)}` } })
    api.on('request', world.app)
    browser = await aBrowser()
    page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of [website, api]) {
      server.closeAllConnections()
      server.close()
    }
    await world.client.close()
  })

  /** The address of a link in the last mail that left. */
  const linkIn = async (path: string): Promise<string> => {
    await world.core.worker.runUntilIdle()
    const { to, mime } = world.mailer.sent.at(-1) ?? { to: '', mime: '' }
    expect(to).toBe(email)
    const text = mime.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return new RegExp(`http://mail\\.example\\.com:\\d+${path}\\?token=[\\w.-]+`).exec(text)?.[0] ?? ''
  }
  const status = async () =>
    (await world.call('getSubscriber', { params: { id: world.project.list._id, email } })).result?.status

  it('a visitor signs up, confirms by mail, pauses and unsubscribes, and the campaign’s statistics show it', async () => {
    const text = { subject: 's', type: 'text' } as const
    const confirm = { ...text, name: 'Confirm', document: 'Please confirm: {{verifyLink}}' }
    const emailId = (await world.call('createTransactionalEmail', { body: confirm })).result._id
    await world.call('updateSubscriberList', {
      params: { id: world.project.list._id },
      body: { doubleOptIn: { active: true, emailId, confirmationTitle: 'Welcome aboard' } },
    })
    await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
    const body = { name: 'Newsletter', subscriberListIds: [world.project.list._id] }
    const { _id } = (await world.call('createSignupForm', { body })).result
    form = (await world.call('getSignupFormEmbed', { params: { id: _id } })).result.content

    await page.goto(shop)
    await page.getByLabel('Your email address').fill(email)
    const image = page.getByAltText('Image with characters to type').and(page.locator('[src]'))
    const captcha = readCaptchaText(decodeURIComponent((await image.getAttribute('src')) ?? ''))
    await page.getByLabel('Characters in the image').fill(captcha)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('status').filter({ hasText: 'Thank you' }).waitFor()
    expect(await status()).toBe('unverified')

    await page.goto(await linkIn('/v1/verify'))
    await page.getByRole('heading', { name: 'Welcome aboard' }).waitFor()
    expect(await status()).toBe('active')

    const news = { ...text, name: 'News', document: 'Leave: {{unsubscribeLink}}', timeZone: 'UTC' }
    const campaign = await world.call('createCampaign', {
      body: {
        ...news,
        subscriberListId: world.project.list._id,
        status: 'scheduled',
        scheduledTo: '2020-01-01T00:00:00Z',
      },
    })
    await page.goto(await linkIn('/preferences'))
    const readers = page.getByRole('listitem').filter({ hasText: 'Readers' })
    await readers.getByText('Pause…').click()
    await readers.getByLabel('Until').fill('2099-02-01')
    await readers.getByRole('button', { name: 'Pause Readers' }).click()
    await readers.getByText('Paused until').waitFor()
    expect(await status()).toBe('paused')
    await readers.getByRole('button', { name: /unsubscribe/i }).click()
    await readers.getByText('Not subscribed').waitFor()
    expect(await status()).toBe('unsubscribed')

    const params = { id: campaign.result._id }
    expect((await world.call('listCampaignRecipients', { params })).result.items).toMatchObject([
      { email, status: 'sent', paused: true, unsubscribed: true },
    ])
  })
})
