import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ReceivingRelay, receivingRelay } from '../../../apps/server/test/receiving-relay.js'
import {
  type Environment,
  freePort,
  idsIn,
  projectOf,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import type { Hand } from './hands.js'

export const password = 'correct horse battery'

/** Of a file with 10,000 good rows; everything below follows from it. */
export const audience = {
  contacts: 10_000,
  badRows: 3,
  /** Those in Bergen with at least 20 orders. */
  segment: 2_000,
  suppressed: 'reader20@example.net',
  withoutName: 400,
  full: 10,
  gone: 10,
  busy: 10,
} as const

const nameOf = (n: number): string => {
  const kinds: Readonly<Record<number, string>> = { 40: 'full', 60: 'gone', 80: 'busy' }
  return `${kinds[n % 1000] ?? 'reader'}${n}@example.net`
}

const contactsCsv = (): string => {
  const cities = ['Bergen', 'Oslo', 'Tromsø', '']
  const rows = Array.from(
    { length: audience.contacts },
    (_, n) => `${nameOf(n)},${n % 5 === 0 ? '' : `Reader ${n}`},${cities[n % 4]},${n % 100},ignore me`,
  )
  const bad = ['nowhere,Nobody,Oslo,1,', ',Without address,Oslo,1,', 'many@example.net,Many,Oslo,many,']
  return `${['E-mail,Full name,Town,Orders,Note', ...rows, ...bad].join('\n')}\n`
}

/** What the relay says: these are the three kinds of refusals. */
export const replies = {
  full: '552 5.2.2 Mailbox full',
  gone: '550 5.1.1 User unknown',
  busy: '450 4.2.0 Mailbox busy',
} as const

export type Journey = {
  /** Of the first project. */
  readonly ids: ReturnType<typeof idsIn>
  readonly relay: ReceivingRelay
  readonly directory: string
  server: RunningServer
  /** Refused as `full` or `busy` until they are taken out. */
  readonly refused: Set<keyof typeof replies>
  readonly link: string
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The built server on a new directory, with a relay that refuses some addresses. */
export const aJourney = async (environment: Environment = {}): Promise<Journey> => {
  const data = temporaryDirectory()
  const refused = new Set(['full', 'gone', 'busy'] as const)
  const relay = await receivingRelay({
    refusal: (to) => {
      const kind = [...refused].find((one) => to.startsWith(one))
      return kind && replies[kind]
    },
  })
  const port = await freePort()
  const settings = {
    SMTP_URL: relay.url,
    PORT: String(port),
    POSTHORN_PUBLIC_URL: `http://localhost:${port}`,
    // Slow enough to be killed midway.
    POSTHORN_MAIL_RATE: '300',
    ...environment,
  }
  const start = () => startBuiltServer(data.path, settings)
  const first = await start()
  const ids = idsIn(first.printed())
  const { code, stderr } = await runCommand(['access', 'approve', ids.project], {
    ...environment,
    POSTHORN_DATA_DIR: data.path,
  })
  if (code !== 0) throw new Error(stderr)
  const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(first.printed()) ?? []
  const journey: Journey = {
    ids,
    relay,
    directory: data.path,
    server: first,
    refused,
    link,
    restart: async () => {
      await stopServer(journey.server, 'SIGKILL')
      journey.server = await start()
    },
    close: async () => {
      await stopServer(journey.server)
      await relay.close()
      data.remove()
    },
  }
  return journey
}

export const aPage = async (browser: Browser): Promise<Page> => {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(20_000)
  return context.newPage()
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, exact: typeof name === 'string' }).first()

/** Pictures of the pages, for those who want to look at them. */
const shoot = async ({ page }: Hand, name: string) => {
  const { SHOTS } = process.env
  if (!SHOTS) return
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.screenshot({ path: join(SHOTS, `${name}-${width}.png`), fullPage: true })
  }
}

export const createOwner = async (hand: Hand, { link }: Journey) => {
  const { page, write, press } = hand
  await page.goto(link)
  await write('Name', 'Olga Owner')
  await write('Email', 'olga@example.com')
  await write('Password', password)
  await shoot(hand, '01-owner')
  await press('Create the owner')
  await heading(page, 'First steps').waitFor()
}

export const suppressOne = async (hand: Hand) => {
  const { page, follow, press, write } = hand
  await follow('Suppressions')
  await press('Suppress an address')
  await write('Email', audience.suppressed)
  await write('Reason', 'Asked by phone')
  await press('Suppress')
  await page.getByRole('row', { name: audience.suppressed }).waitFor()
  await shoot(hand, '02-suppressions')
}

