import { createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const mine = 'mine@example.com'
const victim = 'victim@example.com'
const minute = 60_000

const unquoted = (quotedPrintable: string) => quotedPrintable.replaceAll('=\r\n', '').replaceAll('=3D', '=')

/** A list that asks to confirm, one that does not, and a form with a double opt-in for a third. */
const start = async () => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list: open } = await sampleProject(core)
  const text = { subject: 'S', type: 'text' } as const
  const confirm = { ...text, name: 'C', document: '{{verifyLink}}' }
  const emailId = (await core.transactionalEmails.create(scope, confirm))._id
  const doubleOptIn = { active: true, emailId }
  const strict = await core.subscriberLists.create(scope, { name: 'Strict', doubleOptIn })
  const ofForm = await core.subscriberLists.create(scope, { name: 'Of a form' })
  const form = await core.signupForms.create(scope, {
    name: 'Form',
    captchaType: 'none',
    subscriberListIds: [ofForm._id],
    doubleOptIn,
  })
  const triggered = await core.triggeredEmails.create(scope, {
    ...text,
    name: 'T',
    document: '{{unsubscribeLink}}',
    subscriberListId: open._id,
  })
  const browser: Scope = { projectId: scope.projectId, caller: 'origin' }

  /** The token of the last such link in a mail to the address. */
  const tokenTo = async (address: string, path: 'verify' | 'preferences') => {
    await core.worker.runUntilIdle()
    const links = mailer.sent
      .filter(({ to }) => to === address)
      .flatMap(({ mime }) => [...unquoted(mime).matchAll(/(\w+)\?token=([\w.-]+)/g)])
    return links.filter(([, name]) => name === path).at(-1)?.[2]
  }
  const confirmed = async (address: string, list: string) => {
    await core.subscribers.subscribe(browser, list, { email: address })
    await core.subscribers.verify(await tokenTo(address, 'verify'))
    clock.advance(10 * minute)
  }
  return {
    core,
    clock,
    scope,
    browser,
    form: form._id,
    strict: strict._id,
    open: open._id,
    ofForm: ofForm._id,
    confirmed,
    tokenTo,
    preferencesTo: async (address: string) => {
      await core.subscribers.subscribe(scope, open._id, { email: address })
      await core.sends.triggered(scope, { triggeredId: triggered._id, emails: [address] })
      return tokenTo(address, 'preferences')
    },
    status: async (list: string, address = victim) => (await core.subscribers.get(scope, list, address)).status,
  }
}
type World = Awaited<ReturnType<typeof start>>

/** Every way in which a browser gives a contact another address. */
const ways: readonly (readonly [string, (world: World, from: string, to: string) => Promise<unknown>])[] = [
  ['the contact', ({ core, browser }, from, to) => core.contacts.update(browser, from, { email: to })],
  [
    'a list that asks',
    ({ core, browser, strict }, from, to) => core.subscribers.update(browser, strict, from, { email: to }),
  ],
  [
    'a list that asks, with a status',
    ({ core, browser, strict }, from, to) =>
      core.subscribers.update(browser, strict, from, { email: to, status: 'active' }),
  ],
  [
    'a list that asks, with a pause',
    ({ core, browser, strict }, from, to) =>
      core.subscribers.update(browser, strict, from, { email: to, status: 'paused', pausedUntil: '2099-01-01' }),
  ],
]

