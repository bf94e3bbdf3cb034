import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import {
  idsIn,
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../../tests/server-process.js'
import { aBrowser } from '../../../http-express/test/browser.js'
import { type ConsoleBrowser, consoleBrowser, password, tokenIn } from '../../../http-express/test/console/browser.js'
import { confirmationMail } from '../../src/forms/confirmation-mail.js'
import { contacts, csv, mailHtml, newsletterForm, segmentGroups } from './samples.js'
import { contentOf } from './staged-templates.js'

export type Ids = Readonly<
  Record<
    | keyof Awaited<ReturnType<typeof contentOf>>
    | 'project'
    | 'list'
    | 'draft'
    | 'scheduled'
    | 'sent'
    | 'segment'
    | 'upload'
    | 'imported'
    | 'domain'
    | 'webhook'
    | 'form',
    string
  >
>

/** In ms; a server starts, sends a campaign and imports a file. */
export const startTime = 300_000

const cookieIn = (browser: ConsoleBrowser) => {
  const [name = '', value = ''] = browser.cookie().split('=')
  return { name, value }
}

const seed = async (server: RunningServer, owner: ConsoleBrowser): Promise<Ids> => {
  const { project, list } = idsIn(server.printed())
  const { post, patch, get } = projectOf(server)
  const idOf = async (path: string, body: unknown) => (await post(path, body))._id ?? ''
  await patch(`/subscriber-lists/${list}`, { name: 'Newsletter', description: 'Books and readings, every other week' })
  const events = await idOf('/subscriber-lists', { name: 'Events' })
  for (const [name, type] of [
    ['city', 'string'],
    ['spent', 'number'],
    ['member', 'boolean'],
    ['joined', 'date'],
  ])
    await post('/contacts/fields', { name, type })
  for (const contact of contacts) {
    await post(`/subscriber-lists/${list}/subscribers`, contact)
    if (contact.tags.length > 1) await post(`/subscriber-lists/${events}/subscribers`, { email: contact.email })
  }
  await post('/suppression-list', { email: 'jonas.rieck@hafenpost.example', reason: 'bounce' })
  await post('/suppression-list', { email: 'w.arens@hafenpost.example', reason: 'Asked by phone' })
  const segment = await idOf('/segments', { name: 'Hamburg fiction readers', groups: segmentGroups })
  await idOf('/segments', { name: 'Members', groups: [] })
  const domain = await idOf('/domains', { domain: 'kestrel.example', region: 'eu-west-1' })
  const campaign = {
    type: 'html',
    subject: 'Four evenings, a lamp and {{contact.city}}',
    document: mailHtml,
    timeZone: 'Europe/Berlin',
    subscriberListId: list,
  }
  const draft = await idOf('/campaigns', { ...campaign, name: 'Advent reading nights' })
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const scheduled = await idOf('/campaigns', { ...campaign, name: 'Gift guide', segmentId: segment })
  await patch(`/campaigns/${scheduled}`, { status: 'scheduled', scheduledTo: inAWeek })
  const sent = await idOf('/campaigns', { ...campaign, name: 'Autumn staff picks' })
  await patch(`/campaigns/${sent}`, { status: 'scheduled', scheduledTo: new Date().toISOString() })
  await until(async () => (await get(`/campaigns/${sent}`)).status === 'sent')
  await idOf('/campaigns', { ...campaign, name: 'An old letter' }).then((id) =>
    patch(`/campaigns/${id}`, { status: 'archive' }),
  )

  const upload = async () => {
    const form = new FormData()
    form.append('file', new Blob([csv]), 'bookfair.csv')
    const response = await fetch(`${server.base}/console/api/projectId/${project}/imports`, {
      method: 'POST',
      headers: { cookie: owner.cookie(), 'sec-fetch-site': 'same-origin' },
      body: form,
    })
    return ((await response.json()) as { readonly result: { readonly _id: string } }).result._id
  }
  const imported = await upload()
  const at = `/projectId/${project}/imports/${imported}`
  await owner.call('POST', `${at}/start`, {
    columns: [{ field: 'email' }, { field: 'name' }, { field: 'spent' }],
    consent: 'Signed up at the book fair in May',
    subscriberListId: events,
    status: 'active',
  })
  await until(async () => (await owner.call<{ state: string }>('GET', at)).result.state === 'done')
  const webhook = await idOf('/webhooks', {
    url: 'https://shop.kestrel.example/hooks/mail',
    description: 'Orders and the shop’s own statistics',
    types: ['bounce', 'complaint'],
  })
  const content = await contentOf(server, project ?? '', list ?? '')
  const emailId = await idOf('/transactional-emails', {
    name: 'Double opt-in',
    ...confirmationMail(['de', 'en']),
  })
  const form = await idOf('/signup-forms', {
    ...newsletterForm,
    subscriberListIds: [list],
    doubleOptIn: { active: true, emailId },
  })
  await idOf('/signup-forms', { name: 'Events at the shop', captchaType: 'svg', subscriberListIds: [events] })
  return {
    ...content,
    form,
    project,
    list,
    draft,
    scheduled,
    sent,
    segment,
    upload: await upload(),
    imported,
    domain,
    webhook,
  }
}

/** A built server with a shop's data, its owner and an analyst, and a browser. */
export const aConsole = async () => {
  const directory = temporaryDirectory()
  const server = await startBuiltServer(directory.path, {
    POSTHORN_REQUEST_RATE: '10000',
    POSTHORN_REQUEST_BURST: '10000',
  })
  const owner = consoleBrowser(server.base)
  const setup = /^http:\S+\/console\/setup#(\S+)$/m.exec(server.printed())?.[1] ?? ''
  const made = await owner.call('POST', '/setup', {
    token: setup,
    email: 'mara@kestrel.example',
    name: 'Mara Lindqvist',
    password,
  })
  if (made.status !== 200) throw new Error(`No owner: ${made.status} ${made.error?.message}`)
  const ids = await seed(server, owner)
  const invite = async (email: string, name: string, as: string) => {
    const { result } = await owner.call<{ link: string }>('POST', `/projectId/${ids.project}/people/invitations`, {
      email,
      role: as,
      within: 'project',
      password,
    })
    if (name === '') return owner
    const person = consoleBrowser(server.base)
    await person.call('POST', '/invitations/accept', { token: tokenIn(result.link), name, password })
    return person
  }
  const analyst = await invite('theo@kestrel.example', 'Theo Amsel', 'analyst')
  const writer = await invite('ines@kestrel.example', 'Ines Okafor', 'writer')
  await invite('paul@kestrel.example', '', 'support')
  const people = { owner, analyst, writer, nobody: undefined } as const
  const browser: Browser = await aBrowser()

  type Whose = { readonly as?: keyof typeof people; readonly language?: string; readonly theme?: string }

  const contextOf = async (
    { as = 'owner', language = 'en', theme = 'light' }: Whose,
    options: BrowserContextOptions = {},
  ): Promise<BrowserContext> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ...options,
    })
    const person = people[as]
    if (person) await context.addCookies([{ ...cookieIn(person), url: server.base }])
    await context.addInitScript(
      ([chosen, look]) => {
        if (window.origin === 'null') return
        localStorage.setItem('posthorn-language', chosen ?? '')
        localStorage.setItem('posthorn-theme', look ?? '')
      },
      [language, theme],
    )
    return context
  }

  /** A page of a browser that nobody has used before, in a language and a theme. */
  const open = async (whose: Whose = {}, options?: BrowserContextOptions): Promise<Page> =>
    (await contextOf(whose, options)).newPage()

  const contexts = new Map<string, Promise<BrowserContext>>()
  /** A page of a browser that has shown the console before to that person, for tests that only look: its files are in the cache. */
  const look = async ({ as = 'owner', language = 'en' }: Whose = {}): Promise<Page> => {
    const key = `${as} ${language}`
    const context = contexts.get(key) ?? contextOf({ as, language })
    contexts.set(key, context)
    return (await context).newPage()
  }

  return {
    server,
    owner,
    ids,
    open,
    look,
    at: (path: string) =>
      `${server.base}/console${path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name as keyof Ids] ?? name)}`,
    close: async () => {
      await browser.close()
      await stopServer(server)
      directory.remove()
    },
  }
}
export type Console = Awaited<ReturnType<typeof aConsole>>