export const importContacts = async (hand: Hand, { directory }: Journey) => {
  const { page, follow, press, choose, write, upload } = hand
  const file = join(directory, 'people.csv')
  writeFileSync(file, contactsCsv())
  await follow('Audience')
  await follow('Import')
  await upload('Choose a CSV file', file)
  await heading(page, 'Columns of the file').waitFor()
  await choose('Field of the column E-mail', 'Email')
  await choose('Field of the column Full name', 'Name')
  await choose('Field of the column Town', 'New field town (Text)')
  await choose('Field of the column Orders', 'New field orders (Number)')
  await choose('Field of the column Note', 'Ignore')
  await choose('List', 'Newsletter')
  await choose('New subscribers are', 'Active')
  await write('How did these people agree to get mail?', 'Ordered in the shop and ticked the box')
  await shoot(hand, '03-mapping')
  await press('Start the import')
  await shoot(hand, '04-importing')
  await heading(page, 'Done').waitFor({ timeout: 120_000 })
  const counts = page.locator('dl').first()
  expect((await counts.innerText()).replace(/\s+/g, ' ')).toBe('New 10,000 Changed 0 Unchanged 0 Failed rows 3')
  await page.getByText('Ordered in the shop and ticked the box').waitFor()
  await shoot(hand, '05-imported')
  const download = page.waitForEvent('download')
  await follow(/Download the failed rows/)
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n')
  expect(rows).toHaveLength(1 + audience.badRows)
  expect(rows.join('\n')).toMatch(
    /line,reason,E-mail,Full name,Town,Orders,Note\n10002,.*,nowhere,Nobody,Oslo,1,\n10003,.*\n10004,.*orders.*,many@example\.net,/,
  )
}

export const buildSegment = async (hand: Hand) => {
  const { page, follow, press, write, choose } = hand
  await follow('Segments')
  await press('New segment')
  await write('Name', 'Regulars in Bergen')
  await press('Create')
  await press('Group')
  await choose('Property', 'town')
  await write('Value', 'Bergen')
  await page.getByText('2,500', { exact: true }).waitFor()
  await press('Condition')
  await choose('Property', 'orders', 1)
  await choose('Comparison', 'is at least', 1)
  await write('Value', '20', 1)
  await shoot(hand, '06-segment')
  await page.getByText('2,000', { exact: true }).waitFor()
  await press('Save')
  await page.getByText('Saved').first().waitFor()
}

export const writeCampaign = async (hand: Hand) => {
  const { page, follow, press, write, choose, pick, edit } = hand
  await follow('Campaigns')
  await press('New campaign')
  await write('Name of the campaign', 'Autumn')
  await press('Create')
  await write('Subject', 'Autumn in {{contact.town}}')
  await write('Preview text', 'New books, {{DEFAULT contact.name "reader"}}')
  await choose('From', 'Posthorn <hello@example.com>')
  await pick('HTML')
  await edit(
    'Content of the mail',
    '<h1>Dear {{contact.name}}</h1><p><a href="https://shop.example.com/">Books</a></p><a href="{{unsubscribeLink}}">Leave</a><p>',
  )
  await page.keyboard.type('{{contact.t')
  await page.getByRole('option', { name: 'contact.town' }).waitFor()
  await page.keyboard.insertText('own}}</p>')
  await page.getByText(/^Saved \d/).waitFor()
  await press(/Audience/)
  await choose('Segment', 'Regulars in Bergen')
  await page.getByText('2,000 on the list').or(page.getByText('10,000')).first().waitFor()
  await press(/^Content/)
  await choose('Preview as', /@example\.net/)
  await page.getByText('Autumn in Bergen', { exact: true }).waitFor()
  const mail = page.frameLocator('iframe').frameLocator('iframe')
  await mail.getByText('Bergen', { exact: true }).waitFor()
  await shoot(hand, '07-compose')
}

/** Of the recipients who would get it. */
const recipients = audience.segment - 1

export const checkAudience = async (hand: Hand) => {
  const { page, press } = hand
  await press(/^Audience/)
  const sum = page.locator('p').filter({ hasText: 'on the list' })
  await expect
    .poll(async () => (await sum.innerText()).replace(/\s+/g, ' '))
    .toBe('10,000 on the list = 1,999 people get it + 8,001 left out:')
  await page.getByText('Not in the segment').waitFor()
  await press(/1 address: Suppressed/)
  await page.getByText(audience.suppressed).waitFor()
  const lacking = page.getByRole('row', { name: /contact\.name/ })
  expect((await lacking.innerText()).replace(/\s+/g, ' ')).toMatch(/399 (?:19\.96|20)/)
  await page.getByRole('row', { name: /contact\.town.*Everybody has it/ }).waitFor()
  await shoot(hand, '08-audience')
}

