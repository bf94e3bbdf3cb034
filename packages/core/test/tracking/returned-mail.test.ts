import type { Mail } from '@posthorn/core/ports/transport'
import { inMemoryPorts, recordingMailer, refusingMailerScript } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aSentCampaign } from './sent-campaign.js'

const bounceDomain = 'bounces.example.com'

const aWorld = async (readers = 2) => {
  const mailer = recordingMailer()
  const { settings } = inMemoryPorts().ports
  const world = await aSentCampaign(readers, { mailer, settings: { ...settings, bounceDomain } })
  return { ...world, mailer }
}

const referenceOf = ({ reference = '' }: Mail = {} as Mail) => reference
const byMailOf = ({ mime }: Mail) =>
  /<mailto:(u-[a-z2-7]+)@bounces\.example\.com\?subject=unsubscribe>/.exec(mime)?.[1] ?? ''

describe('a mail', () => {
  it('has its own envelope sender, and a mailto link to unsubscribe', async () => {
    const { mailer } = await aWorld()
    const senders = new Set(mailer.sent.map(({ envelopeFrom }) => envelopeFrom))
    expect(senders.size).toBe(2)
    for (const mail of mailer.sent) {
      expect(mail.envelopeFrom).toBe(`${referenceOf(mail)}@${bounceDomain}`)
      expect(mail.mime).toMatch(
        /\r\nList-Unsubscribe: <https:[^>]+>,\r\n <mailto:u-[a-z2-7]{58}@bounces\.example\.com\?subject=unsubscribe>\r\n/,
      )
    }
  })

  it('has the sender’s address and no mailto link without a bounce domain, but a reference', async () => {
    const mailer = recordingMailer()
    await aSentCampaign(1, { mailer })
    expect(mailer.sent[0]?.envelopeFrom).toBeUndefined()
    expect(referenceOf(mailer.sent[0])).toMatch(/^b-/)
    expect(mailer.sent[0]?.mime).not.toContain('mailto:')
  })
})

describe('returned mail', () => {
  it('is recognised by its address, in any case', async () => {
    const { core, mailer } = await aWorld(1)
    const [mail] = mailer.sent
    const { addressed } = core.returnedMail
    expect(addressed(`${referenceOf(mail).toUpperCase()}@BOUNCES.example.com`)).toEqual({
      kind: 'bounce',
      reference: referenceOf(mail),
    })
    expect(addressed(`${mail && byMailOf(mail)}@${bounceDomain}`)?.kind).toBe('unsubscribe')
    for (const role of ['fbl', 'abuse', 'Postmaster']) expect(addressed(`${role}@${bounceDomain}`)?.kind).toBe('role')
    for (const other of [`${referenceOf(mail)}@example.com`, `x@${bounceDomain}`, bounceDomain, '', '@'])
      expect(addressed(other)).toBeUndefined()
  })

  it('that bounced permanently suppresses the address and counts once', async () => {
    const { core, mailer, totals, suppressed } = await aWorld()
    for (let told = 0; told < 2; told += 1)
      await core.returnedMail.report(referenceOf(mailer.sent[0]), { type: 'bounce' })
    expect(await suppressed()).toMatchObject([{ email: mailer.sent[0]?.to, reason: 'bounce' }])
    expect(await totals()).toMatchObject({ sent: 2, bounce: 1 })
  })

  it('that bounced transiently changes nothing', async () => {
    const { core, mailer, totals, suppressed } = await aWorld()
    await core.returnedMail.report(referenceOf(mailer.sent[0]), { type: 'bounce', transient: true })
    expect(await suppressed()).toEqual([])
    expect(await totals()).toMatchObject({ bounce: 0 })
  })

  it('that is a complaint identifies its mail by either address', async () => {
    const { core, mailer, totals } = await aWorld()
    const [first, second] = mailer.sent
    await core.returnedMail.complaint(referenceOf(first))
    await core.returnedMail.complaint(second ? byMailOf(second) : '')
    await core.returnedMail.complaint(second ? byMailOf(second) : '')
    expect(await totals()).toMatchObject({ complaint: 2 })
  })

  it('to the unsubscribe address unsubscribes its reader once', async () => {
    const { core, project, mailer, recipients } = await aWorld()
    const [mail] = mailer.sent
    for (let told = 0; told < 2; told += 1) await core.returnedMail.unsubscribe(mail ? byMailOf(mail) : '')
    expect(await core.subscriberLists.stats(project.scope, project.list._id)).toMatchObject({
      active: 1,
      unsubscribed: 1,
    })
    expect((await recipients({ filter: { unsubscribed: 'true' } })).count).toBe(1)
  })

  it('is rejected if its address is forged or of another purpose', async () => {
    const { core, mailer } = await aWorld()
    const [mail] = mailer.sent
    const forged = `b-${'a'.repeat(58)}`
    const isUnknown = { kind: 'not-found' }
    await expect(core.returnedMail.report(forged, { type: 'bounce' })).rejects.toMatchObject(isUnknown)
    await expect(core.returnedMail.complaint(forged)).rejects.toMatchObject(isUnknown)
    await expect(core.returnedMail.unsubscribe(referenceOf(mail))).rejects.toMatchObject(isUnknown)
    await expect(core.returnedMail.report(mail ? byMailOf(mail) : '', { type: 'bounce' })).rejects.toMatchObject(
      isUnknown,
    )
  })

  it('finds the mail of a single send, and of a send to several', async () => {
    const { core, project, mailer, suppressed } = await aWorld(2)
    const content = { name: 'Order', subject: 'Order', type: 'text', document: 'Order' } as const
    const { _id: transactionalId } = await core.transactionalEmails.create(project.scope, content)
    await core.sends.transactional(project.scope, { transactionalId, email: 'one@example.net', data: {} })
    const { _id: triggeredId } = await core.triggeredEmails.create(project.scope, {
      ...content,
      subscriberListId: project.list._id,
    })
    await core.sends.triggered(project.scope, { triggeredId, emails: ['reader2@example.com'], data: {} })
    await core.worker.runUntilIdle()
    const mailTo = (to: string) => referenceOf(mailer.sent.findLast((mail) => mail.to === to))
    await core.returnedMail.report(mailTo('one@example.net'), { type: 'bounce' })
    await core.returnedMail.report(mailTo('reader2@example.com'), { type: 'bounce' })
    expect((await suppressed()).map(({ email }) => email).toSorted()).toEqual([
      'one@example.net',
      'reader2@example.com',
    ])
  })
})