describe.each(ways)('an address that a browser changes by %s', (_, change) => {
  it('is unverified on confirmed lists until its own mail’s link is followed', async () => {
    const world = await start()
    const { core, strict, tokenTo, status } = world
    await world.confirmed(mine, strict)
    await change(world, mine, victim)
    expect(await status(strict)).toBe('unverified')
    await core.subscribers.verify(await tokenTo(victim, 'verify'))
    expect(await status(strict)).toBe('active')
  })

  it('is not confirmed by a link sent to the earlier address', async () => {
    const world = await start()
    const { core, clock, browser, strict, tokenTo, status } = world
    await core.subscribers.subscribe(browser, strict, { email: mine })
    const token = await tokenTo(mine, 'verify')
    clock.advance(10 * minute)
    await change(world, mine, victim).catch(() => core.contacts.update(browser, mine, { email: victim }))
    await expect(core.subscribers.verify(token)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await status(strict)).toBe('unverified')
  })

  it('is not confirmed by a link followed during the change', async () => {
    const world = await start()
    const { core, clock, browser, strict, tokenTo, status } = world
    for (let turn = 0; turn < 10; turn += 1) {
      const [from, to] = [`mine${turn}@example.com`, `victim${turn}@example.com`]
      await core.subscribers.subscribe(browser, strict, { email: from })
      const token = await tokenTo(from, 'verify')
      clock.advance(10 * minute)
      const verifying = async () => {
        for (let tick = 0; tick < turn * 3; tick += 1) await Promise.resolve()
        return core.subscribers.verify(token)
      }
      const changing = change(world, from, to).catch(() => core.contacts.update(browser, from, { email: to }))
      await Promise.allSettled([changing, verifying()])
      expect(await status(strict, to).catch(() => status(strict, from))).not.toBe('active')
    }
  })
})

describe('a membership changed by a browser', () => {
  it('is unverified on a double opt-in form’s list, and unchanged on lists without double opt-in', async () => {
    const { core, clock, browser, form, open, ofForm, tokenTo, status } = await start()
    await core.signupForms.submit(browser, form, { email: mine })
    await core.subscribers.verify(await tokenTo(mine, 'verify'))
    await core.subscribers.subscribe(browser, open, { email: mine })
    clock.advance(10 * minute)
    await core.subscribers.update(browser, open, mine, { email: victim })
    expect([await status(ofForm), await status(open)]).toEqual(['unverified', 'active'])
  })

  it('gets one mail for all lists that the new address must confirm', async () => {
    const { core, clock, browser, form, strict, ofForm, confirmed, tokenTo, status } = await start()
    await core.signupForms.submit(browser, form, { email: mine })
    await core.subscribers.verify(await tokenTo(mine, 'verify'))
    clock.advance(10 * minute)
    await confirmed(mine, strict)
    await core.contacts.update(browser, mine, { email: victim })
    await core.subscribers.verify(await tokenTo(victim, 'verify'))
    expect([await status(ofForm), await status(strict)]).toEqual(['active', 'active'])
  })

  it('is unchanged if the new address is taken or suppressed', async () => {
    const { core, scope, browser, strict, confirmed, status } = await start()
    await confirmed(mine, strict)
    await core.contacts.create(scope, { email: 'taken@example.com' })
    await core.suppressions.create(scope, { email: 'spam@example.com', reason: 'complaint' })
    const change = (email: string) => core.contacts.update(browser, mine, { email })
    await expect(change('taken@example.com')).rejects.toMatchObject({ message: 'Email already exists.' })
    await expect(change('spam@example.com')).rejects.toMatchObject({ kind: 'blocked' })
    expect(await status(strict, mine)).toBe('active')
  })

  it('keeps its status if only the spelling changes', async () => {
    const { core, browser, strict, confirmed, status } = await start()
    await confirmed(mine, strict)
    await core.contacts.update(browser, mine, { email: 'Mine@Example.com', name: 'M' })
    expect(await status(strict, mine)).toBe('active')
  })

  it('keeps its confirmed status if a key changes the address', async () => {
    const { core, scope, strict, confirmed, status } = await start()
    await confirmed(mine, strict)
    await core.contacts.update(scope, mine, { email: victim })
    expect(await status(strict)).toBe('active')
  })

  it('returns from unsubscribed only to unverified, whatever status is requested', async () => {
    const { core, clock, browser, strict, confirmed, status } = await start()
    await confirmed(mine, strict)
    await core.subscribers.update(browser, strict, mine, { status: 'unsubscribed', email: victim })
    expect(await status(strict)).toBe('unsubscribed')
    for (const wish of [{ status: 'active' }, { status: 'paused', pausedUntil: '2099-01-01' }] as const)
      await expect(core.subscribers.update(browser, strict, victim, wish)).rejects.toMatchObject({ kind: 'blocked' })
    for (const pausedUntil of ['2099-01-01', '2001-01-01'])
      await expect(core.subscribers.update(browser, strict, victim, { pausedUntil })).rejects.toMatchObject({
        kind: 'invalid',
      })
    clock.advance(10 * minute)
    await core.subscribers.subscribe(browser, strict, { email: victim, status: 'active' })
    expect(await status(strict)).toBe('unverified')
  })

  it('can be paused and resumed if it was confirmed', async () => {
    const { core, browser, strict, confirmed, status } = await start()
    await confirmed(mine, strict)
    await core.subscribers.update(browser, strict, mine, { status: 'paused', pausedUntil: '2099-01-01' })
    await core.subscribers.update(browser, strict, mine, { status: 'active' })
    expect(await status(strict, mine)).toBe('active')
  })
})

