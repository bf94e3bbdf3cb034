import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  idsIn,
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'

type Post = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** Answers with the status that is set, and keeps what was posted. */
const aReceiver = async () => {
  const posts: Post[] = []
  let status = 503
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      posts.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    posts,
    answer: (next: number) => {
      status = next
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

describeInBrowser('what developers need of the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser
  let page: Page
  let receiver: Awaited<ReturnType<typeof aReceiver>>
  let api = ''
  let key = ''
  let secret = ''

  const open = async (name: string) => {
    await page.getByRole('link', { name: 'Developers' }).first().click()
    await page.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const shownOnce = async () => {
    // The form before it may still be closing.
    const dialog = page.getByRole('dialog', { name: /^Copy the/ })
    const text = await dialog.locator('code').innerText()
    await dialog.getByRole('button', { name: 'Close' }).click()
    return text
  }
  const subscribe = (email: string) => {
    const { list } = idsIn(server.printed())
    return fetch(`${api}/subscriber-lists/${list}/subscribers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    })
  }

  beforeAll(async () => {
    receiver = await aReceiver()
    server = await startBuiltServer(directory.path, { POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' })
    browser = await aBrowser()
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(server.printed()) ?? []
    api = `${server.base}/v1/projectId/${idsIn(server.printed()).project}`
    await page.goto(link)
    await page.getByLabel('Name').fill('Olga Owner')
    await page.getByLabel('Email').fill('olga@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await press('Create the owner')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await stopServer(server)
    await receiver?.close()
    directory.remove()
  })

  it('creates an API key, which is shown once and opens the API', async () => {
    await open('API keys')
    await press('New API key')
    await page.getByRole('dialog').getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: /Access/ }).click()
    await page.getByRole('option', { name: 'Everything' }).click()
    await page.getByLabel('Current password').fill('correct horse battery')
    await press('Create the key')
    await page.getByRole('heading', { name: 'Copy the key now' }).waitFor()
    key = await shownOnce()
    expect(await page.getByRole('row', { name: /Shop/ }).innerText()).toContain(key.slice(-4))
    expect(await page.locator('body').innerText()).not.toContain(key)
    const row = page.getByRole('row', { name: /Shop/ })
    expect(await row.innerText()).toContain('Never')
    expect((await subscribe('ada@example.com')).status).toBe(201)
    await expect
      .poll(async () => {
        await page.reload()
        await row.waitFor()
        return row.innerText()
      })
      .not.toContain('Never')
  })

  it('adds a webhook, whose page shows each attempt and the answers', async () => {
    await open('Webhooks')
    await press('New webhook')
    await page.getByRole('dialog').getByLabel('URL').fill(receiver.url)
    expect(await page.getByRole('button', { name: 'Create the webhook' }).isDisabled()).toBe(true)
    await page.getByLabel('Current password').fill('correct horse battery')
    await press('Create the webhook')
    await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor()
    secret = await shownOnce()
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole('heading', { name: new URL(receiver.url).host, level: 1 }).waitFor()
    expect((await subscribe('benedikt@example.com')).status).toBe(201)
    await page.getByRole('link', { name: 'Subscribed' }).first().click({ timeout: 60_000 })
    await page.getByRole('list', { name: 'Attempts' }).getByText('503').first().waitFor()
    await page
      .getByText(/Failing since/)
      .first()
      .waitFor({ timeout: 60_000 })
  })

  it('replays an event, and shows that the receiver took it', async () => {
    receiver.answer(204)
    await press('Replay')
    await page.getByRole('list', { name: 'Attempts' }).getByText('204').waitFor({ timeout: 60_000 })
    const [first, second] = [receiver.posts[0], receiver.posts.at(-1)]
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    await page
      .getByRole('row', { name: /subscribe/ })
      .getByText('Taken')
      .waitFor({ timeout: 60_000 })
  })

  it('sends a test event, and says what a receiver answers that refuses it', async () => {
    await press('Send a test event')
    receiver.answer(410)
    await press('Send')
    await page
      .getByRole('dialog')
      .getByText(/answered 410/)
      .waitFor()
    receiver.answer(204)
    await press('Send')
    await page.getByText('The receiver took the test event').waitFor()
  })

  it('checks a signature without a request', async () => {
    const { headers, body = '' } = receiver.posts.at(-1) ?? {}
    await open('Signature check')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${String(value)}`)
    await page.getByLabel('Headers, one per line').fill(lines.join('\n'))
    await page.getByLabel('Body').fill(body)
    await page.getByLabel('Secret of the webhook').fill(secret)
    await press('Check the signature')
    await page.getByText('Yes: the post is signed with this secret.').waitFor()
    await page.getByLabel('Body').fill(JSON.stringify(JSON.parse(body), undefined, 2))
    await press('Check the signature')
    await page.getByText('No: the body was changed.').waitFor()
    await page.getByLabel('Secret of the webhook').fill(`whsec_${'A'.repeat(44)}`)
    await press('Check the signature')
    await page.getByText('No: no signature fits.').waitFor()
    expect(requests).toEqual([])
  })

  it('shows which requests were repeated, and how often', async () => {
    await open('Repeated requests')
    await page.getByRole('heading', { name: 'Nothing was repeated' }).waitFor()
    const repeat = () =>
      fetch(`${api}/subscriber-lists`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          'idempotency-key': 'list <b>4711</b>',
        },
        body: JSON.stringify({ name: 'Once' }),
      })
    const answers = [await repeat(), await repeat(), await repeat()]
    expect(answers.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual([
      [201, null],
      [201, 'true'],
      [201, 'true'],
    ])
    await open('Repeated requests')
    const row = page.getByRole('row', { name: 'list <b>4711</b>' })
    expect(await row.innerText()).toMatch(/POST .*\/subscriber-lists\s+2\b/)
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'Create a subscriber list' }).waitFor()
  })

  it('finds a request in the reference, whose example has the id of the project', async () => {
    await open('API reference')
    await page.getByRole('searchbox').fill('subscribe a contact')
    await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(8)
    await page.getByRole('searchbox').fill('create campaign')
    await page.getByRole('link', { name: 'Create a campaign' }).click()
    await page.getByRole('heading', { name: 'Create a campaign', level: 1 }).waitFor()
    const [, project = ''] = /\/console\/(\w+)\//.exec(page.url()) ?? []
    const code = page.locator('pre')
    expect(await code.innerText()).toContain(`/v1/projectId/${project}/campaigns'`)
    await page.getByRole('radio', { name: 'TypeScript' }).click()
    await expect.poll(() => code.innerText()).toContain('await fetch(')
    await page.getByRole('row', { name: /^409/ }).getByText('CONFLICT').waitFor()
  })

  it('takes the password again for another URL of the webhook, and for a new secret', async () => {
    await open('Webhooks')
    await page.getByRole('button', { name: /^Actions on/ }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const [dialog, again] = [page.getByRole('dialog'), page.getByLabel('Current password')]
    await dialog.getByLabel('Description').fill('The shop')
    expect(await again.count()).toBe(0)
    await dialog.getByLabel('URL').fill(`${receiver.url}/further`)
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await again.fill('a wrong password')
    await press('Save')
    await dialog.getByRole('alert').waitFor()
    await again.fill('correct horse battery')
    await press('Save')
    await page.getByRole('link', { name: `${receiver.url}/further` }).click()
    await page.getByRole('button', { name: /^Actions on/ }).click()
    await page.getByRole('menuitem', { name: 'New secret…' }).click()
    expect(await page.getByRole('button', { name: 'Make a new secret' }).isDisabled()).toBe(true)
    await again.fill('correct horse battery')
    await press('Make a new secret')
    const before = secret
    secret = await shownOnce()
    expect(secret).not.toBe(before)
  })

  it('switches the webhook off, after which its page says so', async () => {
    await open('Webhooks')
    await page.getByRole('button', { name: /^Actions on/ }).click()
    await page.getByRole('menuitem', { name: 'Switch off…' }).click()
    await press('Switch off')
    await page
      .getByRole('row')
      .getByText(/Switched off since/)
      .waitFor()
  })

  it('deletes the webhook, to which nothing is posted any more', async () => {
    await page.getByRole('button', { name: /^Actions on/ }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const { host } = new URL(receiver.url)
    await page.getByRole('dialog').getByLabel(`Type ${host}`).fill(host)
    await press('Delete')
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    expect((await projectOf(server).get('/webhooks')).items).toEqual([])
  })

  it('revokes the key, which opens nothing any more', async () => {
    await open('API keys')
    await page.getByRole('button', { name: 'Actions on Shop' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    expect(await page.getByRole('button', { name: 'Revoke', exact: true }).isEnabled()).toBe(false)
    await page.getByRole('dialog').getByLabel('Type Shop').fill('Shop')
    await press('Revoke')
    await page.getByRole('row', { name: /Shop/ }).getByText('Revoked').waitFor()
    expect((await subscribe('carla@example.com')).status).toBe(403)
  })
})