describe('a later bounce', () => {
  it('is in the error log with its reason, once, and unseen until read', async () => {
    const { core, project, campaignId, mailer, recipients } = await aSentCampaign(2)
    const { sent } = mailer
    const log = () => core.statistics.errorLog(project.scope, campaignId, { limit: 30, skip: 0 })
    const reason = { name: '5.1.1', message: 'smtp; 550 5.1.1 The mailbox is gone' }
    for (const told of [reason, { name: '5.0.0', message: 'another' }])
      await core.returnedMail.report(sent[0]?.reference ?? '', { type: 'bounce', reason: told })
    await core.returnedMail.report(sent[1]?.reference ?? '', { type: 'bounce' })
    const { items, count, unseenCount } = await log()
    expect([count, unseenCount]).toEqual([2, 2])
    expect(items.find(({ recipient }) => recipient === sent[0]?.to)).toMatchObject({
      source: 'delivery',
      errorName: '5.1.1',
      errorMessage: reason.message,
    })
    expect(items.find(({ recipient }) => recipient === sent[1]?.to)).toMatchObject({ errorName: 'Bounced' })
    expect(await log()).toMatchObject({ count: 2, unseenCount: 0 })
    const { items: all } = await recipients({ filter: { bounced: 'true', status: 'sent' } })
    expect(all.find(({ email }) => email === sent[0]?.to)?.errors).toEqual([reason])
  })
})

describe('a bounce reported some time after it happened', () => {
  it('is unseen in the error log, even if the log was read in between', async () => {
    const { core, project, campaignId, mails, clock } = await aSentCampaign(1)
    const log = () => core.statistics.errorLog(project.scope, campaignId, { limit: 30, skip: 0 })
    clock.advance(60_000)
    const at = clock.now().toISOString()
    clock.advance(1_000)
    expect(await log()).toMatchObject({ count: 0, unseenCount: 0 })
    clock.advance(1_000)
    const reason = { name: '5.1.1', message: 'smtp; 550 5.1.1 The mailbox is gone' }
    await core.deliveryEvents.record({ deliveryId: mails[0]?._id ?? '', type: 'bounce', reason, at })
    expect(await log()).toMatchObject({ count: 1, unseenCount: 1 })
    expect(await log()).toMatchObject({ count: 1, unseenCount: 0 })
  })
})

describe('a refusal because the address is gone', () => {
  const refusing = async (bounce: boolean) => {
    const mailer = recordingMailer()
    mailer.answerTo({
      'reader1@example.com': () => ({
        kind: 'refused',
        error: { name: 'SmtpRefused', message: '550 5.1.1 No' },
        bounce,
      }),
    })
    return aSentCampaign(2, { mailer })
  }

  it('suppresses it, and is a bounce and a failure in figures, log and events', async () => {
    const { core, project, campaignId, totals, suppressed, recipients } = await refusing(true)
    expect(await suppressed()).toMatchObject([{ email: 'reader1@example.com', reason: 'bounce' }])
    expect(await totals()).toMatchObject({ sent: 1, bounce: 1 })
    expect((await recipients({ filter: { bounced: 'true', status: 'failed' } })).count).toBe(1)
    const log = await core.statistics.errorLog(project.scope, campaignId, { limit: 30, skip: 0 })
    expect(log.items).toMatchObject([{ recipient: 'reader1@example.com', errorMessage: '550 5.1.1 No' }])
  })

  it('does not suppress it without the bounce mark', async () => {
    const { totals, suppressed } = await refusing(false)
    expect(await suppressed()).toEqual([])
    expect(await totals()).toMatchObject({ sent: 1, bounce: 0 })
  })

  it('is not assumed by default', async () => {
    const mailer = recordingMailer()
    mailer.answer(refusingMailerScript())
    const { suppressed } = await aSentCampaign(1, { mailer })
    expect(await suppressed()).toEqual([])
  })
})
