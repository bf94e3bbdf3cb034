import { createCore } from '@posthorn/core'
import { addressFingerprint, signedToken } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const email = 'ada@example.com'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const lists = {
    open: list,
    news: await core.subscriberLists.create(scope, { name: 'News' }),
    joined: await core.subscriberLists.create(scope, { name: 'Members', private: true }),
    hidden: await core.subscriberLists.create(scope, { name: 'Board', private: true }),
  }
  await core.subscribers.subscribe(scope, lists.open._id, { email })
  await core.subscribers.subscribe(scope, lists.joined._id, { email })
  const contactId = (await core.contacts.get(scope, email))._id
  const a = addressFingerprint(ports.secrets, { _id: contactId, emailKey: email.toLowerCase() })
  return {
    core,
    ports,
    clock,
    scope,
    lists,
    contactId,
    token: signedToken(ports.secrets, { purpose: 'preferences', c: contactId, a }),
    unsubscribeToken: signedToken(ports.secrets, { purpose: 'unsubscribe', l: list._id, c: contactId }),
  }
}

describe('a link of a mail that was passed on', () => {
  it('does not show the address that the contact has changed to', async () => {
    const { core, scope, token } = await start()
    expect((await core.subscribers.preferences(token)).email).toBe(email)
    await core.contacts.update(scope, email, { email: 'private@example.org' })
    expect((await core.subscribers.preferences(token)).email).toBe('p…@example.org')
    expect((await core.subscribers.changePreferences(token, { lists: [] })).email).toBe('p…@example.org')
  })

  it('shows no custom fields', async () => {
    const { core, scope, lists } = await start()
    await core.customFields.create(scope, { name: 'note', type: 'string' })
    await core.contacts.update(scope, email, { note: 'secret' })
    const holder = { projectId: scope.projectId, caller: 'preferences', address: email, isProven: true } as const
    const changed = await core.subscribers.update(holder, lists.open._id, email, { status: 'unsubscribed' })
    expect(changed).toMatchObject({ email, status: 'unsubscribed', customFields: {} })
  })
})

const statuses = ({ lists }: { lists: readonly { name: string; status?: string | undefined }[] }) =>
  Object.fromEntries(lists.map(({ name, status }) => [name, status]))

describe('one-click unsubscribe', () => {
  it('leaves that list only, however often it is repeated', async () => {
    const { core, scope, lists, unsubscribeToken } = await start()
    for (const _ of [1, 2])
      expect(await core.subscribers.unsubscribe(lists.open._id, unsubscribeToken)).toEqual({ success: true })
    expect((await core.subscribers.get(scope, lists.open._id, email)).status).toBe('unsubscribed')
    expect((await core.subscribers.get(scope, lists.joined._id, email)).status).toBe('active')
  })

  it('works after the contact changed its address', async () => {
    const { core, scope, lists, unsubscribeToken } = await start()
    await core.contacts.update(scope, email, { email: 'countess@example.com' })
    await core.subscribers.unsubscribe(lists.open._id, unsubscribeToken)
    expect((await core.subscribers.get(scope, lists.open._id, 'countess@example.com')).status).toBe('unsubscribed')
  })

  it('shows the list before it changes anything', async () => {
    const { core, scope, lists, unsubscribeToken } = await start()
    expect(await core.subscribers.unsubscription(lists.open._id, unsubscribeToken)).toEqual({
      listName: 'Readers',
      email: 'a…@example.com',
    })
    expect((await core.subscribers.get(scope, lists.open._id, email)).status).toBe('active')
  })

  it('accepts only a token of that list and purpose', async () => {
    const { core, lists, token, unsubscribeToken } = await start()
    const { subscribers } = core
    const tries = [
      [lists.news._id, unsubscribeToken],
      [lists.open._id, token],
      [lists.open._id, undefined],
      [lists.open._id, unsubscribeToken.replace('.', '.A')],
    ] as const
    for (const [id, wrong] of tries) {
      await expect(subscribers.unsubscribe(id, wrong)).rejects.toMatchObject({ kind: 'forbidden' })
      await expect(subscribers.unsubscription(id, wrong)).rejects.toMatchObject({ kind: 'forbidden' })
    }
  })

  it('finds no list of another project, no unknown list and no removed contact', async () => {
    const { core, scope, lists, unsubscribeToken } = await start()
    const theirs = (await sampleProject(core, { name: 'Theirs' })).list._id
    const refusalOf = (id: string) => core.subscribers.unsubscribe(id, unsubscribeToken).catch((error) => error)
    for (const id of [theirs, '0'.repeat(24)])
      expect(await refusalOf(id)).toMatchObject({ kind: 'not-found', message: 'Subscriber list not found' })
    await core.contacts.remove(scope, email)
    expect(await refusalOf(lists.open._id)).toMatchObject({ kind: 'not-found', message: 'Contact not found' })
  })
})

