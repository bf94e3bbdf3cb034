import { createCore, type Scope } from '@posthorn/core'
import { fixedClock, inMemoryFiles, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const email = 'ada@example.com'
const minute = 60_000
const consent = 'Signed up at the fair in May'

const start = async () => {
  const clock = fixedClock()
  const { ports, jobs } = inMemoryPorts({ clock, files: inMemoryFiles(clock.now) })
  const core = createCore(ports)
  const { scope, list, account } = await sampleProject(core)
  const form = await core.signupForms.create(scope, {
    name: 'Footer',
    captchaType: 'none',
    subscriberListIds: [list._id],
  })
  const subscriptions = async (query: { readonly skip?: number; readonly limit?: number } = {}) =>
    core.subscriptions.list(scope, email, { skip: 0, limit: 30, ...query })
  const imported = async (fileName: string, status: 'active' | 'unverified' = 'active') => {
    const bytes = async function* () {
      yield Buffer.from(`email\n${email}\n`)
    }
    const file = await core.imports.receive(scope, fileName, bytes())
    const { _id } = await core.imports.create(scope, { file })
    await core.imports.start(scope, _id, {
      columns: [{ field: 'email' }],
      subscriberListId: list._id,
      status,
      consent,
    })
    await jobs.runDue()
    return _id
  }
  const later = () => {
    clock.advance(minute)
    return clock.now().toISOString()
  }
  return {
    core,
    ports,
    clock,
    scope,
    account,
    list: list._id,
    form: form._id,
    subscriptions,
    only: async () => (await subscriptions()).items[0],
    imported,
    later,
    signUp: () => core.signupForms.submit({ ...scope, caller: 'origin' }, form._id, { email }),
    subscribe: () => core.subscribers.subscribe(scope, list._id, { email }),
    change: (status: 'active' | 'unsubscribed') => core.subscribers.update(scope, list._id, email, { status }),
  }
}

describe('a subscription that a bounce ended', () => {
  const bounced = async () => {
    const world = await start()
    const { core, scope } = world
    await world.core.projects.update(scope, { autoRemoveFromList: { bounce: 'removeFromLists', complaint: 'off' } })
    const joinedAt = world.later()
    const _id = await world.imported('fair.csv')
    const changedAt = world.later()
    await core.sends.direct(scope, { to: email, subject: 'Hello', html: '<p>Hello</p>' })
    await core.worker.runUntilIdle()
    const { items } = await core.mailHistories.list(scope, { email, skip: 0, limit: 1 })
    const bounce = { deliveryId: items[0]?.deliveryId ?? '', type: 'bounce' } as const
    const { subscribers } = world.ports.repositories
    const removeAll = () => Promise.reject(new Error('killed'))
    const killed = createCore({
      ...world.ports,
      repositories: { ...world.ports.repositories, subscribers: { ...subscribers, removeAll } },
    })
    await expect(killed.deliveryEvents.record(bounce)).rejects.toThrow('killed')
    world.clock.advance(1)
    await core.deliveryEvents.record(bounce)
    const lift = async () => {
      const [one] = (await core.suppressions.list(scope, { skip: 0, limit: 1 })).items
      await core.suppressions.remove(scope, one?._id ?? '')
    }
    const ended = {
      ...{ _id: world.list, name: 'Readers', status: 'unsubscribed', joinedAt, changedAt, endedBy: 'bounce' },
      import: { _id, fileName: 'fair.csv', consent },
    }
    return { ...world, lift, ended }
  }

  it('still says through which import and list the person came, also if a process died at it', async () => {
    const { core, scope, list, subscriptions, ended } = await bounced()
    expect(await subscriptions()).toEqual({ items: [ended], count: 1 })
    await expect(core.subscribers.get(scope, list, email)).rejects.toThrow('not found')
  })

  it('comes after those that go on, page by page', async () => {
    const { core, scope, subscriptions, ended, lift } = await bounced()
    await lift()
    const other = await core.subscriberLists.create(scope, { name: 'Others' })
    await core.subscribers.subscribe(scope, other._id, { email })
    expect(await subscriptions({ limit: 1 })).toMatchObject({ items: [{ name: 'Others', status: 'active' }], count: 2 })
    expect(await subscriptions({ skip: 1, limit: 1 })).toEqual({ items: [ended], count: 2 })
    expect((await subscriptions({ skip: 2, limit: 1 })).items).toEqual([])
    expect((await subscriptions()).items).toEqual([expect.objectContaining({ name: 'Others' }), ended])
  })

  it('is not shown beside a new subscription to the list', async () => {
    const { list, subscriptions, subscribe, lift } = await bounced()
    await lift()
    await subscribe()
    expect(await subscriptions()).toMatchObject({ items: [{ _id: list, status: 'active' }], count: 1 })
  })
})

describe('a subscription by an import', () => {
  it('names the file and what was said about the consent', async () => {
    const { imported, later, list, subscriptions } = await start()
    const at = later()
    const _id = await imported('fair.csv')
    expect(await subscriptions()).toEqual({
      items: [
        {
          _id: list,
          name: 'Readers',
          status: 'active',
          joinedAt: at,
          changedAt: at,
          import: { _id, fileName: 'fair.csv', consent },
        },
      ],
      count: 1,
    })
  })

  it('keeps its import through a later one, and through a confirmation', async () => {
    const { imported, later, change, only } = await start()
    const joinedAt = later()
    const _id = await imported('first.csv', 'unverified')
    later()
    await imported('second.csv')
    const changedAt = later()
    await change('active')
    const file = { _id, fileName: 'first.csv', consent }
    expect(await only()).toMatchObject({ status: 'active', joinedAt, changedAt, import: file })
  })

  it('is not one if the contact was on the list before', async () => {
    const { imported, subscribe, only } = await start()
    await subscribe()
    await imported('fair.csv')
    expect(await only()).not.toHaveProperty('import')
  })

  it('names no import whose record is gone', async () => {
    const { imported, ports, only } = await start()
    const _id = await imported('fair.csv')
    await ports.repositories.imports.remove({ _id })
    const one = await only()
    expect(one).toMatchObject({ status: 'active' })
    expect(one).not.toHaveProperty('import')
  })
})

describe('a subscription through a form', () => {
  it('names the form until it is deleted', async () => {
    const { core, scope, signUp, form, later, only } = await start()
    const joinedAt = later()
    await signUp()
    expect(await only()).toMatchObject({ joinedAt, changedAt: joinedAt, signupForm: { _id: form, name: 'Footer' } })
    await core.signupForms.remove(scope, form)
    expect(await only()).not.toHaveProperty('signupForm')
  })
})

describe('a contact that left', () => {
  it('shows how it joined, and when it left first', async () => {
    const { imported, later, change, only } = await start()
    const joinedAt = later()
    await imported('fair.csv')
    const changedAt = later()
    await change('unsubscribed')
    later()
    await change('unsubscribed')
    await imported('again.csv')
    expect(await only()).toMatchObject({
      status: 'unsubscribed',
      joinedAt,
      changedAt,
      import: { fileName: 'fair.csv' },
    })
  })

  it.each([
    ['the API', 'subscribe'],
    ['a change of its status', 'change'],
    ['a form', 'signUp'],
  ] as const)('and comes back by %s no longer shows the import', async (_, how) => {
    const world = await start()
    await world.imported('fair.csv')
    await world.change('unsubscribed')
    const at = world.later()
    await (how === 'change' ? world.change('active') : world[how]())
    expect(await world.only()).toEqual({
      ...{ _id: world.list, name: 'Readers', status: 'active', joinedAt: at, changedAt: at },
      ...(how === 'signUp' && { signupForm: { _id: world.form, name: 'Footer' } }),
    })
  })

  it('stays as it was if the mail that asks to confirm its return is refused', async () => {
    const { core, ports, scope, list, imported, later, change, only } = await start()
    const mail = { name: 'C', subject: 'S', type: 'text', document: '{{verifyLink}}' } as const
    const { _id: emailId } = await core.transactionalEmails.create(scope, mail)
    await core.subscriberLists.update(scope, list, { doubleOptIn: { active: true, emailId } })
    await imported('fair.csv')
    later()
    await change('unsubscribed')
    const before = await only()
    later()
    const accept = async () => {
      throw new Error('The disk is full.')
    }
    const failing = createCore({ ...ports, deliveries: { ...ports.deliveries, accept } })
    await expect(failing.subscribers.subscribe(scope, list, { email })).rejects.toThrow('The disk is full.')
    expect(await only()).toEqual(before)
  })

  it('and comes back by the API no longer shows the form', async () => {
    const { signUp, change, only } = await start()
    await signUp()
    await change('unsubscribed')
    await change('active')
    expect(await only()).not.toHaveProperty('signupForm')
  })
})

describe('a pause', () => {
  it('has an end while it is on, and is over since then', async () => {
    const { core, scope, list, clock, subscribe, later, only } = await start()
    await subscribe()
    const changedAt = later()
    const pausedUntil = new Date(clock.now().getTime() + minute).toISOString()
    await core.subscribers.update(scope, list, email, { status: 'paused', pausedUntil })
    expect(await only()).toMatchObject({ status: 'paused', pausedUntil, changedAt })
    later()
    const over = await only()
    expect(over).toMatchObject({ status: 'active', changedAt: pausedUntil })
    expect(over).not.toHaveProperty('pausedUntil')
  })
})

describe('the subscriptions of a contact', () => {
  it('are found by any spelling of the address, in its own project only', async () => {
    const { core, scope, account, subscribe } = await start()
    await subscribe()
    const query = { skip: 0, limit: 30 }
    expect((await core.subscriptions.list(scope, 'Ada@EXAMPLE.com', query)).count).toBe(1)
    const other = await core.projects.create({ accountId: account._id, name: 'Other' })
    const theirs: Scope = { projectId: other._id, caller: 'api-key' }
    const asked = [
      core.subscriptions.list(theirs, email, query),
      core.subscriptions.list(scope, 'nobody@example.com', query),
    ]
    for (const one of await Promise.allSettled(asked))
      expect(one.status === 'rejected' && String(one.reason)).toContain('Contact not found')
    await core.contacts.create(theirs, { email })
    expect(await core.subscriptions.list(theirs, email, query)).toEqual({ items: [], count: 0 })
  })

  it('come in pages, the newest first', async () => {
    const { core, scope, later, subscriptions } = await start()
    const names = Array.from({ length: 70 }, (_, n) => `List ${n}`)
    for (const name of names) {
      const { _id } = await core.subscriberLists.create(scope, { name })
      later()
      await core.subscribers.subscribe(scope, _id, { email })
    }
    const pages = [await subscriptions(), await subscriptions({ skip: 30 }), await subscriptions({ skip: 60 })]
    expect(pages.map(({ items, count }) => [items.length, count])).toEqual([
      [30, 70],
      [30, 70],
      [10, 70],
    ])
    expect(pages.flatMap(({ items }) => items.map(({ name }) => name))).toEqual(names.toReversed())
  })

  it('end with a deleted list', async () => {
    const { core, scope, list, subscribe, subscriptions } = await start()
    await subscribe()
    await core.subscriberLists.remove(scope, list)
    expect(await subscriptions()).toEqual({ items: [], count: 0 })
  })
})
