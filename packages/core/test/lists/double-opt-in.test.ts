import { createCore, type Scope } from '@posthorn/core'
import { signedToken } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const unquoted = (quotedPrintable: string) => quotedPrintable.replaceAll('=\r\n', '').replaceAll('=3D', '=')

const start = async ({ credits = 100 } = {}) => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core, { credits })
  const mail = await core.transactionalEmails.create(scope, {
    name: 'Confirm',
    subject: 'Please confirm',
    type: 'text',
    document: 'Hello, {{verifyLink}}',
  })
  const doubleOptIn = { active: true, emailId: mail._id, redirectLink: 'https://shop.example.com/thanks' }
  const { _id } = await core.subscriberLists.create(scope, { name: 'Careful', doubleOptIn })
  /** The tokens of all verification mails, in order. */
  const tokens = async () => {
    await core.worker.runUntilIdle()
    return mailer.sent.map(({ mime }) => /verify\?token=([\w.-]+)/.exec(unquoted(mime))?.[1])
  }
  return {
    core,
    ports,
    clock,
    scope,
    id: _id,
    mail,
    doubleOptIn,
    tokens,
    browser: { ...scope, caller: 'origin' } as Scope,
    status: async (email = 'ada@example.com') => (await core.subscribers.get(scope, _id, email)).status,
  }
}

describe('a list with double opt-in', () => {
  it('keeps new subscribers unverified until they follow the link', async () => {
    const { core, scope, id, tokens, status } = await start()
    expect(await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })).toMatchObject({
      status: 'unverified',
    })
    const [token] = await tokens()
    expect(await status()).toBe('unverified')
    const page = await core.subscribers.verify(token)
    expect(page).toEqual({
      redirectTo: 'https://shop.example.com/thanks',
      title: 'Your subscription is confirmed',
      message: 'Thank you. You can close this page.',
    })
    expect(await status()).toBe('active')
    expect(await core.subscribers.verify(token)).toEqual(page)
  })

  it('sends no mail for an explicit active with an API key, but does for a browser', async () => {
    const { core, scope, browser, id, tokens, status } = await start()
    const subscribe = (by: Scope, email: string) => core.subscribers.subscribe(by, id, { email, status: 'active' })
    await subscribe(scope, 'ada@example.com')
    await subscribe(browser, 'bob@example.com')
    expect(await tokens()).toHaveLength(1)
    expect(await status('ada@example.com')).toBe('active')
    expect(await status('bob@example.com')).toBe('unverified')
  })

  it('cannot be bypassed by an update from a browser', async () => {
    const { core, scope, browser, id, status } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    const activate = (by: Scope) => core.subscribers.update(by, id, 'ada@example.com', { status: 'active' })
    const pause = () =>
      core.subscribers.update(browser, id, 'ada@example.com', { status: 'paused', pausedUntil: '2026-02-01' })
    await expect(activate(browser)).rejects.toMatchObject({ kind: 'blocked' })
    await expect(pause()).rejects.toMatchObject({ kind: 'blocked' })
    expect(await status()).toBe('unverified')
    await activate(scope)
    await pause()
    expect((await activate(browser)).status).toBe('active')
  })

  it('asks unsubscribed contacts to confirm again', async () => {
    const { core, scope, id, tokens, status } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com', status: 'active' })
    await core.subscribers.update(scope, id, 'ada@example.com', { status: 'unsubscribed' })
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    expect(await status()).toBe('unverified')
    const [token] = await tokens()
    await core.subscribers.verify(token)
    expect(await status()).toBe('active')
  })

  it('stores nothing if the mail cannot be sent', async () => {
    const { core, scope, id } = await start({ credits: 0 })
    await expect(core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })).rejects.toMatchObject({
      kind: 'blocked',
      message: 'Insufficient credits available',
    })
    await expect(core.contacts.get(scope, 'ada@example.com')).rejects.toMatchObject({ kind: 'not-found' })
    expect((await core.subscribers.list(scope, id, { limit: 10, skip: 0 })).count).toBe(0)
  })

  it('resends the mail to unverified contacts only', async () => {
    const { core, clock, scope, id, tokens } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    clock.advance(10 * 60_000)
    const resend = () => core.subscribers.resendVerification(scope, id, 'ADA@example.com')
    expect(await resend()).toEqual({ success: true })
    const [, second] = await tokens()
    await core.subscribers.verify(second)
    await expect(resend()).rejects.toMatchObject({ kind: 'invalid' })
    await expect(core.subscribers.resendVerification(scope, id, 'bob@example.com')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Contact not found',
    })
  })

  it('resends nothing once its double opt-in is off', async () => {
    const { core, scope, id, doubleOptIn } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    await core.subscriberLists.update(scope, id, { doubleOptIn: { ...doubleOptIn, active: false } })
    await expect(core.subscribers.resendVerification(scope, id, 'ada@example.com')).rejects.toThrow('not enabled')
  })

  it('does not resubscribe a contact who unsubscribed since', async () => {
    const { core, scope, id, tokens, status } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    const [token] = await tokens()
    await core.subscribers.update(scope, id, 'ada@example.com', { status: 'unsubscribed' })
    await core.subscribers.verify(token)
    expect(await status()).toBe('unsubscribed')
  })
})

