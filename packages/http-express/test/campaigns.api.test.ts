import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { testClient } from '../src/testing.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
  await world.project.subscribe(2)
})
afterAll(() => world.client.close())

const body = (changes: Record<string, unknown> = {}) => ({
  name: 'News',
  subject: 'Hello {{contact.name}}',
  type: 'html',
  document: '<p>Hello</p>',
  timeZone: 'Europe/Vienna',
  subscriberListId: world.project.list._id,
  ...changes,
})
const create = (changes: Record<string, unknown> = {}) => world.call('createCampaign', { body: body(changes) })

describe('createCampaign', () => {
  it('creates a draft with the given fields', async () => {
    const { status, result } = await create({
      feeds: [{ url: 'https://example.com/rss', feedType: 'rss-xml', variableName: 'blog' }],
      previewText: 'p',
    })
    expect([status, result.status, result.excludeUnengaged]).toEqual([201, 'draft', false])
    expect(result).toMatchObject({ previewText: 'p', feeds: [{ variableName: 'blog' }] })
  })

  it('reads a time without an offset in the campaign’s time zone', async () => {
    expect((await create({ status: 'scheduled', scheduledTo: '2026-07-01T10:00:00' })).result).toMatchObject({
      status: 'scheduled',
      scheduledTo: '2026-07-01T08:00:00.000Z',
    })
  })

  it('sends at once when the time is in the past', async () => {
    const { result } = await create({ status: 'scheduled', scheduledTo: '2020-01-01' })
    expect(result.status).toBe('being-sent')
    await world.core.worker.runUntilIdle()
    expect((await world.call('getCampaign', { params: { id: result._id } })).result.status).toBe('sent')
  })

  it.each([
    [{ name: undefined, subject: undefined }, 400, 'Missing required field: name; Missing required field: subject'],
    [{ timeZone: 'Mars/Base' }, 400, 'timeZone: Mars/Base is not an IANA time zone'],
    [{ status: 'scheduled' }, 400, 'Missing required field: scheduledTo'],
    [{ status: 'scheduled', scheduledTo: 'soon' }, 400, 'scheduledTo: expected an ISO 8601 date and time'],
    [{ status: 'sent' }, 400, 'status'],
    [{ subject: 'a\r\nBcc: b@example.com' }, 400, 'must not contain line breaks'],
    [{ replyTo: 'nobody' }, 400, 'Invalid email format'],
    [{ document: '<p>\n  {{#if x}}' }, 400, 'document: line 2'],
    [{ subject: '{{nothing here}}' }, 400, 'subject: line 1, column 1: unknown helper nothing'],
    [{ document: '{{> partial}}' }, 400, 'document: line 1, column 1: partials are not available'],
    [{ document: { a: 1 } }, 400, 'document: an email of type html has a template string'],
    [{ feeds: [{ url: 'ftp://x', feedType: 'rss-xml', variableName: 'a b' }] }, 400, 'feeds[0].url'],
    [{ subscriberListId: '0'.repeat(24) }, 404, 'Subscriber list not found'],
    [{ segmentId: '0'.repeat(24) }, 404, 'Segment not found'],
    [{ senderIdentity: '0'.repeat(24) }, 404, 'Sender identity not found'],
    [{ document: undefined, status: 'scheduled', scheduledTo: '2027-01-01' }, 405, 'The email has no document yet.'],
  ])('rejects %j', async (changes, status, message) => {
    const answer = await create(changes)
    expect(answer.status).toBe(status)
    expect(answer.error?.message).toContain(message)
  })

  it('stores nothing when credit or a sender identity is missing', async () => {
    const poor = await sampleProject(world.core, { name: 'Poor', credits: 1 })
    await poor.subscribe(2)
    const asked = { key: poor.key, params: { projectId: poor.project._id } }
    const scheduled = { ...body({ status: 'scheduled', scheduledTo: '2027-01-01' }), subscriberListId: poor.list._id }
    expect(await world.client.call('createCampaign', { ...asked, body: scheduled })).toMatchObject({
      status: 405,
      error: { message: 'Insufficient credits available' },
    })
    await world.core.accounts.addCredit(poor.account._id, 10)
    await world.core.senderIdentities.remove(poor.scope, poor.sender._id)
    expect((await world.client.call('createCampaign', { ...asked, body: scheduled })).error?.message).toContain(
      'no sender identity',
    )
    expect((await world.client.call('listCampaigns', asked)).result.count).toBe(0)
  })
})

