import type { Delivery } from '@posthorn/core/ports/storage'
import { recipientExportChunks } from '@posthorn/core/ports/transport'
import { aDelivery, numberedId, refusingMailerScript } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { reportTimeSeries } from '../../src/reporting/campaign-report.js'
import { exportedRecipients } from '../../src/reporting/recipients.js'
import { aSentCampaign } from '../tracking/sent-campaign.js'

const collected = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for await (const one of items) all.push(one)
  return all
}

describe('a campaign’s report', () => {
  const reported = async () => {
    const document = '<a href="https://a.example/">a</a> <a href="https://b.example/">b</a>'
    const world = await aSentCampaign(4, {}, { type: 'html', document })
    const { core, project, campaignId } = world
    return { ...world, report: () => core.campaignReports.get(project.scope, campaignId) }
  }

  it('is all zeros for a draft', async () => {
    const { core, project } = await aSentCampaign(0)
    const { _id } = await core.campaigns.create(project.scope, {
      name: 'Draft',
      subject: 'S',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
    })
    const report = await core.campaignReports.get(project.scope, _id)
    expect(report).toMatchObject({ status: 'draft', recipients: 0, sent: 0, failures: [], exclusions: [], links: [] })
  })

  it('counts outcomes, and clicks by link', async () => {
    const { core, mails, report } = await reported()
    const [first, second, third] = mails.map(({ _id }) => _id)
    const told = (deliveryId = '', type: 'open' | 'click' | 'bounce' | 'complaint', link?: string) =>
      core.deliveryEvents.record({ deliveryId, type, ...(link !== undefined && { seen: { link } }) })
    await told(first, 'open')
    await told(first, 'open')
    await told(second, 'open')
    for (const link of ['https://a.example/', 'https://b.example/', 'https://b.example/'])
      await told(first, 'click', link)
    await told(third, 'bounce')
    await told(second, 'complaint')
    expect(await report()).toMatchObject({
      name: 'January',
      status: 'sent',
      recipients: 4,
      sent: 4,
      failed: 0,
      excluded: 0,
      waiting: 0,
      bounced: 1,
      complained: 1,
      opens: 3,
      uniqueOpens: 2,
      clicks: 3,
      uniqueClicks: 1,
      links: [
        { link: 'https://b.example/', clicks: 2, uniqueClicks: 1 },
        { link: 'https://a.example/', clicks: 1, uniqueClicks: 1 },
      ],
      otherClicks: 0,
      otherUniqueClicks: 0,
    })
  })

  it('adds up all dispatches, without tests', async () => {
    const { core, project, campaignId, clock, report } = await reported()
    await core.sends.test(project.scope, campaignId, { type: 'campaign', email: 'me@example.com' })
    clock.advance(60_000)
    await core.campaigns.update(project.scope, campaignId, {
      status: 'scheduled',
      scheduledTo: clock.now().toISOString(),
    })
    await core.worker.runUntilIdle()
    expect(await report()).toMatchObject({ recipients: 8, sent: 8 })
  })

  it('is not found for another project’s campaign', async () => {
    const { core, campaignId } = await reported()
    const stranger = { projectId: numberedId(99), caller: 'api-key' } as const
    for (const asked of [
      core.campaignReports.get(stranger, campaignId),
      core.campaignReports.link(stranger, campaignId),
      core.campaignReports.recipients(stranger, campaignId),
      core.campaignReports.exclusions(stranger, campaignId, { skip: 0, limit: 10 }),
    ])
      await expect(asked).rejects.toMatchObject({ kind: 'not-found' })
  })
})