describe('a double opt-in link', () => {
  const refused = { kind: 'forbidden', message: 'The link is invalid or has expired.' }

  it('is valid for 30 days', async () => {
    const { core, clock, scope, id, tokens } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    const [token] = await tokens()
    clock.advance(30 * 24 * 60 * 60_000 - 1000)
    await core.subscribers.verify(token)
    clock.advance(1000)
    await expect(core.subscribers.verify(token)).rejects.toMatchObject(refused)
  })

  it('is refused if it is forged, of another purpose, or of a removed contact', async () => {
    const { core, ports, scope, id, tokens } = await start()
    await core.subscribers.subscribe(scope, id, { email: 'ada@example.com' })
    const [token = ''] = await tokens()
    const { _id: contactId } = await core.contacts.get(scope, 'ada@example.com')
    const wrong = [
      undefined,
      '',
      'x.y',
      `${token}x`,
      token.split('.')[0],
      signedToken(ports.secrets, { purpose: 'unsubscribe', l: id, c: contactId }),
    ]
    for (const one of wrong) await expect(core.subscribers.verify(one)).rejects.toMatchObject(refused)
    await core.contacts.remove(scope, 'ada@example.com')
    await expect(core.subscribers.verify(token)).rejects.toMatchObject(refused)
  })
})

describe('a double opt-in email', () => {
  it('must belong to the project and contain the link', async () => {
    const { core, scope, mail } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    const make = (by: Scope, doubleOptIn: object) => core.subscriberLists.create(by, { name: 'New', doubleOptIn })
    await expect(make(other, { active: true, emailId: mail._id })).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Transactional email not found',
    })
    await expect(make(scope, { active: true })).rejects.toMatchObject({ kind: 'invalid' })
    const plain = await core.transactionalEmails.create(scope, {
      name: 'Plain',
      subject: 'Hello',
      type: 'text',
      document: 'verifyLink',
    })
    await expect(make(scope, { active: true, emailId: plain._id })).rejects.toThrow('must include {{verifyLink}}')
    expect((await make(scope, { active: false, emailId: plain._id })).doubleOptIn.active).toBe(false)
  })

  it.each([
    ['{{ verifyLink }}', true],
    ['{{#if verifyLink}}{{/if}}', true],
    ['verifyLink, {{contact.name}}', false],
  ])('may be a visual document with the link anywhere: %s', async (content, can) => {
    const { core, scope } = await start()
    const document = { tagName: 'mjml', children: [{ tagName: 'mj-text', content }] }
    const { _id } = await core.transactionalEmails.create(scope, { name: 'Visual', subject: 'Hello', document })
    const made = core.subscriberLists.create(scope, { name: 'New', doubleOptIn: { active: true, emailId: _id } })
    expect(await made.then(() => true).catch(() => false)).toBe(can)
  })
})

describe('an active double opt-in email', () => {
  const inUse = {
    kind: 'blocked',
    message: expect.stringMatching(/^The email must keep \{\{verifyLink\}\}: .* the (list|form) /),
  }

  it('must keep its {{verifyLink}}', async () => {
    const { core, scope, mail } = await start()
    const update = (input: object) => core.transactionalEmails.update(scope, mail._id, input)
    await expect(update({ document: 'Hello' })).rejects.toMatchObject(inUse)
    await expect(update({ type: 'visual', document: {} })).rejects.toMatchObject(inUse)
    expect(await update({ name: 'New', document: 'Hi {{verifyLink}}' })).toMatchObject({
      document: 'Hi {{verifyLink}}',
    })
  })

  it('must keep it for a form, too', async () => {
    const { core, scope, id, mail, doubleOptIn } = await start()
    await core.signupForms.create(scope, { name: 'F', captchaType: 'none', subscriberListIds: [id], doubleOptIn })
    await core.subscriberLists.update(scope, id, { doubleOptIn: { active: false, emailId: mail._id } })
    const update = core.transactionalEmails.update(scope, mail._id, { document: 'Hello' })
    await expect(update).rejects.toMatchObject(inUse)
  })

  it('may lose it if no double opt-in is active', async () => {
    const { core, scope, id, mail } = await start()
    await core.subscriberLists.update(scope, id, { doubleOptIn: { active: false, emailId: mail._id } })
    const changed = await core.transactionalEmails.update(scope, mail._id, { document: 'Hello' })
    expect(changed).toMatchObject({ document: 'Hello' })
  })
})
