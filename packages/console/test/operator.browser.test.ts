import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { dnsServer } from '../../adapters-node/test/dns-server.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, type Hand, mouse } from './hands.js'

type Added = {
  readonly _id: string
  readonly requiredDns: Readonly<Record<'mx' | 'spf', { readonly name: string; readonly value: string }>> & {
    readonly dkimCNAMEs: readonly { readonly name: string; readonly value: string }[]
  }
}

const application = {
  volume: 50_000,
  whyBluefox: 'We host it ourselves',
  typeOfEmails: 'Receipts and a newsletter',
  contactsSource: 'Customers of our shop',
  productDescription: 'A bookshop in Hamburg',
  website: 'https://shop.example',
}

describeInBrowser('an operator in the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let dns: Awaited<ReturnType<typeof dnsServer>>
  let browser: Browser
  let page: Page
  let hand: Hand

  beforeAll(async () => {
    dns = await dnsServer()
    server = await startBuiltServer(directory.path, {
      POSTHORN_DNS_SERVERS: dns.address,
      POSTHORN_RELAY_DOMAIN: 'relay.example',
    })
    browser = await aBrowser()
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    await dns?.close()
    directory.remove()
  })

  const main = () => page.locator('main')
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

  it('finds nothing to review before somebody applies', async () => {
    await hand.follow('Operator')
    await heading('Reviews')
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
  })

  it('reads an application, and approves it with an answer and a limit', async () => {
    const { post, get } = projectOf(server)
    const { _id, requiredDns } = (await post('/domains', {
      domain: 'shop.example',
      region: 'eu-west-1',
    })) as unknown as Added
    for (const { name, value } of requiredDns.dkimCNAMEs) dns.say('CNAME', name, [{ domain: value }])
    dns.say('TXT', requiredDns.spf.name, [{ data: requiredDns.spf.value }])
    dns.say('MX', requiredDns.mx.name, [{ exchange: requiredDns.mx.value, priority: 10 }])
    await post(`/domains/${_id}/check`, {})
    await post('/production-access', application)
    await page.reload()
    await main().getByText('Customers of our shop').waitFor()
    await main().getByText('shop.example', { exact: true }).waitFor()
    await hand.press('Approve')
    await hand.write('Mails per month', 'many')
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await hand.write('Mails per month', '20000')
    await hand.write('Answer', 'Welcome. Start slowly.')
    await hand.press('Approve', page.getByRole('dialog'))
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    expect(await get('/production-access')).toMatchObject({
      requestStatus: 'approved',
      monthlyLimit: 20_000,
      answer: 'Welcome. Start slowly.',
    })
    expect((await get('')).status).toBe('production')
  })

  it('declines a higher limit, approves another, sets one and takes the access away', async () => {
    const access = () => projectOf(server).get('/production-access')
    const ask = async (limit: string, reason: string) => {
      await page.goto(new URL('/console/', page.url()).href)
      await hand.follow('Sending')
      await hand.follow('Reputation')
      await hand.press('Ask for a higher limit')
      await hand.write('Requested mails per month', '20,000')
      await page.getByRole('dialog').getByText('Write a number above 20,000, or nothing.').waitFor()
      await hand.write('Requested mails per month', limit)
      await hand.write('Reason', reason)
      await hand.press('Ask for it', page.getByRole('dialog'))
      await page.getByRole('row', { name: /Under review/ }).waitFor()
      await hand.follow('Operator')
      await main().getByText(reason, { exact: true }).waitFor()
    }
    const decide = async (button: string, ...fields: readonly (readonly [label: string, text: string])[]) => {
      await hand.press(button)
      for (const [label, text] of fields) await hand.write(label, text)
      await hand.press(button, page.getByRole('dialog'))
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await ask('', 'We grow & <b>grow</b> every week')
    await decide('Decline the limit', ['Answer', 'Not {{without}} a limit.'])
    await ask('60,000', 'Our autumn catalogue has more readers')
    await decide('Approve the limit', ['Mails per month', '50000'], ['Answer', 'Fifty, then'])
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    expect(await access()).toMatchObject({
      monthlyLimit: 50_000,
      limitIncreases: [
        { requestedLimit: 0, status: 'declined', answer: 'Not {{without}} a limit.' },
        { requestedLimit: 60_000, status: 'approved', answer: 'Fifty, then' },
      ],
    })
    await hand.follow('Projects')
    await page.locator('tbody').getByRole('link').first().click()
    await decide('Set the limit', ['Mails per month', '45000'])
    await expect.poll(access).toMatchObject({ monthlyLimit: 45_000 })
    await decide('Revoke the access', ['Answer', 'The website is gone'])
    await main().getByText('Sandbox', { exact: true }).first().waitFor()
    expect((await projectOf(server).get('')).status).toBe('sandbox')
  })

  it('declines an application, and approves it after all', async () => {
    await projectOf(server).post('/production-access', { ...application, website: 'https://shop.example/new' })
    await hand.follow('Reviews')
    await page.reload()
    await hand.press('Decline')
    await hand.write('Answer', 'Please tell us more')
    await hand.press('Decline', page.getByRole('dialog'))
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    expect(await projectOf(server).get('/production-access')).toMatchObject({
      ...{ requestStatus: 'declined', answer: 'Please tell us more' },
    })
    await hand.follow('Projects')
    await page.locator('tbody').getByRole('link').first().click()
    await hand.press('Approve')
    await hand.write('Answer', 'Welcome. Start slowly.')
    await hand.press('Approve', page.getByRole('dialog'))
    await main().getByText('Production', { exact: true }).first().waitFor()
    expect((await projectOf(server).get('')).status).toBe('production')
  })

  it('adds credit to the account', async () => {
    await hand.follow('Accounts')
    await heading('Accounts')
    const row = page.locator('tbody tr').first()
    await row.getByRole('link').first().click()
    await hand.press('Add credit')
    await hand.write('Credits to add', '1.5')
    await page.getByRole('dialog').getByText('Please enter a whole number.').waitFor()
    await hand.write('Credits to add', '2500')
    await hand.press('Add credit', page.getByRole('dialog'))
    await page.getByText(/^Credit is now [\d,]*500$/).waitFor()
  })

  it('restricts the project and lifts that again, which its audit log says', async () => {
    await page.locator('tbody').getByRole('link').first().click()
    await hand.press('Restrict')
    await hand.write('Reason', 'Addresses from a bought list')
    await hand.press('Restrict', page.getByRole('dialog'))
    await main().getByText('Sending is restricted: Addresses from a bought list').waitFor()
    await hand.press('Lift the restriction')
    await hand.press('Lift the restriction', page.getByRole('dialog'))
    await main().getByText('Sending is restricted').waitFor({ state: 'detached' })
    await hand.follow(/Back to the projects/)
    await hand.follow('Sending')
    await hand.follow('Senders')
    await main().getByText('The operator answered: Welcome. Start slowly.').waitFor()
    await hand.follow('Settings')
    await hand.follow('Audit log')
    for (const action of [/Unrestrict project/, /Approve production access/])
      await page.getByRole('row', { name: action }).first().waitFor()
  })

  it('reads a project of others for a while, without changing anything', async () => {
    const command = async (...args: readonly string[]) => {
      const { stdout } = await runCommand([...args, '--json'], { POSTHORN_DATA_DIR: directory.path })
      return (JSON.parse(stdout) as { readonly _id: string })._id
    }
    const theirs = await command('project', 'create', await command('account', 'create', 'Somebody else'), 'Theirs')
    await hand.follow('Operator')
    await hand.follow('Projects')
    await hand.follow('Theirs')
    await hand.press('Read this project')
    const dialog = page.getByRole('dialog')
    await hand.write('Reason', 'They asked why a mail is late')
    await hand.write('Current password', 'correct horse battery')
    await hand.press('Read this project', dialog)
    const banner = page.getByText(/You are reading a project of others until/)
    await banner.waitFor()
    await hand.follow('Audience')
    await heading('Contacts')
    expect(await page.getByRole('button', { name: 'Add a contact' }).count()).toBe(0)
    const status = await page.evaluate(
      async (url) =>
        (await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status,
      `/console/api/projectId/${theirs}/contacts`,
    )
    expect(status).toBe(403)
    await page.reload()
    await banner.waitFor()
    await hand.press('Stop reading')
    await heading('Theirs')
    await page.goto(new URL(`/console/${theirs}/home`, page.url()).href)
    await page.getByRole('heading', { name: 'This project is not available' }).waitFor()
    await page.getByRole('link').first().click()
    await heading('Home')
  })

  it('sees the queues, the versions and what doctor finds', async () => {
    await hand.follow('Operator')
    await hand.follow('Server')
    await main().getByText(process.versions.node, { exact: true }).waitFor()
    await page.getByRole('row', { name: /Transactional mail/ }).waitFor()
    await hand.press('Run the checks')
    await page
      .getByRole('row', { name: /^store/ })
      .getByText('Fine')
      .waitFor()
    await page.getByText('sqlite can be opened and written').waitFor()
  })
})
