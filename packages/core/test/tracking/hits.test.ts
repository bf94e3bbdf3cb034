import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { hitVerdictSettleTime } from '../../src/tracking/classification.js'
import { aTrackedCampaign, browser } from './tracked-mails.js'

const document =
  '<body><a href="https://shop.example.com/"><img src="x"></a><a href="https://example.org/{{contact.name}}">b</a></body>'

describe('a mail that is opened and clicked', () => {
  it('is counted some seconds later, for the email, the recipient and the contact', async () => {
    const { totals, recipients, contact, open, click, clock } = await aTrackedCampaign(2, document)
    const openedAt = clock.now().toISOString()
    await open(0)
    clock.advance(5_000)
    const clickedAt = clock.now().toISOString()
    expect(await click(0, 0)).toBe('https://shop.example.com/')
    expect(await totals()).toMatchObject({ opens: 0, clicks: 0 })
    await clock.pass(hitVerdictSettleTime.click + 2_000)
    expect(await totals()).toMatchObject({ opens: 1, uniqueOpens: 1, clicks: 1, uniqueClicks: 1, machineOpens: 0 })
    const email = (await recipients({ filter: { clicked: 'true' } })).items[0]?.email ?? ''
    expect((await recipients({ filter: { opened: 'true' } })).items).toMatchObject([{ email, opens: 1, clicks: 1 }])
    expect(await contact(email)).toMatchObject({ lastOpenDate: openedAt, lastClickDate: clickedAt })
  })

  it('is reported to the webhook with link, block and user agent', async () => {
    const { core, project, eventPoster, open, click, clock } = await aTrackedCampaign(1, document)
    const { key } = await core.apiKeys.create(project.scope.projectId, { name: 'Hook' })
    await core.webhooks.set(project.scope, { url: 'https://example.com/hook', secretKey: key, open: true, click: true })
    await open(0, { ...browser, referer: 'https://webmail.example.com/' })
    clock.advance(5_000)
    await click(0, 1)
    await core.tracking.close()
    await core.worker.postEvents()
    const posted = eventPoster.posts.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    expect(posted).toMatchObject([
      {
        type: 'open',
        userAgent: browser['user-agent'],
        ipAddress: '192.0.2.7',
        referer: 'https://webmail.example.com/',
      },
      {
        type: 'click',
        link: expect.stringMatching(/^https:\/\/example\.org\//),
        blockPosition: '2',
        blockName: 'text',
      },
    ])
  })

  it('counts again after more concurrent requests than the limit', async () => {
    const { totals, open, clock } = await aTrackedCampaign(1, document)
    for (let n = 0; n < 120; n += 1) await open(0)
    await clock.pass(60_000)
    await open(0)
    await clock.pass(60_000)
    expect(await totals()).toMatchObject({ opens: 101, uniqueOpens: 1 })
  })

  it('by a machine is counted separately, and is no engagement', async () => {
    const { core, project, totals, recipients, open, click, clock } = await aTrackedCampaign(1, document)
    await open(0, { 'user-agent': 'Mozilla/5.0' })
    await click(0, 0, { 'user-agent': 'curl/8.5.0' })
    clock.advance(30_000)
    await click(0, 0, browser, 'HEAD')
    clock.advance(30_000)
    expect(await click(0, 2)).toBeUndefined()
    clock.advance(1_000)
    await click(0, 0)
    await core.tracking.close()
    expect(await totals()).toMatchObject({ opens: 0, clicks: 0, machineOpens: 1, machineClicks: 3 })
    expect((await recipients({ filter: { opened: 'true' } })).count).toBe(0)
    const { deliveryId = '' } = (await recipients({})).items[0] ?? {}
    const { events } = await core.mailHistories.get(project.scope, deliveryId)
    expect(events.flatMap(({ type, by }) => (by ? [`${type} by a ${by}`] : []))).toEqual([
      'open by a machine',
      ...Array<string>(3).fill('click by a machine'),
    ])
  })

  it('redirects while the store is down, and is counted when it is back', async () => {
    const { ports } = inMemoryPorts()
    let down = false
    const failing = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return (...args: unknown[]) => {
            if (down) return Promise.reject(new Error('The store is down'))
            return (value as (...given: unknown[]) => unknown).apply(target, args)
          }
        },
      })
    const repositories = Object.fromEntries(
      Object.entries(ports.repositories).map(([name, one]) => [name, failing(one)]),
    ) as unknown as typeof ports.repositories
    const stores = { ...ports, repositories, deliveries: failing(ports.deliveries), figures: failing(ports.figures) }
    const { clock: _clock, ...others } = stores
    const { totals, open, click, clock, lines } = await aTrackedCampaign(1, document, {
      repositories: others.repositories,
      deliveries: others.deliveries,
      figures: others.figures,
      audience: others.audience,
      membershipStore: others.membershipStore,
      counters: others.counters,
      contactSearch: others.contactSearch,
    })
    down = true
    await open(0)
    clock.advance(5_000)
    expect(await click(0, 0)).toBe('https://shop.example.com/')
    clock.advance(15_000)
    expect(await click(0, 1)).toMatch(/^https:\/\/example\.org\//)
    await clock.pass(60_000)
    down = false
    expect(await totals()).toMatchObject({ opens: 0, clicks: 0 })
    await clock.pass(60_000)
    expect(await totals()).toMatchObject({ opens: 1, clicks: 2 })
    expect(lines.filter(({ message }) => message.includes('could not be recorded')).length).toBeGreaterThan(0)
  })

  it('by a machine is recognised after the store was down', async () => {
    const { ports } = inMemoryPorts()
    let down = false
    const deliveries = new Proxy(ports.deliveries, {
      get: (target, name) =>
        name === 'get' && down
          ? () => Promise.reject(new Error('The store is down'))
          : (Reflect.get(target, name) as unknown),
    })
    const { repositories, figures, audience, membershipStore, counters, contactSearch } = ports
    const stores = { repositories, deliveries, figures, audience, membershipStore, counters, contactSearch }
    const { totals, click, clock } = await aTrackedCampaign(1, document, stores)
    down = true
    await click(0, 0)
    await click(0, 1)
    await clock.pass(120_000)
    down = false
    await clock.pass(120_000)
    expect(await totals()).toMatchObject({ clicks: 0, machineClicks: 2 })
  })

  it('loses nothing when the process closes', async () => {
    const { core, totals, open } = await aTrackedCampaign(3, document)
    for (const i of [0, 1, 2]) await open(i)
    await core.tracking.close()
    expect(await totals()).toMatchObject({ opens: 3, uniqueOpens: 3 })
  })

  it('does not match a forged token', async () => {
    const { core, pathsOf } = await aTrackedCampaign(1, document)
    const { image, links } = await pathsOf(0)
    const [first, second] = links
    expect(core.tracking.findMail(`${image.slice(0, -1)}${image.endsWith('A') ? 'B' : 'A'}`)).toBeUndefined()
    const other = (text: string | undefined) => `${text ?? ''}A`
    for (const path of [
      { token: other(first?.token), ref: '1' },
      { token: first?.token ?? '', ref: '99' },
      { token: first?.token ?? '', ref: '-1' },
      { token: first?.token ?? '', ref: '2' },
      { token: first?.token ?? '', ref: '1.1' },
      { token: '', ref: '' },
      { token: 'x'.repeat(10_000), ref: '1' },
      { token: second?.token ?? '', ref: second?.ref ?? '', signed: other(second?.signed) },
      { token: second?.token ?? '', ref: '1', signed: second?.signed },
      { token: second?.token ?? '', ref: second?.ref ?? '', signed: 'x'.repeat(10_000) },
    ])
      expect(await core.tracking.findLink(path)).toBeUndefined()
  })
})

