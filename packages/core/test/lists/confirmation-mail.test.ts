import { createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const email = 'ada@example.com'
const tenMinutes = 10 * 60_000

const start = async ({ credits = 1000 } = {}) => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, account } = await sampleProject(core, { credits })
  const document = 'Hello {{contact.name}} of {{contact.city}}: {{verifyLink}}'
  const mail = { name: 'C', subject: 'C', type: 'text', document } as const
  const emailId = (await core.transactionalEmails.create(scope, mail))._id
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  const doubleOptIn = { active: true, emailId }
  const list = (await core.subscriberLists.create(scope, { name: 'A', doubleOptIn }))._id
  const form = (
    await core.signupForms.create(scope, {
      name: 'Form',
      captchaType: 'none',
      subscriberListIds: [list],
      propertiesStyle: { name: { show: true }, city: { show: true } },
    })
  )._id
  const browser: Scope = { ...scope, caller: 'origin' }
  return { core, ports, clock, mailer, scope, browser, account, list, form }
}
type World = Awaited<ReturnType<typeof start>>

const fields = { email, name: 'Ada', city: 'Turin' }

const ways = {
  subscribing: (core: World['core'], { browser, list }: World) => core.subscribers.subscribe(browser, list, fields),
  'signing up by a form': (core: World['core'], { browser, form }: World) =>
    core.signupForms.submit(browser, form, fields),
} as const

describe.each(Object.entries(ways))('the confirmation mail of a new contact, by %s', (_, join) => {
  /** A worker of another process sends the mail at once, while the request that asked for it is under way. */
  const withEagerWorker = ({ ports, core }: World) =>
    createCore({
      ...ports,
      deliveries: {
        ...ports.deliveries,
        accept: async (accepted) => {
          const result = await ports.deliveries.accept(accepted)
          await core.worker.runUntilIdle()
          return result
        },
      },
    })

  it('has the contact’s fields, however soon a worker renders it', async () => {
    const world = await start()
    await join(withEagerWorker(world), world)
    expect(world.mailer.sent.map(({ mime }) => mime)).toEqual([expect.stringContaining('Hello Ada of Turin')])
  })

  it('tracks nobody before they have agreed', async () => {
    const world = await start()
    const { ports, mailer } = world
    await join(withEagerWorker(world), world)
    const dispatch = await ports.repositories.dispatches.get({})
    expect([mailer.sent.length, dispatch?.tracking]).toEqual([1, { opens: false, clicks: false }])
  })

  it('has a link that confirms', async () => {
    const world = await start()
    await join(withEagerWorker(world), world)
    const [, token = ''] =
      /token=3D([\w.-]+)/.exec(world.mailer.sent[0]?.mime.replaceAll('=\r\n', '').replaceAll('=2E', '.') ?? '') ?? []
    await world.core.subscribers.verify(token)
    expect(await world.core.subscribers.get(world.scope, world.list, email)).toMatchObject({ status: 'active' })
  })

  it('can be sent again after a process died before it was accepted', async () => {
    const world = await start()
    const { core, ports, clock, mailer, scope, list } = world
    let reached: () => void
    const died = new Promise<void>((resolve) => {
      reached = resolve
    })
    const dying = createCore({
      ...ports,
      deliveries: {
        ...ports.deliveries,
        accept: () => {
          reached()
          return new Promise(() => undefined)
        },
      },
    })
    void join(dying, world)
    await died
    expect(await core.subscribers.get(scope, list, email)).toMatchObject({ status: 'unverified' })
    clock.advance(tenMinutes)
    await core.subscribers.resendVerification(scope, list, email)
    await core.worker.runUntilIdle()
    expect(mailer.sent.map(({ mime }) => mime)).toEqual([expect.stringContaining('Hello Ada of Turin')])
  })

  it('leaves no membership if it is refused, so that the request can be repeated', async () => {
    const world = await start({ credits: 0 })
    const { core, account, scope, list, mailer } = world
    await expect(join(core, world)).rejects.toMatchObject({ kind: 'blocked' })
    await expect(core.subscribers.get(scope, list, email)).rejects.toMatchObject({ kind: 'not-found' })
    await core.accounts.addCredit(account._id, 10)
    await join(core, world)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
  })

  it('keeps an unsubscribed contact unsubscribed if it is refused', async () => {
    const world = await start({ credits: 0 })
    const { core, scope, list } = world
    await core.subscribers.subscribe(scope, list, { email, status: 'active' })
    await core.subscribers.update(scope, list, email, { status: 'unsubscribed' })
    await expect(join(core, world)).rejects.toMatchObject({ kind: 'blocked' })
    expect(await core.subscribers.get(scope, list, email)).toMatchObject({ status: 'unsubscribed' })
  })
})
