import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
let list: { id: string }
beforeAll(async () => {
  world = await aWorld()
  list = { id: world.project.list._id }
})
afterAll(() => world.client.close())

const subscribe = (body: unknown) => world.call('subscribe', { params: list, body })
const member = (email: string) => ({ ...list, email })
const status = async (email: string) => (await world.call('getSubscriber', { params: member(email) })).result?.status

/** The mail that was sent last to the address, and a link in it. */
const mailTo = async (email: string) => {
  await world.core.worker.runUntilIdle()
  return (
    world.mailer.sent
      .findLast(({ to }) => to === email)
      ?.mime.replace(/=\r\n/g, '')
      .replaceAll('=3D', '=')
      .replaceAll('&#x3D;', '=') ?? ''
  )
}
const linkIn = (text: string, start: string) =>
  new RegExp(`${start.replaceAll('/', '\\/')}[^"\\s\\]>]*`).exec(text)?.[0] ?? ''
const local = (link: string) => link.replace('https://posthorn.example.com', world.client.base)
const page = async (link: string, form?: Record<string, string>) => {
  const response = await fetch(
    local(link),
    form ? { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' } : {},
  )
  return { status: response.status, text: await response.text(), location: response.headers.get('location') }
}

describe('subscribe', () => {
  it('creates the contact and the membership', async () => {
    expect(await subscribe({ email: 'Ada@example.com', name: 'Ada' })).toMatchObject({
      status: 201,
      result: { status: 'active', email: 'Ada@example.com' },
    })
    expect((await world.call('getContact', { params: { email: 'ada@example.com' } })).result).toMatchObject({
      name: 'Ada',
      _lists: ['Readers'],
    })
  })

  it('rejects an address that is already on the list, in any spelling', async () => {
    expect(await subscribe({ email: 'ADA@EXAMPLE.COM' })).toMatchObject({
      status: 400,
      error: { message: 'Email already exists.' },
    })
  })

  it('reactivates an unsubscribed contact', async () => {
    await world.call('updateSubscriber', { params: member('ada@example.com'), body: { status: 'unsubscribed' } })
    expect((await subscribe({ email: 'ada@example.com' })).result).toEqual({
      status: 'active',
      email: 'Ada@example.com',
    })
  })

  it('rejects a suppressed address, an unsupported status, and an unknown list', async () => {
    await world.call('createSuppression', { body: { email: 'spam@example.com', reason: 'complaint' } })
    expect(await subscribe({ email: 'spam@example.com' })).toMatchObject({
      status: 405,
      error: { message: 'The provided email is on the suppression list.' },
    })
    expect((await subscribe({ email: 'b@example.com', status: 'paused', shoe: 1 })).error?.message).toMatch(
      /status.*; Unexpected field: shoe|Unexpected field: shoe.*; .*status/,
    )
    expect(
      (await world.call('subscribe', { params: { id: '0'.repeat(24) }, body: { email: 'b@example.com' } })).status,
    ).toBe(404)
  })
})

describe('updateSubscriber', () => {
  it('pauses until a future day, after which the subscriber counts as active', async () => {
    const pause = (pausedUntil?: string) =>
      world.call('updateSubscriber', {
        params: member('ada@example.com'),
        body: { status: 'paused', ...(pausedUntil && { pausedUntil }) },
      })
    for (const wrong of [undefined, '2020-01-01', 'soon'])
      expect((await pause(wrong)).error?.message).toBe('The pausedUntil date must be set in the future.')
    expect((await pause('2026-01-08T00:00:00Z')).result).toMatchObject({
      status: 'paused',
      pausedUntil: '2026-01-08T00:00:00.000Z',
    })
    world.clock.advance(48 * 60 * 60_000)
    expect(await status('ada@example.com')).toBe('active')
  })

  it('returns 404 if the address is not on the list', async () => {
    expect((await world.call('updateSubscriber', { params: member('nobody@example.com'), body: {} })).status).toBe(404)
  })
})

describe.each(['updateSubscriber', 'updateSubscriberOfList'] as const)('%s with an address', (id) => {
  it('changes the contact’s address, but not to a suppressed one', async () => {
    const before = `${id.toLowerCase()}@example.com`
    await subscribe({ email: before })
    const move = (email: string) => world.call(id, { params: member(before), body: { email } })
    expect((await move('SPAM@example.com')).status).toBe(405)
    expect((await move(`new-${before}`)).result.email).toBe(`new-${before}`)
    expect((await world.call('getContact', { params: { email: `new-${before}` } })).status).toBe(200)
  })
})

describe('the legacy path', () => {
  it('rejects a suppressed address', async () => {
    expect((await world.call('subscribeToList', { params: list, body: { email: 'spam@example.com' } })).status).toBe(
      405,
    )
  })

  it('finds the project by the list, and treats an unknown list like a wrong key', async () => {
    expect((await world.call('subscribeToList', { params: list, body: { email: 'old@example.com' } })).result).toEqual({
      status: 'active',
      email: 'old@example.com',
    })
    expect(
      (await world.call('listSubscribersOfList', { params: list, query: { 'filter[email]': 'OLD@example.com' } }))
        .result.items,
    ).toMatchObject([{ email: 'old@example.com', customFields: {} }])
    expect((await world.call('getSubscriberOfList', { params: member('old@example.com') })).status).toBe(200)
    expect(
      (
        await world.call('updateSubscriberOfList', {
          params: member('old@example.com'),
          body: { status: 'unsubscribed' },
        })
      ).result.status,
    ).toBe('unsubscribed')
    expect((await world.call('listSubscribersOfList', { params: { id: '0'.repeat(24) } })).status).toBe(403)
    expect(
      (await world.call('subscribeToList', { params: list, key: 'wrong', body: { email: 'x@example.com' } })).status,
    ).toBe(403)
  })
})

describe('a list with a double opt-in', () => {
  let strict: { id: string }
  const doubleOptIn = async (document: string, more = {}) => {
    const email = await world.call('createTransactionalEmail', {
      body: { name: 'Confirm', subject: 'Confirm', type: 'html', document },
    })
    return { active: true, emailId: email.result._id, ...more }
  }

  it('requires an email of the project that contains the link', async () => {
    const create = async (given: unknown) =>
      (await world.call('createSubscriberList', { body: { name: 'Strict', doubleOptIn: given } })).error?.message
    expect(await create({ active: true })).toContain('needs a transactional email')
    expect(await create({ active: true, emailId: '0'.repeat(24) })).toBe('Transactional email not found')
    expect(await create(await doubleOptIn('<p>no link</p>'))).toContain('must include {{verifyLink}}')
    expect(await create({ active: false, _id: 'x' })).toContain('Unexpected field: doubleOptIn._id')
  })

  it('sends the link, which confirms and may be opened again', async () => {
    const given = await doubleOptIn('<a href="{{verifyLink}}">yes</a>', {
      confirmationTitle: 'Welcome',
      confirmationMessage: 'You <3 us',
    })
    strict = {
      id: (await world.call('createSubscriberList', { body: { name: 'Strict', doubleOptIn: given } })).result._id,
    }
    expect((await world.call('subscribe', { params: strict, body: { email: 'eve@example.com' } })).result.status).toBe(
      'unverified',
    )
    const link = linkIn(await mailTo('eve@example.com'), 'https://posthorn.example.com/v1/verify')
    expect((await page(link)).text).toContain('<button>Confirm</button>')
    for (let turn = 0; turn < 2; turn += 1) {
      const confirmed = await page(link, {})
      expect(confirmed).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Welcome</h1>') })
      expect(confirmed.text).toContain('You &lt;3 us')
    }
    expect((await world.call('getSubscriber', { params: { ...strict, email: 'eve@example.com' } })).result.status).toBe(
      'active',
    )
    expect((await page(`${link}x`)).status).toBe(403)
  })

  it('can be skipped by a key, and resends the link on request', async () => {
    expect(
      (await world.call('subscribe', { params: strict, body: { email: 'sure@example.com', status: 'active' } })).result
        .status,
    ).toBe('active')
    await world.call('subscribe', { params: strict, body: { email: 'slow@example.com' } })
    const resend = (email: string) =>
      world.call('resendVerificationEmail', { params: { subscriberListId: strict.id, email } })
    const before = world.mailer.sent.length
    const tenMinutes = 10 * 60_000
    world.clock.advance(tenMinutes)
    expect((await resend('slow@example.com')).result).toEqual({ success: true })
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.length).toBe(before + 2)
    expect((await resend('sure@example.com')).status).toBe(400)
    expect((await resend('nobody@example.com')).status).toBe(404)
    await world.call('createSuppression', { body: { email: 'slow@example.com' } })
    world.clock.advance(tenMinutes)
    expect((await resend('slow@example.com')).status).toBe(405)
  })

  it('keeps its email from being deleted', async () => {
    const { result } = await world.call('getSubscriberList', { params: strict })
    expect(await world.call('deleteTransactionalEmail', { params: { id: result.doubleOptIn.emailId } })).toMatchObject({
      status: 405,
    })
  })
})