describe('a person’s preferences', () => {
  it('show public lists, and the person’s private ones', async () => {
    const { core, token } = await start()
    const preferences = await core.subscribers.preferences(token)
    expect(preferences.email).toBe(email)
    expect(statuses(preferences)).toEqual({ Readers: 'active', News: undefined, Members: 'active' })
  })

  it('change several lists at once', async () => {
    const { core, token, lists } = await start()
    const changed = await core.subscribers.changePreferences(token, {
      lists: [
        { _id: lists.open._id, status: 'paused', pausedUntil: '2026-02-01' },
        { _id: lists.news._id, status: 'active' },
        { _id: lists.joined._id, status: 'unsubscribed' },
      ],
    })
    expect(statuses(changed)).toEqual({ Readers: 'paused', News: 'active', Members: 'unsubscribed' })
    expect(changed.lists[0]).toMatchObject({ pausedUntil: '2026-02-01T00:00:00.000Z' })
    expect(await core.subscribers.preferences(token)).toEqual(changed)
  })

  it('unsubscribe from or pause all lists', async () => {
    const { core, token } = await start()
    const all = (wish: object) => core.subscribers.changePreferences(token, { all: wish as never })
    const paused = await all({ status: 'paused', pausedUntil: '2026-02-01' })
    expect(statuses(paused)).toEqual({ Readers: 'paused', News: undefined, Members: 'paused' })
    const left = await all({ status: 'unsubscribed' })
    expect(statuses(left)).toEqual({ Readers: 'unsubscribed', News: undefined, Members: 'unsubscribed' })
    await expect(all({ status: 'active' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('do not pause unsubscribed lists', async () => {
    const { core, token, lists } = await start()
    await core.subscribers.changePreferences(token, { lists: [{ _id: lists.open._id, status: 'unsubscribed' }] })
    const paused = await core.subscribers.changePreferences(token, {
      all: { status: 'paused', pausedUntil: '2026-02-01' },
    })
    expect(statuses(paused)).toEqual({ Readers: 'unsubscribed', News: undefined, Members: 'paused' })
  })

  it('are changed completely or not at all', async () => {
    const { core, scope, token, lists } = await start()
    const leave = { _id: lists.open._id, status: 'unsubscribed' }
    const change = (wish: object) => core.subscribers.changePreferences(token, { lists: [leave, wish] as never })
    await expect(change({ _id: lists.hidden._id, status: 'active' })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(change({ _id: lists.joined._id, status: 'paused' })).rejects.toThrow('must be set in the future')
    await expect(change({ _id: lists.joined._id, status: 'paused', pausedUntil: '2020-01-01' })).rejects.toMatchObject({
      kind: 'invalid',
    })
    await core.suppressions.create(scope, { email })
    await expect(change({ _id: lists.news._id, status: 'active' })).rejects.toMatchObject({ kind: 'blocked' })
    expect(statuses(await core.subscribers.preferences(token))).toMatchObject({ Readers: 'active' })
  })

  it('require the contact’s token, and end with the contact', async () => {
    const { core, scope, token, unsubscribeToken } = await start()
    await expect(core.subscribers.preferences(unsubscribeToken)).rejects.toMatchObject({ kind: 'forbidden' })
    await core.contacts.remove(scope, email)
    await expect(core.subscribers.preferences(token)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(core.subscribers.changePreferences(token, {})).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('can be queried by address', async () => {
    const { core, scope } = await start()
    const named = async (address: string) =>
      statuses({ lists: (await core.subscribers.publicFor(scope, address)).items })
    expect(await named('ADA@example.com')).toEqual({ Readers: 'active', News: undefined, Members: 'active' })
    expect(await named('bob@example.com')).toEqual({ Readers: undefined, News: undefined })
  })
})
