import { outcomeLosingMailerScript, recordingMailer } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from './sent-campaign.js'

const region = 'eu-west-1'
const own = { status: 'byoCloudSes', cloudConfig: { accessKeyId: 'a', secretAccessKey: 'b', region } }

/** A campaign that left by the server's own account, and a mail that left by the project's. */
const start = async () => {
  const mailer = recordingMailer({ reportsSends: true })
  const world = await aSentCampaign(2, { mailers: { perRegion: false, of: async () => mailer } })
  const { core, project, ports } = world
  const { scope } = project
  await core.projects.update(scope, own)
  const { _id } = await core.transactionalEmails.create(scope, {
    ...{ name: 'T', subject: 'S', type: 'text', document: 'D' },
  })
  const channel = { account: 'project', projectId: scope.projectId, region } as const
  const send = async (email: string) => {
    await core.sends.transactional(scope, { email, transactionalId: _id })
    await core.worker.runUntilIdle()
    const where = { emailId: _id, projectId: scope.projectId }
    const { items } = await ports.deliveries.list({ where, by: 'email', order: 'asc', skip: 0, limit: 10 })
    const found = items.find((one) => one.email === email)
    if (!found) throw new Error('It was not sent')
    return found
  }
  return { ...world, mailer, channel, send, of: (id: string) => ports.deliveries.get(id) }
}

describe('an own account’s reports', () => {
  it('apply to mails sent through it', async () => {
    const { core, channel, send, suppressed } = await start()
    const { _id: deliveryId } = await send('ada@example.org')
    await core.deliveryEvents.record({ deliveryId, type: 'bounce', channel })
    expect(await suppressed()).toMatchObject([{ email: 'ada@example.org', reason: 'bounce' }])
  })

  it('settle an uncertain mail sent through it', async () => {
    const { core, mailer, channel, send, of } = await start()
    mailer.answer(outcomeLosingMailerScript())
    const { _id: deliveryId } = await send('ada@example.org')
    expect((await of(deliveryId))?.status).toBe('uncertain')
    await core.deliveryEvents.sent({ deliveryId, providerMessageId: 'x', channel })
    expect((await of(deliveryId))?.status).toBe('sent')
  })

  it.each([
    ['another project', { projectId: 'f'.repeat(24) }],
    ['another region', { region: 'us-east-1' }],
  ])('do not apply to mails of %s', async (_what, changes) => {
    const { core, channel, send, suppressed, of } = await start()
    const { _id: deliveryId } = await send('ada@example.org')
    const by = { deliveryId, channel: { ...channel, ...changes } }
    const refused = { kind: 'not-found' }
    for (const type of ['bounce', 'complaint', 'open', 'click'] as const)
      await expect(core.deliveryEvents.record({ ...by, type })).rejects.toMatchObject(refused)
    await expect(core.deliveryEvents.sent({ ...by, providerMessageId: 'x' })).rejects.toMatchObject(refused)
    await expect(core.deliveryEvents.rejected({ ...by, error: { name: 'X', message: 'x' } })).rejects.toMatchObject(
      refused,
    )
    expect(await suppressed()).toEqual([])
    expect((await of(deliveryId))?.status).toBe('sent')
  })

  it('do not apply to the project’s mails sent through the server’s account', async () => {
    const { core, channel, mails, suppressed } = await start()
    const reporting = core.deliveryEvents.record({ deliveryId: mails[0]?._id ?? '', type: 'bounce', channel })
    await expect(reporting).rejects.toMatchObject({ kind: 'not-found' })
    expect(await suppressed()).toEqual([])
  })
})