describe('recipients who did not get a campaign', () => {
  it('are listed with the relay’s error or the exclusion reason', async () => {
    const { core, project, mailer, clock } = await aSentCampaign(3)
    mailer.answerTo({ 'reader2@example.com': refusingMailerScript() })
    await core.suppressions.create(project.scope, { email: 'reader3@example.com' })
    const { _id } = await core.campaigns.create(project.scope, {
      name: 'February',
      subject: 'S',
      type: 'text',
      document: 'x',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: clock.now().toISOString(),
    })
    await core.worker.runUntilIdle()
    const { failures, exclusions, ...report } = await core.campaignReports.get(project.scope, _id)
    expect(report).toMatchObject({ recipients: 3, sent: 1, failed: 1, excluded: 1 })
    expect(failures).toMatchObject([{ count: 1 }])
    expect(exclusions).toEqual([{ reason: 'suppressed', count: 1 }])
    const page = { skip: 0, limit: 10 }
    const excluded = await core.campaignReports.exclusions(project.scope, _id, page)
    expect(excluded).toMatchObject({ count: 1, items: [{ email: 'reader3@example.com', reason: 'suppressed' }] })
    const by = (filter: Record<string, string>) =>
      core.campaignReports.exclusions(project.scope, _id, { ...page, filter }).then(({ count }) => count)
    expect([
      await by({ reason: 'paused' }),
      await by({ reason: 'suppressed', email: 'Reader3@Example.com' }),
      await by({ email: 'reader1@example.com' }),
    ]).toEqual([0, 1, 0])
    await expect(by({ status: 'sent' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(by({ reason: 'bored' })).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('a link to a report', () => {
  it('opens it until it expires, and cannot be forged', async () => {
    const { core, project, campaignId, clock } = await aSentCampaign(1)
    const { url, expiresAt } = await core.campaignReports.link(project.scope, campaignId, { days: 2 })
    expect(url).toMatch(/^https:\/\/posthorn\.example\.com\/report\?token=[\w.-]+$/)
    const token = new URL(url).searchParams.get('token') ?? ''
    expect((await core.campaignReports.opened(token)).report).toMatchObject({ campaignId, sent: 1 })
    for (const forged of [token.replace(/\..*/, '.forged'), '', undefined, `${token}x`, token.slice(1)])
      await expect(core.campaignReports.opened(forged)).rejects.toMatchObject({ kind: 'forbidden' })
    clock.advance(Date.parse(expiresAt) - clock.now().getTime())
    await expect(core.campaignReports.opened(token)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('is separate from recipients’ tokens', async () => {
    const { core, project, campaignId, mailer } = await aSentCampaign(1)
    const [, unsubscribe = ''] = /token=3?D?([\w.=\r\n-]+)/.exec(mailer.sent[0]?.mime ?? '') ?? []
    await expect(core.campaignReports.opened(unsubscribe.replace(/=\r\n/g, ''))).rejects.toMatchObject({
      kind: 'forbidden',
    })
    const { url } = await core.campaignReports.link(project.scope, campaignId)
    const token = new URL(url).searchParams.get('token')
    await expect(core.subscribers.preferences(token)).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await core.pageReaders.of(token)).toMatchObject({ project: { name: 'Sample' } })
  })

  it('does not work after its campaign is removed', async () => {
    const { core, project, campaignId } = await aSentCampaign(1)
    const { url } = await core.campaignReports.link(project.scope, campaignId)
    await core.campaigns.remove(project.scope, campaignId)
    const token = new URL(url).searchParams.get('token')
    await expect(core.campaignReports.opened(token)).rejects.toMatchObject({ kind: 'not-found' })
  })

  it.each([0, 366, 1.5])('rejects a validity of %s days', async (days) => {
    const { core, project, campaignId } = await aSentCampaign(1)
    await expect(core.campaignReports.link(project.scope, campaignId, { days })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })
})

describe('current campaigns', () => {
  it('are listed with their progress, those being sent first', async () => {
    const { core, project, clock, campaignId } = await aSentCampaign(3)
    clock.advance(60_000)
    const fields = { subject: 'S', type: 'text', document: 'x', timeZone: 'UTC' } as const
    const { _id } = await core.campaigns.create(project.scope, {
      ...fields,
      name: 'Now',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: clock.now().toISOString(),
    })
    const [now, before] = await core.campaignReports.underWay()
    expect(now).toMatchObject({ campaignId: _id, name: 'Now', status: 'being-sent', sent: 0, expanding: true })
    expect(before).toMatchObject({ campaignId, status: 'sent', sent: 3, waiting: 0, expanding: false })
    const token = new URL(now?.reportUrl ?? '').searchParams.get('token')
    expect((await core.campaignReports.opened(token)).report.campaignId).toBe(_id)
  })
})

describe('a report’s timeline', () => {
  const slot = (text: string, n = 1) => ({ slot: text, n })
  const nothing = { sent: [], opens: [], clicks: [], bounces: [] }

  it('is empty if nothing happened', () => {
    expect(reportTimeSeries(nothing, 'UTC').buckets).toEqual([])
  })

  it('is hourly, for at least a day', () => {
    const { interval, buckets } = reportTimeSeries({ ...nothing, sent: [slot('2026-01-06T12:15', 5)] }, 'UTC')
    expect([interval, buckets.length]).toEqual(['hourly', 25])
    expect(buckets[0]).toEqual({ period: '2026-01-06T12:00', sent: 5, opens: 0, clicks: 0, bounces: 0 })
  })

  it('ends when nearly all events have happened, and counts the later ones', () => {
    const { interval, buckets, later } = reportTimeSeries(
      {
        ...nothing,
        sent: [slot('2026-01-06T12:00', 1000)],
        opens: [slot('2026-01-07T12:00', 300), slot('2026-05-01T08:00', 2)],
      },
      'UTC',
    )
    expect([interval, buckets.at(-1)?.period, later.opens]).toEqual(['hourly', '2026-01-07T12:00', 2])
    expect(buckets.reduce((sum, { opens }) => sum + opens, 0)).toBe(300)
  })

  it.each([
    ['2026-01-20T12:00', 'daily', 15],
    ['2026-06-20T12:00', 'weekly', 24],
    ['2028-01-06T12:00', 'monthly', 25],
  ])('until %s is %s', (last, interval, n) => {
    const made = reportTimeSeries({ ...nothing, sent: [slot('2026-01-06T12:00')], opens: [slot(last)] }, 'UTC')
    expect([made.interval, made.buckets.length]).toEqual([interval, n])
  })

  it('has days of the campaign’s time zone, and no negative counts', () => {
    const { buckets } = reportTimeSeries(
      { ...nothing, sent: [slot('2026-01-06T23:30', 2), slot('2026-01-07T00:30', -1)] },
      'Europe/Vienna',
    )
    expect(buckets.slice(0, 2).map(({ period, sent }) => [period, sent])).toEqual([
      ['2026-01-07T00:00', 2],
      ['2026-01-07T01:00', 0],
    ])
  })
})

describe('an export of recipients', () => {
  it('contains all recipients, or those of one status', async () => {
    const { core, project, campaignId } = await aSentCampaign(3)
    const texts = async (format: 'csv' | 'ndjson', status?: 'sent' | 'failed') =>
      (
        await collected(
          recipientExportChunks(await core.campaignReports.recipients(project.scope, campaignId, { status }), format),
        )
      ).join('')
    const lines = (await texts('csv')).split('\n')
    expect(lines[0]).toMatch(/^email,status,reason,message,sentAt,opens/)
    expect(lines.slice(1, 4).map((line) => line.split(',').slice(0, 2))).toEqual([
      ['reader1@example.com', 'sent'],
      ['reader2@example.com', 'sent'],
      ['reader3@example.com', 'sent'],
    ])
    expect((await texts('csv', 'failed')).split('\n')).toHaveLength(2)
    const [first] = (await texts('ndjson', 'sent'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    expect(first).toMatchObject({ email: 'reader1@example.com', status: 'sent', errors: [] })
    await expect(texts('csv', 'gone' as 'sent')).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('has errors in their own columns, and no formulas', async () => {
    const rows: readonly Partial<Delivery>[] = [
      { email: '=cmd@example.com', status: 'failed', error: { name: '550', message: '@SUM(1), "no" such user' } },
      { email: '+43@example.com', status: 'excluded', reason: 'suppressed' },
    ]
    const page = async () =>
      rows.map((one, n) => aDelivery({ dispatchId: numberedId(1), contactId: numberedId(n), ...one }))
    const text = (
      await collected(recipientExportChunks(exportedRecipients({ page }, [numberedId(1)], {}), 'csv'))
    ).join('')
    expect(
      text
        .split('\n')
        .slice(1, 3)
        .map((line) => line.slice(0, 60)),
    ).toEqual([
      expect.stringMatching(/^'=cmd@example\.com,failed,550,"'@SUM\(1\), ""no"" such user",/),
      expect.stringMatching(/^'\+43@example\.com,excluded,suppressed,,/),
    ])
  })

  it('of 100,000 reads only slightly ahead, and ends after all of them', async () => {
    const all = 100_000
    let read = 0
    const page = async (_walk: object, after: string | undefined, limit: number) => {
      const from = after === undefined ? 0 : Number.parseInt(after.split(':')[1] ?? '', 16) + 1
      const n = Math.min(limit, all - from)
      read += n
      return Array.from({ length: n }, (_, index) =>
        aDelivery({
          dispatchId: numberedId(1),
          contactId: numberedId(from + index),
          email: `r${from + index}@example.com`,
        }),
      )
    }
    const texts = recipientExportChunks(exportedRecipients({ page }, [numberedId(1)], {}), 'ndjson')
    let lines = 0
    let ahead = 0
    let largest = 0
    for await (const text of texts) {
      lines += text.split('\n').length - 1
      ahead = Math.max(ahead, read - lines)
      largest = Math.max(largest, text.length)
    }
    expect(lines).toBe(all)
    expect(ahead).toBeLessThan(1000)
    expect(largest).toBeLessThan(40_000)
  })
})
