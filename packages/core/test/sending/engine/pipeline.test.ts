import { createCore } from '@posthorn/core'
import type { Sleep } from '@posthorn/core/ports/runtime'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

type World = ReturnType<typeof inMemoryPorts>

const start = async (changes: (world: World) => Partial<World['ports']> = () => ({})) => {
  const world = inMemoryPorts()
  const core = createCore({ ...world.ports, ...changes(world) })
  return { ...world, core, project: await sampleProject(core) }
}

const campaign = ({ core, project }: Awaited<ReturnType<typeof start>>, document: string) =>
  core.campaigns.create(project.scope, {
    name: 'News',
    subject: 'News',
    type: 'html',
    document,
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-01-01T00:00:00Z',
  })

/** A block that begins inside a tag and ends outside: its text is made of each mail. */
const textOfEachMail = '<a title="{{#if contact.name}}b">c{{/if}}</a>'

describe('a mail that cannot be rendered for any reason', () => {
  it('fails for its recipient, returns the credit, and lets the campaign end', async () => {
    const world = await start(() => ({
      plainText: async () => {
        throw new RangeError('Maximum call stack size exceeded')
      },
    }))
    const { core, project, mailer } = world
    await project.subscribe(3)
    const { _id } = await campaign(world, textOfEachMail)
    await core.worker.runUntilIdle()
    expect(mailer.handed).toEqual([])
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({ status: 'sent' })
    expect(await project.credits()).toBe(10_000)
  })
})

describe('a contact whose address a send spells differently', () => {
  it('gets the mail at its own spelling', async () => {
    const { core, project, mailer } = await start()
    await core.subscribers.subscribe(project.scope, project.list._id, { email: 'grace@example.com' })
    const triggered = await core.triggeredEmails.create(project.scope, {
      name: 'Order',
      subject: 'Order',
      type: 'text',
      document: 'Thank you',
      subscriberListId: project.list._id,
    })
    await core.sends.triggered(project.scope, { triggeredId: triggered._id, emails: ['GRACE@example.com'] })
    await core.worker.runUntilIdle()
    expect(mailer.sent.map(({ to }) => to)).toEqual(['grace@example.com'])
  })
})

describe('rendering', () => {
  const pauses = async (document: string) => {
    let count = 0
    const world = await start(({ ports }) => ({
      sleep: ((milliseconds, signal) => {
        if (milliseconds === 0) count += 1
        return ports.sleep(milliseconds, signal)
      }) satisfies Sleep,
    }))
    await world.project.subscribe(20)
    await campaign(world, document)
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent).toHaveLength(20)
    return count
  }

  it('yields after each slice of work, and not at all for small work', async () => {
    expect(await pauses('<p>{{contact.name}}</p>')).toBe(0)
    expect(await pauses(`<p>{{contact.name}}${'x'.repeat(400_000)}</p>`)).toBeGreaterThan(5)
  })
})

describe('unconfirmed mails', () => {
  it('are at most 200, which bounds what a crash sends twice', async () => {
    let write = () => {}
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    let isWriting = false
    const world = await start(({ ports: { deliveries } }) => ({
      deliveries: {
        ...deliveries,
        settle: async (settlements) => {
          isWriting = true
          await written
          await deliveries.settle(settlements)
        },
      },
    }))
    const { core, project, mailer } = world
    await project.subscribe(700)
    await campaign(world, '<p>News</p>')
    const running = core.worker.runUntilIdle()
    await expect.poll(() => isWriting && mailer.handed.length === 200).toBe(true)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(mailer.handed).toHaveLength(200)
    write()
    await running
    expect(new Set(mailer.handed.map(({ to }) => to)).size).toBe(700)
    expect(mailer.handed).toHaveLength(700)
  })
})

describe('a project with slow mails', () => {
  it('does not delay other projects’ transactional mail', async () => {
    const { core, project, mailer, clock } = await start()
    const other = await sampleProject(core, { name: 'Other' })
    const emailOf = (scope: typeof project.scope) =>
      core.transactionalEmails.create(scope, { name: 'Code', subject: 'Code', type: 'text', document: '1' })
    const [slow, quick] = [await emailOf(project.scope), await emailOf(other.scope)]
    mailer.answer((mail) => (mail.to.startsWith('slow') ? new Promise(() => undefined) : undefined))
    for (let n = 1; n <= 5; n += 1)
      await core.sends.transactional(project.scope, { email: `slow${n}@example.com`, transactionalId: slow._id })
    await core.worker.start()
    await clock.passUntil(() => mailer.handed.length === 5)
    await core.sends.transactional(other.scope, { email: 'quick@example.com', transactionalId: quick._id })
    await clock.passUntil(() => mailer.sent.some(({ to }) => to === 'quick@example.com'), 5_000)
    expect(mailer.sent.map(({ to }) => to)).toEqual(['quick@example.com'])
  })
})
