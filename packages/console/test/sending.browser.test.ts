import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { dnsServer } from '../../adapters-node/test/dns-server.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, type Hand, mouse } from './hands.js'

type Added = {
  readonly requiredDns: { readonly dkimCNAMEs: readonly { readonly name: string; readonly value: string }[] }
}

describeInBrowser('domains and senders in the console', () => {
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
    const context = await browser.newContext({ locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] })
    page = await context.newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    await dns?.close()
    directory.remove()
  })

  const domainsPage = async () => {
    await hand.follow('Sending')
    await hand.follow('Domains')
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
  }
  const addDomain = async (name: string) => {
    await domainsPage()
    await hand.press('Add a domain')
    await hand.write('Domain name', name)
    await hand.choose('Region', 'eu-west-1')
    await hand.press('Add')
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  const inPlace = (text: string) => page.locator('main').getByText(text, { exact: false }).first().waitFor()

  it('adds a domain, whose records are there to copy and to download', async () => {
    await addDomain('shop.example')
    const added = (await projectOf(server).get('/domains')).items[0] as unknown as Added
    const [{ name, value } = { name: '', value: '' }] = added.requiredDns.dkimCNAMEs
    await hand.press(`Copy the value for ${name}`)
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(value)
    await hand.press('Copy 6 records')
    const zone = `${name}. IN CNAME ${value}.`
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(zone)
    const download = page.waitForEvent('download')
    await hand.follow('Records as CSV')
    expect(readFileSync(await (await download).path(), 'utf8')).toContain(`CNAME,${name},${value}`)
  })

  it('says which records a check has found, and verifies the domain', async () => {
    await hand.press('Check now')
    await page.locator('tbody').getByText('Missing').first().waitFor()
    const { requiredDns } = (await projectOf(server).get('/domains')).items[0] as unknown as Added
    for (const { name, value } of requiredDns.dkimCNAMEs) dns.say('CNAME', name, [{ domain: value }])
    await hand.press('Check now')
    await page.locator('header').getByText('Verified').waitFor()
    await inPlace('3 of 6 in place')
    await page.locator('main').getByText('no-reply@shop.example').waitFor()
  })

  it('adds a sender and makes it the default', async () => {
    await hand.follow('Senders')
    await page.getByRole('heading', { name: 'Senders', level: 1 }).waitFor()
    await hand.press('Add a sender')
    await hand.write('Email', 'hello@other.example')
    await hand.choose('Region', 'eu-west-1')
    await hand.press('Add')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('the domain other.example is not verified in eu-west-1').waitFor()
    expect(await dialog.locator('input:focus').getAttribute('aria-invalid')).toBe('true')
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await hand.write('Email', 'ada@shop.example')
    await hand.write('Shown name', 'Ada of the shop')
    await hand.press('Add')
    await hand.actOn('ada@shop.example', 'Make it the default')
    await page.getByText('ada@shop.example is the default now').waitFor()
    const first = page.locator('tbody tr').first()
    await first.getByText('ada@shop.example').waitFor()
    await first.getByText('Default', { exact: true }).waitFor()
    expect(await first.innerText()).toContain('Verified')
    expect((await projectOf(server).get('/sender-identities')).items[0]).toMatchObject({ email: 'ada@shop.example' })
  })

  it('keeps a domain that a sender uses, and says which one', async () => {
    await domainsPage()
    await hand.follow('shop.example')
    await hand.press('Delete…')
    await hand.write('Type shop.example', 'shop.example')
    await hand.press('Delete')
    const refusal = page.getByRole('dialog').getByRole('alert')
    expect(await refusal.innerText()).toContain('The domain is in use by the sender identity')
    await hand.press('Cancel')
  })

  it('gives a domain a tracking domain, and deletes it', async () => {
    await addDomain('events.example')
    await hand.press('Edit')
    await hand.write('Tracking domain', 'links.events.example')
    await hand.press('Save')
    await page.locator('tbody').getByText('Tracking', { exact: true }).waitFor()
    await hand.press('Delete…')
    await hand.write('Type events.example', 'events.example')
    await hand.press('Delete')
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'shop.example' }).waitFor()
    expect(await page.getByRole('link', { name: 'events.example' }).count()).toBe(0)
  })

  it('deletes a sender', async () => {
    await hand.follow('Senders')
    await hand.actOn('no-reply@shop.example', 'Delete…')
    await hand.write('Type no-reply@shop.example', 'no-reply@shop.example')
    await hand.press('Delete')
    await page.getByRole('row', { name: /no-reply@shop/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /ada@shop/ }).waitFor()
  })
})