describe('a preferences token of the earlier address', () => {
  it('cannot join double opt-in lists, but can pause and unsubscribe', async () => {
    const world = await start()
    const { core, browser, strict, open, confirmed, status } = world
    await confirmed(mine, strict)
    const token = await world.preferencesTo(mine)
    await core.contacts.update(browser, mine, { email: victim })
    const scope = await core.access.authorize(world.scope.projectId, { bearer: token }, { preferences: true })
    const join = { _id: strict, status: 'active' } as const
    const refused = { kind: 'blocked', message: expect.stringContaining('newer mail') }
    await expect(core.subscribers.changePreferences(token, { lists: [join] })).rejects.toMatchObject(refused)
    await expect(core.subscribers.update(scope, strict, victim, { status: 'active' })).rejects.toMatchObject(refused)
    await core.subscribers.update(scope, strict, victim, { status: 'unsubscribed' })
    await expect(core.subscribers.subscribe(scope, strict, { email: victim })).rejects.toMatchObject(refused)
    await core.subscribers.changePreferences(token, { all: { status: 'unsubscribed' } })
    await core.subscribers.changePreferences(token, { lists: [{ _id: open, status: 'active' }] })
    expect([await status(strict), await status(open)]).toEqual(['unsubscribed', 'active'])
  })

  it('of the current address joins without confirmation', async () => {
    const { core, strict, preferencesTo, status } = await start()
    const token = await preferencesTo(mine)
    await core.subscribers.changePreferences(token, { lists: [{ _id: strict, status: 'active' }] })
    expect(await status(strict, mine)).toBe('active')
  })
})

describe('the end of a pause', () => {
  it('can be changed without a status, by a key and a preferences token', async () => {
    const { core, scope, open, preferencesTo } = await start()
    const token = await preferencesTo(mine)
    const bearer = await core.access.authorize(scope.projectId, { bearer: token }, { preferences: true })
    await core.subscribers.update(scope, open, mine, { status: 'paused', pausedUntil: '2098-01-01' })
    for (const [by, pausedUntil] of [
      [scope, '2099-01-01T00:00:00.000Z'],
      [bearer, '2097-01-01T00:00:00.000Z'],
    ] as const)
      expect(await core.subscribers.update(by, open, mine, { pausedUntil })).toMatchObject({
        status: 'paused',
        pausedUntil,
      })
  })

  it('cannot be set for a subscriber who is not paused', async () => {
    const { core, clock, scope, open, preferencesTo, status } = await start()
    const token = await preferencesTo(mine)
    const bearer = await core.access.authorize(scope.projectId, { bearer: token }, { preferences: true })
    const move = (by: Scope, pausedUntil: string) => core.subscribers.update(by, open, mine, { pausedUntil })
    const refused = { kind: 'invalid', message: expect.stringContaining('only the end of a pause that is on') }
    for (const by of [scope, bearer]) {
      await expect(move(by, '2099-01-01')).rejects.toMatchObject(refused)
      expect(await status(open, mine)).toBe('active')
    }
    const soon = new Date(clock.now().getTime() + minute).toISOString()
    await core.subscribers.update(scope, open, mine, { status: 'paused', pausedUntil: soon })
    clock.advance(2 * minute)
    await expect(move(scope, '2099-01-01')).rejects.toMatchObject(refused)
    expect(await status(open, mine)).toBe('active')
  })
})