describe('updateCampaign', () => {
  it('merges changes, removes fields given as empty strings, and applies the schedule', async () => {
    const { result } = await create({ previewText: 'p' })
    const update = (changes: unknown) => world.call('updateCampaign', { params: { id: result._id }, body: changes })
    expect((await update({ previewText: '' })).result).not.toHaveProperty('previewText')
    expect((await update({ status: 'scheduled', scheduledTo: '2026-02-01T00:00:00Z' })).result).toMatchObject({
      status: 'scheduled',
      name: 'News',
    })
    expect((await update({ status: 'draft' })).result.status).toBe('draft')
    expect((await update({ status: 'archive' })).result.status).toBe('archive')
    expect((await update({ colour: 'red', timeZone: 5 })).error?.message).toMatch(
      /timeZone.*; Unexpected field: colour|Unexpected field: colour; timeZone/,
    )
  })

  it('is refused from six minutes before the start, like unscheduling and deleting', async () => {
    const soon = (milliseconds: number) => new Date(world.clock.now().getTime() + milliseconds).toISOString()
    const { result } = await create({ status: 'scheduled', scheduledTo: soon(6 * 60_000) })
    const params = { id: result._id }
    expect(await world.call('updateCampaign', { params, body: { status: 'draft' } })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('within 5 minutes') },
    })
    expect((await world.call('deleteCampaign', { params })).status).toBe(400)
    const later = await create({ status: 'scheduled', scheduledTo: soon(6 * 60_000 + 1) })
    expect(
      (await world.call('updateCampaign', { params: { id: later.result._id }, body: { status: 'draft' } })).status,
    ).toBe(200)
  })

  it('returns 404 for unknown campaigns and those of another project', async () => {
    const other = await sampleProject(world.core, { name: 'Other' })
    const { result } = await create()
    expect(
      (
        await world.client.call('updateCampaign', {
          key: other.key,
          params: { projectId: other.project._id, id: result._id },
          body: {},
        })
      ).status,
    ).toBe(404)
    expect((await world.call('getCampaign', { params: { id: "1' or '1'='1" } })).status).toBe(404)
  })
})

describe('updateCampaign to an impossible status', () => {
  it('is refused, and leaves the campaign unchanged', async () => {
    const { result } = await create({ document: undefined })
    const params = { id: result._id }
    expect(
      await world.call('updateCampaign', { params, body: { status: 'scheduled', scheduledTo: '2027-01-01' } }),
    ).toMatchObject({ status: 405, error: { message: 'The email has no document yet.' } })
    expect((await world.call('getCampaign', { params })).result.status).toBe('draft')
  })
})

describe('deleteCampaign', () => {
  it('is refused if the campaign changes at that moment', async () => {
    const { ports } = inMemoryPorts()
    const { campaigns } = ports.repositories
    const changing = { ...campaigns, remove: async () => undefined }
    const core = createCore({ ...ports, repositories: { ...ports.repositories, campaigns: changing } })
    const { project, key, list } = await sampleProject(core)
    const client = await testClient(httpApp({ core, publicUrl: ports.settings.publicUrl, log: ports.log }))
    const asked = { key, params: { projectId: project._id } }
    const made = await client.call('createCampaign', { ...asked, body: body({ subscriberListId: list._id }) })
    const removed = await client.call('deleteCampaign', { key, params: { ...asked.params, id: made.result._id } })
    await client.close()
    expect(`${removed.status} ${removed.error?.message}`).toBe('405 The campaign has just changed. Please try again.')
  })

  it('returns the campaign and removes it', async () => {
    const { result } = await create()
    const params = { id: result._id }
    expect((await world.call('deleteCampaign', { params })).result._id).toBe(result._id)
    expect((await world.call('getCampaign', { params })).status).toBe(404)
  })
})

describe('listCampaigns', () => {
  it('finds by a part of the name, on every page', async () => {
    for (const name of ['Café letter', 'CAFÉ menu', 'Cafe', '50% off']) await create({ name })
    const list = async (query: Record<string, string>) => (await world.call('listCampaigns', { query })).result
    const names = ({ items }: Awaited<ReturnType<typeof list>>) => items.map(({ name }) => name)
    const first = await list({ find: 'café', limit: '1' })
    expect([names(first), first.count]).toEqual([['CAFÉ menu'], 2])
    const next = Object.fromEntries(new URL(first.next ?? '').searchParams)
    expect(names(await list(next))).toEqual(['Café letter'])
    expect(names(await list({ find: '0%' }))).toEqual(['50% off'])
    expect(names(await list({ find: 'café', 'filter[name]': 'Cafe' }))).toEqual([])
    expect(names(await list({ 'filter[name]': 'caf' }))).toEqual([])
  })

  it('rejects a text that no name may be long enough for', async () => {
    expect(await world.call('listCampaigns', { query: { find: 'a'.repeat(201) } })).toMatchObject({
      status: 400,
      error: { message: 'find: expected at most 200 characters' },
    })
  })
})
