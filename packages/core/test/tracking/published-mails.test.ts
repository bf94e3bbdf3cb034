import { createCore } from '@posthorn/core'
import { dispatchIdOf } from '@posthorn/core/ports/storage'
import {
  deferringMailerScript,
  inMemoryPorts,
  mailerScriptsInTurn,
  refusingMailerScript,
  sampleProject,
} from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

/** A project whose webhook hears of every mail, and what it is told. */
const start = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const world = inMemoryPorts(changes)
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await core.webhooks.set(project.scope, {
    url: 'https://hooks.example.com/',
    secretKey: project.key,
    ...{ sent: true, failed: true, open: true, bounce: true },
  })
  const told = async () => {
    await core.worker.runUntilIdle()
    return (
      await world.ports.repositories.webhookDeliveries.list({
        where: {},
        sort: { by: '_id', order: 'asc' },
        skip: 0,
        limit: 30,
      })
    ).items.map(({ body }) => JSON.parse(body))
  }
  const email = async (subject: string, document = 'Hello') =>
    (await core.transactionalEmails.create(project.scope, { name: 'T', subject, type: 'text', document }))._id
  const send = async (transactionalId: string, data = {}) =>
    core.sends.transactional(project.scope, { email: 'ada@example.com', transactionalId, data })
  return { ...world, core, project, told, email, send }
}

describe('a mail’s event', () => {
  it('has the subject as rendered for its recipient, also later', async () => {
    const { core, told, email, send } = await start()
    const { deliveryId = '' } = await send(await email('Order {{n}} for {{contact.email}}'), { n: 7 })
    await core.worker.runUntilIdle()
    await core.deliveryEvents.record({ deliveryId, type: 'open' })
    await core.deliveryEvents.record({ deliveryId, type: 'bounce' })
    const events = await told()
    expect(events.map(({ type, emailData }) => [type, emailData.subject])).toEqual(
      ['sent', 'open', 'bounce'].map((type) => [type, 'Order 7 for ada@example.com']),
    )
    expect(events[0].emailData).toMatchObject({ deliveryId, dispatchId: dispatchIdOf(deliveryId) })
  })

  it('has the stored subject if nothing is rendered', async () => {
    const { core, told, email, send, ports } = await start()
    const { deliveryId = '' } = await send(await email('Your receipt'))
    expect((await told())[0].emailData.subject).toBe('Your receipt')
    expect((await ports.deliveries.get(deliveryId))?.subject).toBeUndefined()
    expect(core).toBeDefined()
  })

  it('has the subject and time of the last attempt after a failure', async () => {
    const { clock, mailer, told, email, send, core } = await start()
    mailer.answer(mailerScriptsInTurn(deferringMailerScript(), refusingMailerScript()))
    await send(await email('Order {{n}}'), { n: 7 })
    await core.worker.runUntilIdle()
    await clock.pass(120_000)
    expect(await told()).toMatchObject([
      { type: 'failed', emailData: { subject: 'Order 7', sentAt: clock.now().toISOString() } },
    ])
  })

  it('has the reason and status of a refused address', async () => {
    const { mailer, told, email, send } = await start()
    const error = { name: 'SmtpRefused', message: '550 5.1.1 User unknown (in reply to RCPT TO)' }
    mailer.answer(() => ({ kind: 'refused', error, bounce: true }))
    await send(await email('Your receipt'))
    expect((await told()).find(({ type }) => type === 'bounce')).toMatchObject({
      reason: error.message,
      status: '5.1.1',
    })
  })

  it('has the same ids as the email’s recipient list', async () => {
    const { core, project, email, send } = await start()
    const id = await email('Order {{n}}')
    const { success: _, ...names } = await send(id)
    await core.worker.runUntilIdle()
    const page = { limit: 10, skip: 0 }
    const { items } = await core.statistics.recipients(project.scope, 'transactionalEmails', id, page)
    expect(items).toMatchObject([names])
  })
})
