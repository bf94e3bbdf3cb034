import { addressFingerprint, signedToken } from '@posthorn/core/ports/transport'
import { readCaptchaText, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

const origin = 'https://shop.example.com'
const refusal = { status: 403, error: { message: 'Missing or invalid API key.' } }

let world: World
let list: { id: string }
let strict: { id: string }
let plain: { id: string }
let members: { id: string }
let board: { id: string }
let other: Awaited<ReturnType<typeof sampleProject>>

beforeAll(async () => {
  world = await aWorld()
  other = await sampleProject(world.core, { name: 'Other' })
  const made = async (body: object) => ({ id: (await world.call('createSubscriberList', { body })).result._id })
  const confirmation = await world.call('createTransactionalEmail', {
    body: { name: 'C', subject: 'C', type: 'html', document: '<a href="{{verifyLink}}">yes</a>' },
  })
  list = { id: world.project.list._id }
  strict = await made({ name: 'Strict', doubleOptIn: { active: true, emailId: confirmation.result._id } })
  plain = await made({ name: 'Plain', signupForm: { showCaptcha: false } })
  members = await made({ name: 'Members', private: true })
  board = await made({ name: 'Board', private: true })
  await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
  await world.call('createSuppression', { body: { email: 'spam@example.com', reason: 'complaint' } })
})
afterAll(() => world.client.close())

const subscriber = async ({ id }: { id: string }, email: string) =>
  (await world.call('getSubscriber', { params: { id, email } })).result

describe('subscribeToList from a whitelisted Origin', () => {
  const subscribe = (params: { id: string }, body: object, headers: Record<string, string> = { origin }) =>
    world.call('subscribeToList', { key: '', headers, params, body })
  const solved = async () => {
    const { data, probe } = (await world.client.call('getCaptcha')).result
    return { captchaText: readCaptchaText(data), captchaProbe: probe }
  }
  const invalidCaptcha = { status: 400, error: { message: 'Invalid CAPTCHA. Please try again.' } }

  it('accepts a solved CAPTCHA, and lets that Origin read the response', async () => {
    const answer = await subscribe(list, { email: 'ada@example.com', name: 'Ada', ...(await solved()) })
    expect(answer).toMatchObject({ status: 201, result: { status: 'active', email: 'ada@example.com' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('accepts each CAPTCHA once', async () => {
    const answer = await solved()
    expect((await subscribe(list, { email: 'one@example.com', ...answer })).status).toBe(201)
    expect(await subscribe(list, { email: 'two@example.com', ...answer })).toMatchObject(invalidCaptcha)
  })

  it('rejects a missing or wrong CAPTCHA answer, and a second try at it', async () => {
    const { captchaText, captchaProbe } = await solved()
    for (const wrong of [{}, { captchaText }, { captchaProbe, captchaText: '' }, { captchaText, captchaProbe }])
      expect(await subscribe(list, { email: 'bob@example.com', ...wrong })).toMatchObject(invalidCaptcha)
    expect((await world.call('getSubscriber', { params: { ...list, email: 'bob@example.com' } })).status).toBe(404)
  })

  it('reveals nothing about an address before the CAPTCHA is solved', async () => {
    for (const email of ['ada@example.com', 'spam@example.com', 'nobody@example.com'])
      expect(await subscribe(list, { email })).toMatchObject(invalidCaptcha)
    expect((await subscribe(list, { email: 'ada@example.com', ...(await solved()) })).error?.message).toBe(
      'Email already exists.',
    )
    expect((await subscribe(list, { email: 'spam@example.com', ...(await solved()) })).status).toBe(405)
  })

  it('does not use up the CAPTCHA when another field is invalid', async () => {
    const answer = await solved()
    expect((await subscribe(list, { email: 'eve', shoe: 1, ...answer })).error?.message).toMatch(
      /Unexpected field: shoe/,
    )
    expect((await subscribe(list, { email: 'eve@example.com', ...answer })).status).toBe(201)
  })

  it('requires no CAPTCHA if the list requires none', async () => {
    expect((await subscribe(plain, { email: 'ada@example.com' })).status).toBe(201)
  })

  it('applies the double opt-in whatever status the page requests', async () => {
    const answer = await subscribe(strict, { email: 'eve@example.com', status: 'active', ...(await solved()) })
    expect(answer.result.status).toBe('unverified')
    expect((await subscriber(strict, 'eve@example.com')).status).toBe('unverified')
  })

  it('refuses other Origins, those of other projects, and a wrong key', async () => {
    const body = { email: 'cy@example.com' }
    for (const wrong of ['https://evil.example', 'null', 'https://sub.shop.example.com', ''])
      expect(await subscribe(plain, body, { origin: wrong })).toMatchObject(refusal)
    expect(await subscribe({ id: other.list._id }, body)).toMatchObject(refusal)
    expect(await subscribe({ id: '0'.repeat(24) }, body)).toMatchObject(refusal)
    expect(await subscribe(plain, body, { origin, authorization: 'Bearer wrong' })).toMatchObject(refusal)
  })

  it('requires no CAPTCHA from a key, and lets a key skip the double opt-in', async () => {
    const body = { email: 'key@example.com', status: 'active', captchaText: 'x', captchaProbe: 'y' }
    expect((await world.call('subscribeToList', { params: strict, body })).result.status).toBe('active')
  })

  it('allows POST with a JSON body in the preflight', async () => {
    const preflight = await fetch(`${world.client.base}/v1/subscriber-lists/${list.id}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST')
  })
})

describe('listSubscribersOfList by a JWT', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwt = (claims: object, alg = 'HS256') => {
    const exp = world.clock.now().getTime() / 1000 + 3600
    const text = `${part({ alg, typ: 'JWT' })}.${part({ exp, ...claims })}`
    return `${text}.${world.ports.secrets.sign(text, 'operator-token')}`
  }
  const listed = (key: string, params = list) => world.call('listSubscribersOfList', { key, params })
  const owner = (accountId: string) => jwt({ sub: 'o', role: 'account-owner', accountId })

  it('shows every list to an admin, and the account’s lists to its owner', async () => {
    const admin = jwt({ sub: 'a', role: 'admin' })
    expect(await listed(admin)).toMatchObject({ status: 200, result: { count: expect.any(Number), next: null } })
    expect((await listed(admin, { id: other.list._id })).status).toBe(200)
    expect((await listed(owner(world.project.account._id))).status).toBe(200)
  })

  it('refuses the owner of another account, unknown lists and invalid tokens', async () => {
    expect(await listed(owner(other.account._id))).toMatchObject(refusal)
    expect(await listed(jwt({ sub: 'a', role: 'admin' }), { id: '0'.repeat(24) })).toMatchObject(refusal)
    const yesterday = world.clock.now().getTime() / 1000 - 86_400
    for (const token of [
      jwt({ sub: 'a', role: 'admin' }, 'none'),
      jwt({ sub: 'a', role: 'admin', exp: yesterday }),
      jwt({ sub: 'a', role: 'reader' }),
      jwt({ sub: 'a', role: 'account-owner' }),
      `${jwt({ sub: 'a', role: 'admin' })}x`,
    ])
      expect(await listed(token)).toMatchObject(refusal)
  })

  it('does not open any other endpoint', async () => {
    const key = jwt({ sub: 'a', role: 'admin' })
    expect(await world.call('listSubscribers', { key, params: list })).toMatchObject(refusal)
    expect(
      await world.call('getSubscriberOfList', { key, params: { ...list, email: 'ada@example.com' } }),
    ).toMatchObject(refusal)
    expect(await world.call('subscribeToList', { key, params: list, body: { email: 'x@example.com' } })).toMatchObject(
      refusal,
    )
  })

  it('validates the query', async () => {
    const key = jwt({ sub: 'a', role: 'admin' })
    expect((await world.call('listSubscribersOfList', { key, params: list, query: { limit: '0' } })).status).toBe(400)
  })
})

describe('a preferences token as bearer', () => {
  const email = 'Person@example.com'
  let token = ''
  beforeAll(async () => {
    for (const params of [list, members]) await world.call('subscribe', { params, body: { email } })
    const { _id } = (await world.call('getContact', { params: { email } })).result
    const a = addressFingerprint(world.ports.secrets, { _id, emailKey: email.toLowerCase() })
    token = signedToken(world.ports.secrets, { purpose: 'preferences', c: _id, a })
  })
  const path = ['subscribe', 'subscribeToList'] as const
  const paths = ['updateSubscriber', 'updateSubscriberOfList'] as const

  it('shows the lists of its own address, in any spelling, and refuses other addresses', async () => {
    const shown = (address: string) => world.call('listPublicLists', { key: token, params: { email: address } })
    const { result } = await shown(email.toLowerCase())
    expect(result.items.map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['Readers', 'active'],
        ['Members', 'active'],
        ['Strict', undefined],
      ]),
    )
    expect(result.items.map(({ name }) => name)).not.toContain('Board')
    for (const address of ['ada@example.com', 'nobody@example.com', `${email}.org`])
      expect(await shown(address)).toMatchObject(refusal)
  })

  describe.each(path)('%s', (id) => {
    const subscribe = (params: { id: string }, body: object) => world.call(id, { key: token, params, body })

    it('joins a public list without the double opt-in for unknown contacts', async () => {
      for (const { id: one } of [list, strict])
        await world.call('updateSubscriber', { params: { id: one, email }, body: { status: 'unsubscribed' } })
      expect(await subscribe(list, { email })).toMatchObject({ status: 201, result: { status: 'active', email } })
      expect((await subscriber(list, email)).status).toBe('active')
      expect(await subscribe(list, { email })).toMatchObject({
        status: 400,
        error: { message: 'Email already exists.' },
      })
      expect((await subscribe(strict, { email })).status).toBe(201)
      expect((await subscriber(strict, email)).status).toBe('active')
    })

    it('cannot subscribe others, or join lists that only members see', async () => {
      expect(await subscribe(list, { email: 'friend@example.com' })).toMatchObject(refusal)
      expect(await subscribe(board, { email })).toMatchObject(refusal)
      expect(await subscribe({ id: other.list._id }, { email })).toMatchObject(refusal)
    })

    it('cannot set fields of the contact', async () => {
      expect((await subscribe(plain, { email, name: 'Mallory' })).error?.message).toBe('Unexpected field: name')
    })
  })

  describe.each(paths)('%s', (id) => {
    const update = (params: { id: string }, body: object, address = email) =>
      world.call(id, { key: token, params: { ...params, email: address }, body })

    it('pauses, reactivates and unsubscribes', async () => {
      expect((await update(members, { status: 'paused', pausedUntil: '2099-01-01' })).result).toMatchObject({
        status: 'paused',
        pausedUntil: '2099-01-01T00:00:00.000Z',
      })
      expect((await update(members, { status: 'active' })).result).toEqual({
        email,
        customFields: {},
        status: 'active',
      })
      expect((await update(members, { status: 'unsubscribed' })).result.status).toBe('unsubscribed')
    })

    it('rejects a pause without a future end, changes of the contact, and empty changes', async () => {
      expect((await update(list, { status: 'paused' })).error?.message).toBe(
        'The pausedUntil date must be set in the future.',
      )
      expect((await update(list, { status: 'active', email: 'new@example.com' })).status).toBe(400)
      expect((await update(list, {})).status).toBe(400)
    })

    it('works only for its address and the lists that it may see', async () => {
      expect(await update(list, { status: 'unsubscribed' }, 'ada@example.com')).toMatchObject(refusal)
      expect(await update(board, { status: 'active' })).toMatchObject(refusal)
      expect((await update(plain, { status: 'unsubscribed' })).status).toBe(404)
    })
  })

  it('lets a suppressed address leave lists but not join them', async () => {
    const { _id } = await world.call('createSuppression', { body: { email } }).then(({ result }) => result)
    expect((await world.call('subscribe', { key: token, params: plain, body: { email } })).status).toBe(405)
    const update = (status: string) =>
      world.call('updateSubscriber', { key: token, params: { ...members, email }, body: { status } })
    expect((await update('active')).status).toBe(405)
    expect((await update('unsubscribed')).status).toBe(200)
    await world.call('deleteSuppression', { params: { id: _id } })
  })

  it('opens no other endpoint or project, and tokens of other purposes do not open this one', async () => {
    expect(await world.call('getSubscriber', { key: token, params: { ...list, email } })).toMatchObject(refusal)
    expect(await world.call('getContact', { key: token, params: { email } })).toMatchObject(refusal)
    expect(
      await world.call('listPublicLists', { key: token, params: { email, projectId: other.project._id } }),
    ).toMatchObject(refusal)
    const { _id: c } = (await world.call('getContact', { params: { email } })).result
    const key = signedToken(world.ports.secrets, { purpose: 'unsubscribe', l: list.id, c })
    expect(await world.call('listPublicLists', { key, params: { email } })).toMatchObject(refusal)
  })

  it('stays valid when its contact changes the address, and ends with the contact', async () => {
    const moved = 'moved@example.com'
    const shown = async (address: string) =>
      (await world.call('listPublicLists', { key: token, params: { email: address } })).status
    await world.call('updateContact', { params: { email }, body: { email: moved } })
    expect([await shown(email), await shown(moved)]).toEqual([403, 200])
    await world.call('deleteContact', { params: { email: moved } })
    expect(await shown(moved)).toBe(403)
  })
})