describe('a mail’s tracking', () => {
  it('follows the email’s setting, else the project’s', async () => {
    const both = await aTrackedCampaign(1, document)
    expect((await both.pathsOf(0)).image).not.toBe('')
    const opens = await aTrackedCampaign(1, document, { tracking: { clicks: false } })
    expect((await opens.pathsOf(0)).links).toEqual([])
    expect((await opens.pathsOf(0)).image).not.toBe('')
    const none = await aTrackedCampaign(1, document, { tracking: { opens: false, clicks: false } })
    expect(await none.htmlOf(0)).toBe((await none.htmlOf(0)).replaceAll('/c/', ''))
    expect((await none.pathsOf(0)).image).toBe('')
  })

  it('follows the send’s setting, and is off for tests', async () => {
    const { core, project, mailer } = await aTrackedCampaign(1, document)
    const { _id } = await core.transactionalEmails.create(project.scope, {
      name: 'Receipt',
      subject: 'Receipt',
      type: 'html',
      document,
    })
    await core.projects.update(project.scope, { tracking: { opens: false } })
    expect((await core.projects.get(project.scope)).tracking).toEqual({ opens: false, clicks: true })
    const email = 'somebody@example.com'
    const sent = async (tracking?: { opens?: boolean; clicks?: boolean }) => {
      await core.sends.transactional(project.scope, { email, transactionalId: _id, ...(tracking && { tracking }) })
      await core.worker.runUntilIdle()
      const mime = (mailer.sent.at(-1)?.mime ?? '').replaceAll('=\r\n', '')
      return { opens: mime.includes('.com/o/'), clicks: mime.includes('.com/c/') }
    }
    expect(await sent()).toEqual({ opens: false, clicks: true })
    expect(await sent({ opens: true, clicks: false })).toEqual({ opens: true, clicks: false })
    await core.sends.test(project.scope, _id, { type: 'transactional', email })
    await core.worker.runUntilIdle()
    expect(mailer.sent.at(-1)?.mime).not.toContain('.com/c/')
  })
})