describe('the links in a campaign', () => {
  let mime = ''
  beforeAll(async () => {
    await subscribe({ email: 'reader@example.com' })
    await world.call('createCampaign', {
      body: {
        name: 'C',
        subject: 'C',
        type: 'html',
        document: '<a href="{{unsubscribeLink}}">x</a>',
        timeZone: 'UTC',
        subscriberListId: list.id,
        status: 'scheduled',
        scheduledTo: '2020-01-01T00:00:00Z',
      },
    })
    mime = await mailTo('reader@example.com')
  })

  it('unsubscribe by POST only, through the page’s button or one click', async () => {
    const link = /List-Unsubscribe: <([^>]+)>/.exec(mime.replace(/\r\n /g, ''))?.[1] ?? ''
    expect(await page(link)).toMatchObject({ status: 200, text: expect.stringContaining('Unsubscribe from Readers?') })
    expect(await status('reader@example.com')).toBe('active')
    expect(await page(link, { page: '1' })).toMatchObject({
      status: 200,
      text: expect.stringContaining('You are unsubscribed'),
    })
    expect(await status('reader@example.com')).toBe('unsubscribed')
    const again = await page(link, { 'List-Unsubscribe': 'One-Click' })
    expect([again.status, JSON.parse(again.text).result]).toEqual([200, { success: true }])
    expect((await page(link.replace(list.id, '0'.repeat(24)), { 'List-Unsubscribe': 'One-Click' })).status).toBe(404)
    expect((await page(link.slice(0, -3), { 'List-Unsubscribe': 'One-Click' })).status).toBe(403)
  })

  it('open a page to subscribe, pause and unsubscribe', async () => {
    const link = linkIn(mime, 'https://posthorn.example.com/preferences')
    expect((await page(link)).text).toContain('reader@example.com')
    const act = async (form: Record<string, string>) => {
      const { status: code, location } = await page(link, form)
      return [code, location?.startsWith('/preferences?token='), await status('reader@example.com')]
    }
    expect(await act({ action: 'subscribe', listId: list.id })).toEqual([303, true, 'active'])
    expect(await act({ action: 'pause', listId: list.id, pausedUntil: '2027-01-01' })).toEqual([303, true, 'paused'])
    expect((await page(link)).text).toContain('>1 January 2027</time>')
    expect(await act({ action: 'unsubscribe' })).toEqual([303, true, 'unsubscribed'])
    expect(await page(link, { action: 'pause', listId: list.id, pausedUntil: '2001-01-01' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('a day in the future'),
    })
    expect(await page('https://posthorn.example.com/preferences?token=forged.token')).toMatchObject({
      status: 403,
      text: expect.stringContaining('invalid'),
    })
  })
})

describe('subscriber lists', () => {
  it('can be updated, are validated, count by status, and can be removed only when unused', async () => {
    const { result } = await world.call('createSubscriberList', { body: { name: 'Mine', private: true } })
    const params = { id: result._id }
    expect(result).toMatchObject({ private: true, doubleOptIn: { active: false }, signupForm: { showCaptcha: true } })
    expect((await world.call('updateSubscriberList', { params, body: { description: 'd' } })).result).toMatchObject({
      name: 'Mine',
      private: true,
      description: 'd',
    })
    expect((await world.call('updateSubscriberList', { params, body: { name: '' } })).status).toBe(400)
    expect((await world.call('getSubscriberListStats', { params: list })).result).toMatchObject({
      active: expect.any(Number),
      unverified: 0,
    })
    const visible = async (email: string) =>
      (await world.call('listPublicLists', { params: { email } })).result.items.map(
        ({ name }: { name: string }) => name,
      )
    expect(await visible('ada@example.com')).not.toContain('Mine')
    await world.call('subscribe', { params, body: { email: 'ada@example.com' } })
    expect(await visible('ada@example.com')).toContain('Mine')
    expect((await world.call('deleteSubscriberList', { params: list })).status).toBe(405)
    expect((await world.call('deleteSubscriberList', { params })).status).toBe(200)
    expect((await world.call('getSubscriberList', { params })).status).toBe(404)
    expect((await world.call('listSubscriberLists', { query: { sort: 'name', order: 'asc' } })).result.count).toBe(2)
  })
})
