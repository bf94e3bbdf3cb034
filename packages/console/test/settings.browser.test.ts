import { createHmac } from 'node:crypto'
import { type LocalSes, localSes } from '@posthorn/local-aws'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { region, sesEnvironment } from '../../../apps/server/test/ses-topic.js'
import {
  freePort,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { de } from '../src/text/de.js'
import { becomeOwner, mouse } from './hands.js'
import { edited } from './screens/edited.js'

const password = 'correct horse battery'

/** What an authenticator app shows for a key in Base32, some 30 s steps from now. */
const codeFor = (key: string, steps = 0): string => {
  const bits = key
    .replace(/\s/g, '')
    .split('')
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('')
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const mac = createHmac('sha1', bytes).update(message).digest()
  return String((mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** What is said below the field, which has the focus if it is the first. */
const problemOf = async (field: Locator): Promise<string> => {
  const described = (await field.getAttribute('aria-describedby')) ?? ''
  const texts = described.split(' ').map((id) => field.page().locator(`[id="${id}"]`).allInnerTexts())
  return (await Promise.all(texts)).flat().join(' ')
}
const refused = async (field: Locator, words: string) => {
  await expect.poll(() => problemOf(field)).toContain(words)
}
/** What a screen reader says after the name of a button. */
const reasonOf = (button: Locator) =>
  button.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent)
const hasFocus = (field: Locator) => field.evaluate((element) => element === document.activeElement)

describeInBrowser('people in the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let base = ''
  let browser: Browser
  let owner: Page
  const contexts: BrowserContext[] = []

  const person = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(['person', ...args], { POSTHORN_DATA_DIR: directory.path })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-GB' })
    contexts.push(context)
    return context.newPage()
  }
  const signIn = async (page: Page, email: string, given = password) => {
    await page.goto(`${base}/console`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(given)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const settings = async (page: Page, name: string) => {
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  const proof = (page: Page) => page.getByLabel('Current password').fill(password)
  const shoot = async (page: Page, name: string) => {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` })
  }

  beforeAll(async () => {
    server = await startBuiltServer(directory.path, { POSTHORN_KEEP_DELIVERIES_DAYS: '77' })
    browser = await aBrowser()
    const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(server.printed()) ?? []
    base = new URL(link).origin
    owner = await newPage()
    await owner.goto(link)
    await owner.getByLabel('Name').fill('Olga Owner')
    await owner.getByLabel('Email').fill('olga@example.com')
    await owner.getByLabel('Password').fill(password)
    await owner.getByRole('button', { name: 'Create the owner' }).click()
    await owner.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await stopServer(server)
    directory.remove()
  })

  it('invites somebody by a link, changes the role, and removes them', async () => {
    await settings(owner, 'People')
    await shoot(owner, 'people-empty')
    await owner.getByRole('button', { name: 'Invite somebody' }).click()
    const email = owner.getByRole('dialog').getByLabel('Email')
    await email.fill('will@')
    await proof(owner)
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect.poll(() => hasFocus(email)).toBe(true)
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    await email.fill('will@example.com')
    await shoot(owner, 'invite')
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    await owner.getByRole('heading', { name: 'Pass on this link' }).waitFor()
    const link = await owner.locator('code', { hasText: '/console/invitation#' }).innerText()
    await shoot(owner, 'invite-link')
    await owner.getByRole('button', { name: 'Close' }).click()

    const writer = await newPage()
    await writer.goto(link)
    await writer.getByLabel('Name').fill('Will Writer')
    await writer.getByLabel('Password').fill(password)
    await writer.getByRole('button', { name: 'Join' }).click()
    await writer.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await writer.getByRole('link', { name: 'Settings' }).first().click()
    await writer.getByRole('heading', { name: 'Project', level: 1 }).waitFor()
    expect(await writer.getByRole('link', { name: 'People', exact: true }).count()).toBe(0)

    await owner.reload()
    await owner.getByRole('button', { name: 'Actions on Will Writer' }).click()
    await owner.getByRole('menuitem', { name: 'Change the role…' }).click()
    await owner.getByRole('button', { name: /Role/ }).click()
    await owner.getByRole('option', { name: 'Analyst' }).click()
    await proof(owner)
    await owner.getByRole('button', { name: 'Save' }).click()
    await owner
      .getByRole('row', { name: /Will Writer/ })
      .getByText('Analyst')
      .waitFor()
    await shoot(owner, 'people')
    await owner.getByRole('button', { name: 'Actions on Will Writer' }).click()
    await owner.getByRole('menuitem', { name: 'Remove…' }).click()
    await proof(owner)
    await owner.getByRole('button', { name: 'Remove', exact: true }).click()
    await owner.getByRole('row', { name: /Will Writer/ }).waitFor({ state: 'detached' })
    await writer.reload()
    await writer.getByText('This project is not available').waitFor()
  })

  it('cancels an invitation, whose link opens nothing any more', async () => {
    await settings(owner, 'People')
    await owner.getByRole('button', { name: 'Invite somebody' }).click()
    await owner.getByRole('dialog').getByLabel('Email').fill('eve@example.com')
    await proof(owner)
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await owner.locator('code', { hasText: '/console/invitation#' }).innerText()
    await owner.getByText('Close', { exact: true }).click()
    await owner.getByRole('button', { name: 'Actions on eve@example.com' }).click()
    await owner.getByRole('menuitem', { name: 'Cancel the invitation' }).click()
    await owner.getByText('The invitation of eve@example.com is cancelled').waitFor()
    await owner.getByRole('heading', { name: 'Invitations' }).waitFor({ state: 'detached' })
    const guest = await newPage()
    await guest.goto(link)
    await guest.getByLabel('Name').fill('Eve')
    await guest.getByLabel('Password').fill(password)
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.getByRole('alert').waitFor()
    await guest.context().close()
    expect(await person('list')).not.toContain('eve@example.com')
  })

  it('keeps the last owner, and says why', async () => {
    await settings(owner, 'People')
    await owner.getByRole('button', { name: 'Actions on Olga Owner' }).click()
    await owner.getByRole('menuitem', { name: 'Remove…' }).click()
    await proof(owner)
    await owner.getByRole('button', { name: 'Remove', exact: true }).click()
    expect(await owner.getByRole('alert').innerText()).toContain('An account must keep at least one owner.')
    await owner.getByRole('button', { name: 'Cancel' }).click()
  })

  it('shows who changed what', async () => {
    await settings(owner, 'Audit log')
    const row = owner.getByRole('row', { name: /Change member/ }).first()
    await row.waitFor()
    expect(await row.innerText()).toMatch(/Olga Owner[\s\S]*role: writer → analyst/)
    await shoot(owner, 'audit')
  })

  it('finds entries by their action, and those of a record', async () => {
    await settings(owner, 'Audit log')
    await owner
      .getByRole('button', { name: /^Actions on Person: changed/ })
      .first()
      .click()
    await owner.getByRole('menuitem', { name: 'Only this action' }).click()
    await owner
      .getByRole('row', { name: /Invite person/ })
      .first()
      .waitFor({ state: 'detached' })
    expect(new URL(owner.url()).searchParams.get('action')).toBe('changeMember')
    await owner.getByLabel('Id of the record').fill('none')
    await owner.getByRole('button', { name: 'Find', exact: true }).click()
    await owner.getByText('No entry of the log fits these filters.').waitFor()
    await owner.getByRole('button', { name: 'Show all' }).click()
    await owner
      .getByRole('row', { name: /Invite person/ })
      .first()
      .waitFor()
  })

  it('changes the project, and which websites may call the API', async () => {
    await settings(owner, 'Project')
    const project = owner.getByRole('form', { name: 'Project' })
    await project.getByLabel('Name').fill('Kestrel Books')
    const [logo, preferences] = [project.getByLabel('Logo'), project.getByLabel('Your own page for subscriptions')]
    await logo.fill('logo.png')
    expect(await project.getByLabel('Current password').count()).toBe(0)
    await preferences.fill('ftp://example.com')
    expect(await project.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await proof(owner)
    await project.getByRole('button', { name: 'Save' }).click()
    await refused(logo, 'Enter an http or https URL.')
    await refused(preferences, 'Enter an http or https URL.')
    expect(await hasFocus(logo)).toBe(true)
    expect(await owner.getByRole('alert').count()).toBe(0)
    await shoot(owner, 'project-refused')
    await logo.fill('')
    await project.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => hasFocus(preferences)).toBe(true)
    await preferences.fill('')
    await project.getByRole('button', { name: 'Save' }).click()
    await owner.getByRole('button', { name: /Kestrel Books/ }).waitFor()
    await owner.getByText('Record opens of HTML mails').click()
    await owner.getByRole('form', { name: 'Tracking' }).getByRole('button', { name: 'Save' }).click()
    await owner.reload()
    await owner.getByRole('form', { name: 'Tracking' }).waitFor()
    expect(await owner.getByLabel('Record opens of HTML mails').isChecked()).toBe(false)

    await settings(owner, 'Browser access')
    await owner.getByLabel('Host names').fill('example.org https://shop.example.com/')
    const save = owner.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await save.focus()
    expect(await hasFocus(save)).toBe(true)
    expect(await reasonOf(save)).toBe('Still missing: Current password')
    await proof(owner)
    await owner.getByRole('button', { name: 'Save' }).click()
    await refused(owner.getByLabel('Host names'), 'https://shop.example.com/: Enter a bare domain')
    expect(await hasFocus(owner.getByLabel('Host names'))).toBe(true)
    expect(await owner.getByRole('alert').count()).toBe(0)
    await shoot(owner, 'browser-access-refused')
    await owner.getByLabel('Host names').fill('shop.example.com\nexample.org')
    await owner.getByRole('button', { name: /What their pages may do/ }).click()
    await owner.getByRole('option', { name: 'Subscribe only' }).click()
    await owner.getByRole('button', { name: 'Save' }).click()
    await owner.getByText('Saved').first().waitFor()
    await owner.reload()
    expect(await owner.getByLabel('Current password').count()).toBe(0)
    expect(await owner.getByLabel('Host names').inputValue()).toBe('shop.example.com\nexample.org')
    const reading = owner.getByRole('row', { name: /Get contact/ })
    expect(await reading.innerText()).toContain('No')
    await shoot(owner, 'browser-access')
  })

  it('says how long mails and records are kept', async () => {
    await settings(owner, 'Retention')
    expect(await owner.getByRole('row', { name: /^Who got which mail/ }).innerText()).toContain('77 days')
    expect(await owner.getByRole('row', { name: /^Contacts, lists and content/ }).innerText()).toContain('For good')
  })

  it('stores the credentials of an own account, and says why it cannot send', async () => {
    await settings(owner, 'Own Amazon SES account')
    await owner.getByRole('link', { name: 'Open AWS' }).waitFor()
    await owner.getByLabel('ARN of the role').fill('arn:aws:iam::123456789012:role/posthorn')
    await owner.getByRole('button', { name: /Region/ }).click()
    await owner.getByRole('option', { name: 'eu-west-1' }).click()
    await proof(owner)
    await owner.getByRole('button', { name: 'Save' }).click()
    await owner.getByText('An empty field keeps it.').waitFor()
    await owner.getByRole('button', { name: 'Check now' }).click()
    expect(await owner.getByRole('alert').innerText()).toContain('sends without Amazon SES')
    await shoot(owner, 'own-account')
    await owner.getByRole('button', { name: 'Remove the credentials' }).click()
    await owner.getByRole('button', { name: 'Remove', exact: true }).click()
    await owner.getByRole('button', { name: 'Check now' }).waitFor({ state: 'detached' })
  })

  it('saves name, language and theme with the person', async () => {
    await settings(owner, 'Your account')
    await shoot(owner, 'account')
    await owner.getByLabel('Name').fill('Olga Öwner')
    await owner.getByRole('button', { name: 'Save' }).click()
    await owner.getByText('Saved').first().waitFor()
    const other = await newPage()
    await signIn(other, 'olga@example.com')
    await other.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(await other.locator('body').innerText()).toContain('Olga Öwner')
  })

  it('lists the sessions and ends one of them', async () => {
    await settings(owner, 'Your account')
    await owner.reload()
    const ended = contexts.at(-1)?.pages()[0]
    await owner
      .getByRole('button', { name: /^Actions on Chrome/ })
      .first()
      .click()
    await owner.getByRole('menuitem', { name: 'End the session' }).click()
    await owner.getByText('The session has ended').waitFor()
    await ended?.reload()
    await ended?.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await owner.getByRole('row', { name: /Chrome/ }).count()).toBe(1)
  })

  it('changes the password, and stays signed in after a wrong one', async () => {
    await settings(owner, 'Your account')
    await owner.getByRole('button', { name: 'Change the password' }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Current password').fill('something else')
    await dialog.getByLabel('New password').fill('another long password')
    await dialog.getByRole('button', { name: 'Change the password' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Change the password' }).click()
    await owner.getByText('The password is changed.').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('sets up a second factor with a QR code, and asks for it', async () => {
    await settings(owner, 'Your account')
    await owner.getByRole('button', { name: 'Set up' }).click()
    await owner.getByRole('dialog').getByLabel('Current password').fill('another long password')
    await owner.getByRole('button', { name: 'Continue' }).click()
    await owner.getByRole('img', { name: 'QR code' }).waitFor()
    await shoot(owner, 'factor')
    const key = await owner.getByRole('dialog').locator('code').innerText()
    await owner.getByLabel('Code from your authenticator app').fill('000000')
    await owner.getByRole('button', { name: 'Confirm' }).click()
    await owner.getByText('The code is wrong.').waitFor()
    await owner.getByLabel('Code from your authenticator app').fill(codeFor(key))
    await owner.getByRole('button', { name: 'Confirm' }).click()
    await owner.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    await shoot(owner, 'recovery')
    expect(await owner.getByRole('dialog').getByRole('listitem').count()).toBe(10)
    await owner.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await owner.getByText('Signing in needs a code from your authenticator app.').waitFor()

    const page = await newPage()
    await signIn(page, 'olga@example.com', 'another long password')
    await page.getByLabel('Code from your authenticator app').fill(codeFor(key, 1))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })

  it('removes the second factor by the password, after which signing in asks for no code', async () => {
    await owner.getByRole('button', { name: 'Remove the second factor' }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Remove the second factor' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Current password').fill('another long password')
    await dialog.getByRole('button', { name: 'Remove the second factor' }).click()
    await owner.getByRole('button', { name: 'Set up' }).waitFor()
    const page = await newPage()
    await signIn(page, 'olga@example.com', 'another long password')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })

  it('says what to do about a forgotten password, where nothing is mailed', async () => {
    const page = await newPage()
    await page.goto(`${base}/console`)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('Email').fill('olga@example.com')
    await shoot(page, 'forgot')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('posthorn person reset olga@example.com').waitFor()
    await shoot(page, 'forgot-operator')
    await page.goto(await person('reset', 'olga@example.com'))
    await page.getByLabel('New password').fill('a third long password')
    await shoot(page, 'reset')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    expect(page.url()).not.toContain('#')
  })

  it('signs in by a link of the command line, once, and out again', async () => {
    const link = await person('link', 'olga@example.com')
    const page = await newPage()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    const again = await newPage()
    await again.goto(link)
    expect(await again.getByRole('alert').innerText()).toContain('was used already')
    await page.getByRole('button', { name: /Olga Öwner/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto(`${base}/console/settings/account`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })
})

describeInBrowser('an own Amazon SES account in the console', () => {
  const directory = temporaryDirectory()
  let ses: LocalSes
  let shop: ReturnType<LocalSes['addAccount']>
  let server: RunningServer
  let browser: Browser
  let page: Page

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const arn = () => page.getByLabel('ARN of the role')
  const rate = () => page.getByLabel('Mails per second')
  const open = async () => {
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('link', { name: 'Own Amazon SES account', exact: true }).first().click()
  }
  const shoot = async (name: string) => {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
  }

  beforeAll(async () => {
    const base = `http://127.0.0.1:${await freePort()}`
    ses = await localSes()
    server = await startBuiltServer(directory.path, {
      PORT: new URL(base).port,
      ...sesEnvironment,
      POSTHORN_PUBLIC_URL: base,
      AWS_ENDPOINT_URL: ses.url,
      AWS_ENDPOINT_URL_SNS: ses.url,
    })
    browser = await aBrowser()
    const context = await browser.newContext({ locale: 'en-GB' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await context.newPage()
    await becomeOwner(mouse(page), server)
    await open()
  })
  afterAll(async () => {
    await browser?.close()
    await stopServer(server)
    await ses.close()
    directory.remove()
  })

  it('copies the external id that its role requires', async () => {
    await button('Copy the external ID').click()
    await page.getByText('Copied').first().waitFor()
    const externalId = await page.evaluate(() => navigator.clipboard.readText())
    expect(await page.locator('dd code').innerText()).toBe(externalId)
    expect(await page.getByRole('link', { name: 'Open AWS' }).getAttribute('href')).toContain(externalId)
    shop = ses.addAccount({ id: '210000000002', account: { maxSendRate: 14 } })
    shop.addRole({ name: 'posthorn', externalId })
  })

  it('shows what is wrong with the credentials at their fields', async () => {
    await arn().fill('posthorn')
    await page.getByRole('button', { name: /Region/ }).click()
    await page.getByRole('option', { name: region }).click()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByText('What you changed on this page is not saved').waitFor()
    await button('Cancel').click()
    expect(await button('Save').isDisabled()).toBe(true)
    await page.getByLabel('Current password').fill(password)
    await button('Save').click()
    await refused(arn(), 'Enter the ARN of an IAM role.')
    expect(await hasFocus(arn())).toBe(true)
    await shoot('own-account-refused')
    await page.getByText('Access key', { exact: true }).click()
    await page.getByLabel('Access key ID').fill('AKIDSHOP')
    await button('Save').click()
    await refused(page.getByLabel('Secret access key'), 'accessKeyId and secretAccessKey go together')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByText('Role', { exact: true }).click()
  })

  it('shows at the rate that the account sends fewer, and the rest in a note', async () => {
    await arn().fill('arn:aws:iam::210000000002:role/posthorn')
    await rate().fill('1000')
    await button('Save').click()
    await button('Check now').click()
    await refused(rate(), 'at most 14 mails per second')
    expect(await hasFocus(rate())).toBe(true)
    const note = page.getByRole('alert')
    expect(await note.innerText()).toContain('is not verified in eu-west-1')
    expect(await note.innerText()).not.toContain('mails per second')
    await shoot('own-account-rate')
    await rate().fill('14')
    await button('Save').click()
    await note.waitFor({ state: 'detached' })
    await button('Send by this account').click()
    await note.filter({ hasText: 'is not verified' }).waitFor()
  })

  it('says in the person’s language why no events arrive', async () => {
    shop.region(region).identities.verify('example.com', true)
    await button('Check now').click()
    await page.getByText('The account can send.').waitFor()
    const note = page.locator('main').getByText(/The configuration set posthorn-own-\w+ does not exist in eu-west-1/)
    await note.waitFor()
    await page.evaluate(() => localStorage.setItem('posthorn-language', 'de'))
    await page.reload()
    await button(de.setCloudCheckDo).click()
    await page.getByText(de.setCloudNoEvents).waitFor()
    await page.getByText(/Das Configuration Set posthorn-own-\w+ gibt es in eu-west-1 nicht/).waitFor()
    expect(await page.locator('main').innerText()).not.toContain('Posthorn receives no events')
    await shoot('own-account-warning-de')
  })

  it('says in the person’s language what is wrong with a field', async () => {
    const role = page.getByLabel(de.setCloudArn)
    await role.fill('posthorn')
    await page.getByLabel(de.currentPassword).fill(password)
    await button(de.save).click()
    await refused(role, 'Die ARN einer IAM-Rolle wird erwartet.')
    await shoot('own-account-refused-de')
    await page.reload()
  })

  it('shows the server’s sentence for a warning that the page does not know', async () => {
    const sentence = 'The account is in another partition of AWS.'
    await edited(page, /^\/cloud-check$/, (is) => ({
      ...is,
      warningDetails: [{ code: 'other-partition', message: sentence, values: {} }],
    }))
    await button(de.setCloudCheckDo).click()
    expect(await page.getByText(sentence).getAttribute('lang')).toBe('en')
  })
})
