import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserAccessNeededFor, pathsOfRoute } from '../src/route.js'
import { routes } from '../src/routes/index.js'
import { aWorld, type World } from './world.js'

const shop = 'https://shop.example.com'
const email = 'ada@example.com'

let world: World
let list = ''
let form = ''
beforeAll(async () => {
  world = await aWorld()
  await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
  const body = { name: 'Open', signupForm: { showCaptcha: false } }
  list = (await world.call('createSubscriberList', { body })).result._id
  const fields = { name: 'Form', captchaType: 'none', subscriberListIds: [list] }
  form = (await world.call('createSignupForm', { body: fields })).result._id
  await world.call('subscribe', { params: { id: list }, body: { email, name: 'Ada' } })
})
afterAll(() => world.client.close())

const set = (browserAccess: string) => world.call('updateProject', { body: { browserAccess } })

const open = routes.flatMap((row) =>
  browserAccessNeededFor(row) ? pathsOfRoute(row).map((path) => ({ row, path, name: `${row.method} ${path}` })) : [],
)

const ask = async ({ row, path }: (typeof open)[number], method: string, headers: Record<string, string>) => {
  const { project } = world.project
  const filled = path
    .replace('{projectId}', project._id)
    .replace('{email}', email)
    .replace('{id}', row.id === 'submitSignupForm' ? form : list)
  const response = await fetch(`${world.client.base}${filled}`, { method, headers })
  const shown = [...response.headers].filter(([name]) => name !== 'date' && !name.startsWith('x-ratelimit'))
  return { status: response.status, headers: shown, text: await response.text() }
}
const preflight = (one: (typeof open)[number], origin: string) =>
  ask(one, 'OPTIONS', { origin, 'access-control-request-method': one.row.method.toUpperCase() })
const call = (one: (typeof open)[number], origin: string) => ask(one, one.row.method.toUpperCase(), { origin })

const subscribing = ['createContact', 'subscribeToList', 'submitSignupForm']

describe('browserAccess', () => {
  it('is full for a new project by default, can be preset by the server, and accepts only its three values', async () => {
    expect((await world.call('getProject')).result.browserAccess).toBe('full')
    expect((await set('some')).status).toBe(400)
    expect((await set('none')).result.browserAccess).toBe('none')
    const strict = await aWorld({ settings: { browserAccess: 'subscribe-only' } })
    expect((await strict.call('getProject')).result.browserAccess).toBe('subscribe-only')
    await strict.client.close()
  })
})

describe.each(open)('$name from a whitelisted Origin', (one) => {
  const isSubscribing = subscribing.includes(one.row.id)

  it('is open under full, and under subscribe-only if it subscribes', async () => {
    await set('full')
    expect((await preflight(one, shop)).status).toBe(204)
    await set('subscribe-only')
    expect((await preflight(one, shop)).status).toBe(isSubscribing ? 204 : 404)
    const { status } = await call(one, shop)
    expect(status === 403).toBe(!isSubscribing)
  })

  it('is refused like any other Origin under none', async () => {
    await set('none')
    expect(await preflight(one, shop)).toEqual(await preflight(one, 'https://evil.example'))
    expect(await call(one, shop)).toEqual(await call(one, 'https://evil.example'))
    expect((await call(one, shop)).status).toBe(403)
  })
})

it('the page for preferences may call what its token opens, whatever browserAccess is', async () => {
  const page = 'https://preferences.example.com'
  const customSubscriptionPreferencesUrl = `${page}/mine`
  await world.call('updateProject', { body: { customSubscriptionPreferencesUrl, browserAccess: 'none' } })
  for (const one of open) expect((await preflight(one, page)).status).toBe(one.row.preferences ? 204 : 404)
  for (const one of open) expect((await call(one, page)).status).toBe(403)
  await world.call('updateProject', { body: { customSubscriptionPreferencesUrl: null } })
  for (const one of open) expect((await preflight(one, page)).status).toBe(404)
})

describe('under subscribe-only', () => {
  const headers = { origin: shop }
  beforeAll(() => set('subscribe-only'))

  it('a page creates contacts, subscribes and submits forms, and reads the responses', async () => {
    const { _id: projectId } = world.project.project
    const created = await world.client.call('createContact', {
      params: { projectId },
      body: { email: 'new@example.com' },
      headers,
    })
    expect(created).toMatchObject({ status: 201, result: { email: 'new@example.com' } })
    const subscribed = await world.client.call('subscribeToList', {
      params: { id: list },
      body: { email: 'two@example.com' },
      headers,
    })
    expect(subscribed).toMatchObject({ status: 201, result: { email: 'two@example.com', status: 'active' } })
    const submitted = await world.client.call('submitSignupForm', {
      params: { id: form },
      body: { email: 'three@example.com' },
      headers,
    })
    expect(submitted.status).toBe(201)
  })

  it('a page neither changes an existing contact nor learns its spelling', async () => {
    const other = (
      await world.call('createSubscriberList', { body: { name: 'Other', signupForm: { showCaptcha: false } } })
    ).result._id
    await world.call('updateSignupForm', { params: { id: form }, body: { subscriberListIds: [list, other] } })
    const body = { email: 'ADA@example.com', name: 'Eve' }
    const subscribed = await world.client.call('subscribeToList', { params: { id: other }, body, headers })
    expect(subscribed.result).toEqual({ email: 'ADA@example.com', status: 'active' })
    const third = (await world.call('createSubscriberList', { body: { name: 'Third' } })).result._id
    await world.call('updateSignupForm', { params: { id: form }, body: { subscriberListIds: [third] } })
    await world.client.call('submitSignupForm', { params: { id: form }, body, headers })
    expect((await world.call('getContact', { params: { email } })).result).toMatchObject({
      email,
      name: 'Ada',
      _lists: expect.arrayContaining(['Open', 'Other', 'Third']),
    })
  })

  it('a key may still do everything', async () => {
    expect((await world.call('getContact', { params: { email } })).status).toBe(200)
  })
})

it('exactly the endpoints that subscribe are marked as subscribe-only', () => {
  const marked = new Set(
    open.filter(({ row }) => browserAccessNeededFor(row) === 'subscribe-only').map(({ row }) => row.id),
  )
  expect([...marked].sort()).toEqual([...subscribing].sort())
})