export const sendTest = async (hand: Hand, { relay }: Journey) => {
  const { page, press, write } = hand
  await press(/^Test/)
  await write('Addresses', 'olga@example.com')
  await press('Send 1 test')
  await page.getByText('On the way to olga@example.com').waitFor()
  await expect.poll(() => relay.received.map(({ to }) => to)).toEqual(['olga@example.com'])
  await page.getByText('Tested since the last change').waitFor()
  await shoot(hand, '09-test')
}

const label = `Send to ${recipients.toLocaleString('en')} people`

export const send = async (hand: Hand) => {
  const { page, press } = hand
  await press(/^Time/)
  await shoot(hand, '10-time')
  await press(/^Send.*credits at most/)
  await shoot(hand, '11-send')
  await press(label)
  const dialog = page.getByRole('dialog', { name: `Send Autumn to ${recipients.toLocaleString('en')} people?` })
  await dialog.waitFor()
  await shoot(hand, '12-really')
  await press(label, dialog)
}

/** The terms of the sum at the top of the page, as it stands there. @throws AssertionError if it does not balance */
const books = async (page: Page) => {
  const text = await page.getByRole('region', { name: 'Mails prepared' }).innerText()
  const [all = 0, sent = 0, failed = 0, out = 0, waiting = 0] = [
    ...text.matchAll(/([\d,]+)\n+(?:mails? prepared|sent|failed|left out|waiting)\n/g),
  ].map(([, figure = '']) => Number(figure.replaceAll(',', '')))
  expect({ text, sum: sent + failed + out + waiting }).toEqual({ text, sum: all })
  return { all, sent, failed, out, waiting }
}

/** The page shows the sum while mails are sent, and goes on by itself after the server was killed midway. */
export const killMidway = async (hand: Hand, { relay, restart }: Journey) => {
  const { page } = hand
  await page.getByText('Being sent').first().waitFor()
  await expect.poll(async () => (await books(page)).sent).toBeGreaterThan(0)
  await expect.poll(() => relay.received.length).toBeGreaterThan(recipients / 3)
  await shoot(hand, '13-live')
  await restart()
  expect((await books(page)).waiting).toBeGreaterThan(0)
}

/** Refused for now is not failed: those wait until the relay takes them. */
export const watchTheEnd = async ({ page }: Hand, { relay, refused }: Journey) => {
  refused.delete('busy')
  const { full, gone } = audience
  await expect
    .poll(() => books(page), { timeout: 300_000 })
    .toEqual({
      all: audience.segment,
      sent: recipients - full - gone,
      failed: full + gone,
      out: 1,
      waiting: 0,
    })
  await page.getByText('Sent', { exact: true }).first().waitFor()
  // By SMTP a crash may send those again that the relay took and nobody had recorded, at most 200 of a channel.
  const readers = relay.received.map(({ to }) => to).filter((to) => to.endsWith('@example.net'))
  expect(new Set(readers).size).toBe(recipients - full - gone)
  expect(readers.length - new Set(readers).size).toBeLessThanOrEqual(200)
}

