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
      await page.getByRole('row', { name: action }).waitFor()
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
