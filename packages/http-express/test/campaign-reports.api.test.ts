import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createCore } from '@posthorn/core'
import { refusingMailerScript, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { testClient } from '../src/testing.js'
import { aWorld, unlimited, type World } from './world.js'

let world: World
let other: Awaited<ReturnType<typeof sampleProject>>
let params: { readonly id: string }
beforeAll(async () => {
  world = await aWorld()
  other = await sampleProject(world.core, { name: 'Other' })
  const { project, core, mailer, ports } = world
  await project.subscribe(4)
  mailer.answerTo({ 'reader2@example.com': refusingMailerScript() })
  await core.campaigns.create(project.scope, {
    name: 'News',
    subject: 'Hello',
    type: 'html',
    document: '<a href="https://shop.example/a">a</a>',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2020-01-01',
  })
  await core.suppressions.create(project.scope, { email: 'reader3@example.com' })
  await core.worker.runUntilIdle()
  const [campaign] = (await core.campaigns.list(project.scope, { skip: 0, limit: 1 })).items
  params = { id: campaign?._id ?? '' }
  const { items } = await ports.deliveries.list({
    where: { emailId: campaign?._id ?? '', projectId: project.project._id, address: 'reader1@example.com' },
    by: 'email',
    order: 'asc',
    skip: 0,
    limit: 1,
  })
  const deliveryId = items[0]?._id ?? ''
  await core.deliveryEvents.record({ deliveryId, type: 'open' })
  await core.deliveryEvents.record({ deliveryId, type: 'click', seen: { link: 'https://shop.example/a' } })
})
afterAll(() => world.client.close())

/** As another project asks. */
const asStranger = () => ({ key: other.key, params: { ...params, projectId: other.project._id } })

describe('getCampaignReport', () => {
  it('returns the campaign’s results', async () => {
    expect((await world.call('getCampaignReport', { params })).result).toMatchObject({
      name: 'News',
      status: 'sent',
      recipients: 4,
      sent: 2,
      failed: 1,
      excluded: 1,
      waiting: 0,
      uniqueOpens: 1,
      failures: [{ count: 1 }],
      exclusions: [{ reason: 'suppressed', count: 1 }],
      links: [{ link: 'https://shop.example/a', clicks: 1 }],
    })
  })

  it('does not find a campaign of another project', async () => {
    expect((await world.client.call('getCampaignReport', asStranger())).status).toBe(404)
  })
})

describe('getCampaignReportLink', () => {
  const pageOf = async (url: string) => fetch(url.replace('https://posthorn.example.com', world.client.base))

  it('opens the report for anyone who has the link', async () => {
    const { url, expiresAt } = (await world.call('getCampaignReportLink', { params, query: { days: '2' } })).result
    expect(Date.parse(expiresAt) - world.clock.now().getTime()).toBeGreaterThan(47 * 60 * 60_000)
    const page = await pageOf(url)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('News')
  })

  it.each(['0', '366', 'x', '1.5', '-1'])('rejects a validity of %s days', async (days) => {
    const { status, error } = await world.call('getCampaignReportLink', { params, query: { days } })
    expect([status, error?.message]).toEqual([400, 'days: expected a whole number, from 1 to 365'])
  })

  it('does not find a campaign of another project', async () => {
    expect((await world.client.call('getCampaignReportLink', asStranger())).status).toBe(404)
  })
})

describe('listCampaignExclusions', () => {
  it('lists excluded recipients, filtered by reason', async () => {
    const { result } = await world.call('listCampaignExclusions', { params })
    expect(result).toMatchObject({
      count: 1,
      next: null,
      items: [{ email: 'reader3@example.com', reason: 'suppressed' }],
    })
    const other = await world.call('listCampaignExclusions', { params, query: { 'filter[reason]': 'paused' } })
    expect(other.result.count).toBe(0)
  })

  it('names every unsupported parameter', async () => {
    const query = { 'filter[reason]': 'bored', 'filter[status]': 'sent', sort: 'opens', limit: '0' }
    const { status, error } = await world.call('listCampaignExclusions', { params, query })
    expect(status).toBe(400)
    for (const field of ['limit', 'sort', 'filter[reason]', 'filter[status]']) expect(error?.message).toContain(field)
  })

  it('does not find a campaign of another project', async () => {
    expect((await world.client.call('listCampaignExclusions', asStranger())).status).toBe(404)
  })
})

describe('exportCampaignRecipients', () => {
  it('exports all recipients as CSV or as one JSON object per line', async () => {
    const csv = await world.call('exportCampaignRecipients', { params })
    expect([csv.headers.get('content-type'), csv.result.filename]).toEqual([
      'text/csv; charset=utf-8',
      `recipients-${params.id}.csv`,
    ])
    expect(
      csv.result.content
        .trim()
        .split('\n')
        .map((line) => line.split(',').slice(0, 3)),
    ).toEqual([
      ['email', 'status', 'reason'],
      ['reader1@example.com', 'sent', ''],
      ['reader2@example.com', 'failed', expect.stringMatching(/./)],
      ['reader3@example.com', 'excluded', 'suppressed'],
      ['reader4@example.com', 'sent', ''],
    ])
    const query = { format: 'ndjson', status: 'failed' }
    const ndjson = await world.call('exportCampaignRecipients', { params, query })
    expect(ndjson.headers.get('content-type')).toMatch('application/x-ndjson')
    expect(JSON.parse(ndjson.result.content)).toMatchObject({ email: 'reader2@example.com', status: 'failed' })
  })

  it('rejects unknown formats and campaigns of other projects', async () => {
    const { status, error } = await world.call('exportCampaignRecipients', { params, query: { format: 'xlsx' } })
    expect([status, error?.message]).toEqual([400, 'format: expected csv or ndjson'])
    expect((await world.client.call('exportCampaignRecipients', asStranger())).status).toBe(404)
  })

  /** A server with a campaign of recipients without end, and who asks for all of them. */
  const endless = async (stallTime?: number) => {
    let read = 0
    const { dispatchResults, settings, log } = world.ports
    const rows: typeof dispatchResults = {
      ...dispatchResults,
      page: async (walk, _after, limit) => {
        read += limit
        const [row] = await dispatchResults.page(walk, undefined, 1)
        // So long that few of them fill the buffers of a connection.
        const email = `${'x'.repeat(10_000)}@example.com`
        return Array.from({ length: limit }, (_, n) => ({ ...row, email, _id: `${walk.dispatchId}:${n}` })) as never
      },
    }
    const core = createCore({ ...world.ports, dispatchResults: rows })
    const { publicUrl } = settings
    const app = httpApp({ core, publicUrl, log, rateLimits: unlimited, ...(stallTime !== undefined && { stallTime }) })
    const client = await testClient(app)
    const path = `/v1/projectId/${world.project.project._id}/campaigns/${params.id}/recipients/export`
    const headers = { authorization: `Bearer ${world.project.key}` }
    const under: ClientRequest[] = []
    /** Begins to take them, and takes nothing more. */
    const begin = async () => {
      const asked = request(`${client.base}${path}`, { headers, agent: false })
      under.push(asked)
      asked.on('error', () => undefined)
      const answer = await new Promise<IncomingMessage>((resolve) => {
        asked.on('response', resolve)
        asked.end()
      })
      answer.on('error', () => undefined)
      answer.pause()
      return { answer, leave: () => asked.destroy() }
    }
    return {
      begin,
      close: async () => {
        for (const one of under) one.destroy()
        await client.close()
      },
      /** Asks until it is answered. */
      placed: async () => {
        const status = async () => {
          const { answer, leave } = await begin()
          if (answer.statusCode !== 200) leave()
          return answer.statusCode
        }
        await expect.poll(status).toBe(200)
      },
      /** How much was read, when nothing more has been for a while. */
      settled: async () => {
        for (let before = -1; before !== read; ) {
          before = read
          await new Promise((resolve) => setTimeout(resolve, 300))
        }
        return read
      },
    }
  }

  it('stops reading the store when the client stops reading', async () => {
    const { begin, settled, close } = await endless()
    const { leave } = await begin()
    expect(await settled()).toBeGreaterThan(0)
    leave()
    expect(await settled()).toBeLessThan(10_000)
    await close()
  })

  it('runs eight at once per project, and answers the ninth with 429', async () => {
    const { begin, placed, close } = await endless()
    const eight = await Promise.all(Array.from({ length: 8 }, begin))
    expect(eight.map(({ answer }) => answer.statusCode)).toEqual(Array.from({ length: 8 }, () => 200))
    const ninth = await begin()
    expect([ninth.answer.statusCode, ninth.answer.headers['retry-after']]).toEqual([429, '5'])
    eight[0]?.leave()
    await placed()
    await close()
  })

  it('drops a client that stops reading, and frees its slot', async () => {
    const { begin, placed, close } = await endless(200)
    const eight = await Promise.all(Array.from({ length: 8 }, begin))
    await placed()
    for (const { answer } of eight) {
      /** Takes what there is, and then nothing again: it may not have been given up yet. */
      const isGivenUp = async () => {
        answer.resume()
        await new Promise((resolve) => setTimeout(resolve, 20))
        answer.pause()
        return answer.closed
      }
      await expect.poll(isGivenUp, { interval: 400 }).toBe(true)
      expect(answer.complete).toBe(false)
    }
    await close()
  })
})

describe('retryFailedMails', () => {
  it('sends failed mails again once', async () => {
    world.mailer.answerTo({})
    expect((await world.call('retryFailedMails', { params })).result).toEqual({ again: 1 })
    await world.core.worker.runUntilIdle()
    expect((await world.call('getCampaignReport', { params })).result).toMatchObject({ sent: 3, failed: 0 })
    expect((await world.call('retryFailedMails', { params })).result).toEqual({ again: 0 })
  })

  it('rejects a draft and a campaign of another project', async () => {
    const body = {
      name: 'Draft',
      subject: 'S',
      timeZone: 'UTC',
      subscriberListId: world.project.list._id,
    }
    const { _id } = (await world.call('createCampaign', { body })).result
    expect((await world.call('retryFailedMails', { params: { id: _id } })).status).toBe(405)
    expect((await world.client.call('retryFailedMails', asStranger())).status).toBe(404)
  })
})