/** The first one, without the marks of quoted-printable. */
const mailTo = (relay: ReceivingRelay, address: RegExp): string =>
  (relay.received.find(({ to }) => address.test(to))?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

export const readReport = async (hand: Hand, { relay, server }: Journey) => {
  const { page, press, follow } = hand
  const [, link = ''] = /http:\/\/localhost:\d+(\/c\/[^"\s]+)/.exec(mailTo(relay, /@example\.net$/)) ?? []
  const clicked = await fetch(server.base + link, { headers: { 'user-agent': chrome }, redirect: 'manual' })
  expect(clicked.headers.get('location')).toBe('https://shop.example.com/')
  // It counts as a person's when nothing else of that mail was opened for 45 s.
  await expect
    .poll(
      async () => {
        await page.reload()
        await heading(page, '20 failed').waitFor()
        return page.getByText('https://shop.example.com/').count()
      },
      { timeout: 120_000 },
    )
    .toBe(1)
  await page.getByText('1 mail', { exact: true }).first().waitFor()
  await heading(page, '1 left out').waitFor()
  await shoot(hand, '15-report')
  await follow('20', page.getByRole('region', { name: 'Mails prepared' }))
  await page.getByRole('row', { name: /full9040@example\.net.*552 5\.2\.2 Mailbox full/ }).waitFor()
  await shoot(hand, '16-failed')
  await press('Close')
  await follow('1', page.getByRole('region', { name: 'Mails prepared' }))
  await page.getByRole('row', { name: /reader20@example\.net.*Suppressed/ }).waitFor()
  await press('Close')
  await press('Share the report')
  const shared = page.getByText(/^http:\S+\/report\?token=/)
  const stranger = await fetch(await shared.innerText())
  expect([stranger.status, await stranger.text()]).toEqual([200, expect.stringContaining('Autumn')])
  await press('Close')
}

const explainTo = async ({ page, follow, press, write }: Hand, email: string) => {
  await follow('Deliveries')
  await follow('Explain an address')
  await write('Email', email)
  await press('Explain')
  await heading(page, email).waitFor()
}

/** Why somebody got nothing, and what can be done about it. */
export const explain = async (hand: Hand, { relay, refused, server, ids }: Journey) => {
  const { page, press, write } = hand
  const dialog = page.getByRole('dialog')
  await explainTo(hand, audience.suppressed)
  await page.getByText('Reason: Asked by phone').waitFor()
  await page.getByText('Left out of Autumn').waitFor()
  await shoot(hand, '17-explain')
  await press('Lift the suppression…')
  await write('Why is it lifted?', 'Asked by phone again')
  await shoot(hand, '18-lift')
  await press('Lift the suppression')
  await heading(page, `${audience.suppressed} may get mail.`).waitFor()

  const { items } = await projectOf(server, ids).get('/suppression-list?limit=30')
  const bounced = items.find(({ email = '' }) => email.startsWith('gone'))?.email ?? ''
  await press('Look for another')
  await explainTo(hand, bounced)
  await heading(page, `${bounced} gets no mail: the address is suppressed.`).waitFor()
  await press('Send again')
  await dialog.getByText(`${bounced} would not get it now`).waitFor()
  await press('Cancel')

  const full = 'full9040@example.net'
  refused.delete('full')
  await press('Look for another')
  await explainTo(hand, full)
  await page.getByText('552 5.2.2 Mailbox full').first().waitFor()
  await press('Send again')
  await dialog.getByText(`${full} would get it now.`).waitFor()
  await press('Send again', dialog)
  await page.getByText('Sent: Autumn').waitFor()
  expect(relay.received.filter(({ to }) => to === full)).toHaveLength(1)
  await shoot(hand, '19-sent-again')
}

/** Those who have got it since are not asked again. */
export const retry = async (hand: Hand) => {
  const { page, follow, press, tick } = hand
  await follow('Campaigns')
  await follow('Autumn')
  // A process that is killed may not have recorded the latest bounces.
  await tick(/550 5\.1\.1/)
  await page.getByText(/would get it now · \d+ suppressed/).waitFor()
  await tick(/550 5\.1\.1/)
  await tick(/552 5\.2\.2/)
  await page.getByText('9 would get it now', { exact: true }).waitFor()
  await press('Retry 9 mails')
  const dialog = page.getByRole('dialog', { name: 'Retry 9 failed mails?' })
  await dialog.waitFor()
  await shoot(hand, '20-retry')
  await press('Retry 9 mails', dialog)
  const { gone } = audience
  await expect
    .poll(() => books(page), { timeout: 120_000 })
    .toMatchObject({ sent: recipients - gone, failed: gone, out: 1, waiting: 0 })
}

/** A writer joins by the link, sees no button that sends, and is refused by the server, too. */
export const inviteWriter = async (hand: Hand, writer: Hand, { relay }: Journey) => {
  const { page, follow, press, write } = hand
  await follow('Settings')
  await follow('People')
  await press('Invite somebody')
  await write('Email', 'will@example.com')
  await write('Current password', password)
  await press('Invite')
  await page.getByText('will@example.com gets the invitation by mail').waitFor()
  await shoot(hand, '21-invited')
  const linkIn = () => /http:\S+\/console\/invitation#[\w-]+/.exec(mailTo(relay, /^will@/))?.[0]
  await expect.poll(linkIn).toBeDefined()
  const link = linkIn() ?? ''

  await writer.page.goto(link)
  await writer.write('Name', 'Will Writer')
  await writer.write('Password', password)
  await writer.press('Join')
  await writer.press('New campaign')
  await writer.write('Name of the campaign', 'Winter')
  await writer.press('Create')
  await writer.press(/^Send.*credits at most/)
  await writer.page.getByText('You may write campaigns but not send them.').waitFor()
  expect(await writer.page.getByRole('button', { name: /Send to|Schedule/ }).count()).toBe(0)
  await shoot(writer, '22-writer')
  const [project = '', campaign = ''] = /console\/(\w+)\/campaigns\/(\w+)/.exec(writer.page.url())?.slice(1) ?? []
  const path = `/console/api/projectId/${project}/campaigns/${campaign}`
  const refused = await writer.page.evaluate(`fetch('${path}', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' }),
  }).then(async (response) => [response.status, (await response.json()).error.message])`)
  expect(refused).toEqual([403, expect.stringMatching(/role|permi/i)])
}
