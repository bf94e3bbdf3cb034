import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastMondayMorning } from '../../src/notices/notices.js'

const day = 24 * 60 * 60_000
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'Pacific/Pago_Pago']

describe('the last Monday at 8:00', () => {
  it.each([
    ['2026-01-05T06:59:59.000Z', 'Europe/Berlin', '2025-12-29T07:00:00.000Z'],
    ['2026-01-05T07:00:00.000Z', 'Europe/Berlin', '2026-01-05T07:00:00.000Z'],
    ['2026-03-30T12:00:00.000Z', 'Europe/Berlin', '2026-03-30T06:00:00.000Z'],
    ['2026-01-04T22:00:00.000Z', 'Pacific/Kiritimati', '2026-01-04T18:00:00.000Z'],
    ['2026-01-05T12:00:00.000Z', 'America/New_York', '2025-12-29T13:00:00.000Z'],
  ])('before %s in %s is %s', (now, zone, monday) => {
    expect(lastMondayMorning(new Date(now), zone)).toBe(monday)
  })

  it('is at most eight days ago, in every zone', () => {
    const now = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(now, fc.constantFrom(...zones), (at, zone) => {
        const ago = at.getTime() - Date.parse(lastMondayMorning(at, zone))
        expect(ago >= 0 && ago < 8 * day).toBe(true)
      }),
    )
  })
})

const password = 'correct horse battery'
const client = { addressBlock: '192.0.2.0/24', userAgent: 'test' }

const aWorld = async (language: 'en' | 'de' = 'en') => {
  const { ports: standard, clock, mailer, ...world } = inMemoryPorts()
  const ports = { ...standard, settings: { ...standard.settings, mailsLinks: true } }
  const core = createCore(ports)
  const { scope: sampleScope, ...sample } = await sampleProject(core)
  const token = (await core.people.setupLink())?.split('#')[1] ?? ''
  const opened = await core.people.setUp({ token, email: 'olga@example.com', name: 'Olga', password }, client)
  await core.people.changeMe(opened, { language })
  const scope = await core.people.scopeIn(opened, sampleScope.projectId, 'project.read')
  const looks = async () => {
    await core.worker.mailNotices()
    await core.worker.runUntilIdle()
    return mailer.sent.filter(({ to }) => to === 'olga@example.com').map(({ mime }) => mime.replaceAll('=\r\n', ''))
  }
  const { subscribe, list } = sample
  const send = async (name = 'January', readers = 3) => {
    await subscribe(readers)
    await core.campaigns.create(sampleScope, {
      ...{ name, subject: 's', type: 'text', document: 'd', timeZone: 'UTC', subscriberListId: list._id },
      ...{ status: 'scheduled', scheduledTo: '2025-11-30T11:00:00Z' },
    })
    await core.worker.runUntilIdle()
  }
  return { ...world, ...sample, ports, clock, mailer, core, opened, scope, sampleScope, looks, send }
}

describe('notices', () => {
  it('are none until they are asked for, nor of what happened before', async () => {
    const { core, scope, looks, send, clock } = await aWorld()
    expect(await core.noticeSettings.get(scope)).toMatchObject({ weekly: false, done: false, problems: false })
    await send()
    clock.advance(1_000)
    expect(await looks()).toEqual([])
    await core.noticeSettings.change(scope, { done: true, weekly: true })
    expect(await looks()).toEqual([])
  })

  it('say once that a campaign was sent, with its numbers, whatever it is called', async () => {
    const { core, scope, looks, send, clock } = await aWorld()
    await core.noticeSettings.change(scope, { done: true })
    clock.advance(1_000)
    await send('{{contact.email}} <b>Sale</b>')
    clock.advance(1_000)
    const mails = await looks()
    expect(mails).toHaveLength(1)
    expect(mails[0]).toContain('{{contact.email}} <b>Sale</b>')
    expect(mails[0]).toContain('3 sent, 0 failed, 0 excluded')
    expect(mails[0]).toContain('/settings/account')
    for (const wait of [60_000, 2 * 60 * 60_000, 3 * day]) {
      clock.advance(wait)
      expect(await looks()).toHaveLength(1)
    }
  })

  it('have the figures of the week in the person’s language, once a week', async () => {
    const { core, scope, looks, send, clock } = await aWorld('de')
    await core.noticeSettings.change(scope, { weekly: true, timeZone: 'Europe/Berlin' })
    await send()
    expect(await looks()).toEqual([])
    clock.advance(7 * day)
    const [mail = '', ...more] = await looks()
    expect(more).toEqual([])
    expect(mail).toContain('3 Mails wurden gesendet (0 in der Woche davor)')
    clock.advance(day)
    expect(await looks()).toHaveLength(1)
    clock.advance(7 * day)
    expect(await looks()).toHaveLength(2)
  })

  it('tell of a problem once, and again when it is back after a day', async () => {
    const { core, scope, looks, clock, project } = await aWorld()
    await core.noticeSettings.change(scope, { problems: true })
    expect(await looks()).toEqual([])
    const { _id } = await core.webhooks.endpoints.create(scope, { url: 'https://example.com/hook' })
    const off = () => core.webhooks.endpoints.update(scope, _id, { enabled: false })
    await off()
    const mails = await looks()
    expect(mails).toHaveLength(1)
    expect(mails[0]).toContain('The webhook to example.com is switched off')
    clock.advance(2 * day)
    expect(await looks()).toHaveLength(1)
    await core.webhooks.endpoints.update(scope, _id, { enabled: true })
    clock.advance(2 * day)
    await looks()
    await off()
    expect(await looks()).toHaveLength(2)
    expect(project.restricted).toBe(false)
  })

  it('of a project that may not send come from another one of the person', async () => {
    const { core, scope, looks, account, ports } = await aWorld()
    await core.noticeSettings.change(scope, { problems: true })
    const { _id: projectId } = await core.projects.create({ accountId: account._id, name: 'Another' })
    const sender = { email: 'other@example.com', name: 'Other', region: 'eu-west-1' }
    await core.senderIdentities.create({ projectId, caller: 'operator' }, sender)
    await core.restriction.restrict(scope.projectId, { reason: 'Bought addresses' })
    const mails = await looks()
    expect(mails).toHaveLength(1)
    expect(mails[0]).toContain('Sending is restricted: Bought addresses')
    expect(mails[0]).toContain(`/console/${scope.projectId}/home`)
    const senders = []
    for await (const one of ports.repositories.dispatches.each({})) senders.push(one.projectId)
    expect(senders).toEqual([projectId])
  })

  it('end with the role, and leave nothing behind', async () => {
    const { core, scope, looks, send, clock, ports, opened, account } = await aWorld()
    await core.people.commands.create(
      { email: 'otto@example.com', name: 'Otto' },
      { accountId: account._id, role: 'owner' },
    )
    await core.noticeSettings.change(scope, { done: true })
    clock.advance(1_000)
    await core.people.removeMember(scope, opened.person._id)
    await send()
    expect(await looks()).toEqual([])
    const left = []
    for await (const one of ports.repositories.noticeSettings.each({})) left.push(one)
    expect(left).toEqual([])
  })

  it('are mailed once by two servers on one store', async () => {
    const { core, scope, looks, send, clock, ports } = await aWorld()
    await core.noticeSettings.change(scope, { done: true })
    clock.advance(1_000)
    await send()
    await createCore(ports).worker.mailNotices()
    expect(await looks()).toHaveLength(1)
  })
})
