import { createCore } from '@posthorn/core'
import { newSuppression } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpApp } from '../src/index.js'
import { testClient } from '../src/testing.js'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

describe('the project', () => {
  it('is updated field by field, and shows no secret', async () => {
    const update = (body: unknown) => world.call('updateProject', { body })
    expect(
      (
        await update({
          name: 'Shop',
          logoUrl: 'https://example.com/l.png',
          whiteList: ['A.example.com'],
          autoRemoveFromList: { bounce: 'off' },
        })
      ).result,
    ).toMatchObject({
      name: 'Shop',
      logoUrl: 'https://example.com/l.png',
      whiteList: ['a.example.com'],
      autoRemoveFromList: { bounce: 'off', complaint: 'removeFromLists' },
    })
    expect((await update({ logoUrl: '', status: 'production' })).result).not.toHaveProperty('logoUrl')
    const cloud = await update({
      cloudConfig: { accessKeyId: 'AKIAEXAMPLEX', secretAccessKey: 'very-secret-indeed', region: 'eu-west-1' },
    })
    expect(cloud.result.cloudConfig).toEqual({
      accessKeyIdHint: 'AKI…X',
      secretAccessKeyHint: 'ver…d',
      region: 'eu-west-1',
    })
    expect(JSON.stringify(await world.call('getProject'))).not.toContain('very-secret')
    expect((await update({ status: 'byoCloudSes' })).result.status).toBe('byoCloudSes')
  })

  it.each([
    [{ whiteList: ['https://example.com/'] }, 'whiteList[0]'],
    [{ logoUrl: 'javascript:alert(1)' }, 'logoUrl'],
    [{ restricted: true }, 'Unexpected field: restricted'],
    [
      { cloudConfig: { roleArn: 'arn:aws:iam::123456789012:role/r', accessKeyId: 'a', secretAccessKey: 'b' } },
      'not both',
    ],
    [
      { unengagedContactSegment: { groups: [{ conditions: [{ property: 'shoe', operator: 'equals', value: 'x' }] }] } },
      'unknown property shoe',
    ],
  ])('rejects %j', async (body, message) => {
    const answer = await world.call('updateProject', { body })
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toContain(message)
  })

  it('returns 403 for a wrong key', async () => {
    expect(await world.call('getProject', { key: 'ph_wrong' })).toMatchObject({
      status: 403,
      error: { name: 'AUTHORIZATION_ERROR' },
    })
  })
})

describe('custom fields', () => {
  it('have unique API names, and are removed with their values', async () => {
    const create = (body: unknown) => world.call('createCustomField', { body })
    expect((await create({ name: 'Favorite Color', type: 'string' })).result).toEqual({
      name: 'favoriteColor',
      type: 'string',
    })
    expect((await create({ name: 'favorite color', type: 'number' })).status).toBe(400)
    expect((await create({ name: 'name', type: 'string' })).status).toBe(201)
    for (const name of ['email', '_id', 'created at', '!!!', '__proto__'])
      expect((await create({ name, type: 'string' })).status).toBe(400)
    expect((await create({ name: 'x', type: 'colour' })).status).toBe(400)
    await world.call('createContact', { body: { email: 'a@example.com', favoriteColor: 'red' } })
    expect((await world.call('deleteCustomField', { params: { name: 'favoriteColor' } })).status).toBe(200)
    expect((await world.call('getContact', { params: { email: 'a@example.com' } })).result).not.toHaveProperty(
      'favoriteColor',
    )
    expect((await world.call('deleteCustomField', { params: { name: 'favoriteColor' } })).status).toBe(404)
    expect((await world.call('listCustomFields')).result).toMatchObject({ next: null })
  })
})

describe('contact tags', () => {
  it('are lower-case and unique, and their changes reach the contacts', async () => {
    const { result } = await world.call('createContactTag', { body: { value: 'VIP' } })
    expect(result.value).toBe('vip')
    expect((await world.call('createContactTag', { body: { value: 'vip' } })).status).toBe(409)
    await world.call('createContact', { body: { email: 't@example.com', tags: ['Vip', 'new'] } })
    const tags = async () => (await world.call('getContact', { params: { email: 't@example.com' } })).result.tags
    expect(
      (await world.call('updateContactTag', { params: { id: result._id }, body: { value: 'Gold' } })).result.value,
    ).toBe('gold')
    expect(await tags()).toEqual(['gold', 'new'])
    expect((await world.call('updateContactTag', { params: { id: result._id }, body: { value: 'new' } })).status).toBe(
      409,
    )
    expect((await world.call('deleteContactTag', { params: { id: result._id } })).status).toBe(200)
    expect(await tags()).toEqual(['new'])
    expect((await world.call('getContactTag', { params: { id: result._id } })).status).toBe(404)
    expect((await world.call('listContactTags', { query: { 'filter[value]': 'new' } })).result.count).toBe(1)
  })
})

describe('segments', () => {
  it('reject meaningless conditions, and cannot be removed while a campaign uses them', async () => {
    const create = (conditions: unknown[]) =>
      world.call('createSegment', { body: { name: 'S', groups: [{ conditions }] } })
    for (const wrong of [
      { operator: 'flies' },
      { operator: 'equals' },
      { operator: 'equals', property: 'shoe', value: 1 },
      { operator: 'opened', category: 'engagement', value: 'x' },
      { operator: 'opened', category: 'engagement', property: 'email' },
      { operator: 'date-before', property: 'createdAt', value: 'soon' },
    ])
      expect((await create([wrong])).status).toBe(400)
    const { result } = await create([
      { property: 'email', operator: 'contains', value: '@example.com' },
      { category: 'engagement', operator: 'not-opened', value: 30 },
    ])
    const params = { id: result._id }
    expect((await world.call('updateSegment', { params, body: { name: 'Renamed' } })).result).toMatchObject({
      name: 'Renamed',
      groups: result.groups,
    })
    const campaign = await world.call('createCampaign', {
      body: {
        name: 'C',
        subject: 's',
        timeZone: 'UTC',
        subscriberListId: world.project.list._id,
        segmentId: result._id,
      },
    })
    expect(await world.call('deleteSegment', { params })).toMatchObject({ status: 405 })
    await world.call('deleteCampaign', { params: { id: campaign.result._id } })
    expect((await world.call('deleteSegment', { params })).status).toBe(200)
    expect((await world.call('getSegment', { params })).status).toBe(404)
    expect((await world.call('listSegments')).result.count).toBe(0)
  })
})

describe('sender identities', () => {
  it('are ordered with the default first, and cannot be removed while an email uses them', async () => {
    const create = (body: unknown) => world.call('createSenderIdentity', { body })
    const { result } = await create({ email: 'second@example.com', name: 'Second', region: 'eu-west-1' })
    expect((await create({ email: 'SECOND@example.com', region: 'eu-west-1' })).status).toBe(400)
    expect((await create({ email: 'third@example.com', region: 'mars-1' })).error?.message).toContain(
      'region: expected one of',
    )
    expect((await create({ email: 'third@example.com', name: 'a\r\nb', region: 'eu-west-1' })).status).toBe(400)
    const order = async () =>
      (await world.call('listSenderIdentities')).result.items.map(({ email }: { email: string }) => email)
    expect(await order()).toEqual(['post@example.com', 'second@example.com'])
    const params = { identityId: result._id }
    await world.call('setDefaultSenderIdentity', { params })
    expect(await order()).toEqual(['second@example.com', 'post@example.com'])
    const email = await world.call('createTransactionalEmail', {
      body: { name: 'T', subject: 's', senderIdentity: result._id },
    })
    expect((await world.call('deleteSenderIdentity', { params })).status).toBe(405)
    await world.call('deleteTransactionalEmail', { params: { id: email.result._id } })
    expect((await world.call('deleteSenderIdentity', { params })).result).toEqual({ _id: result._id })
    expect((await world.call('setDefaultSenderIdentity', { params })).status).toBe(404)
  })
})

describe('triggered and transactional emails', () => {
  it.each([
    ['TriggeredEmail', 'TriggeredEmails'],
    ['TransactionalEmail', 'TransactionalEmails'],
  ] as const)('%s can be created, changed, listed and removed', async (noun, plural) => {
    const list = noun === 'TriggeredEmail' ? { subscriberListId: world.project.list._id } : {}
    const { status, result } = await world.call(`create${noun}`, {
      body: { name: 'N', subject: 's', type: 'text', document: 'd', ...list },
    })
    expect([status, result.type, result.document]).toEqual([201, 'text', 'd'])
    const params = { id: result._id }
    expect((await world.call(`update${noun}`, { params, body: { subject: '{{wrong' } })).error?.message).toContain(
      'subject: line 1',
    )
    expect((await world.call(`update${noun}`, { params, body: { replyTo: 'a@example.com' } })).result).toMatchObject({
      replyTo: 'a@example.com',
      document: 'd',
    })
    expect((await world.call(`update${noun}`, { params, body: { senderIdentity: '0'.repeat(24) } })).status).toBe(404)
    expect((await world.call(`list${plural}`, { query: { 'filter[type]': 'text' } })).result.count).toBe(1)
    expect((await world.call(`delete${noun}`, { params })).status).toBe(200)
    expect((await world.call(`get${noun}`, { params })).status).toBe(404)
    const foreign = { name: 'N', subject: 's', ...list, senderIdentity: '0'.repeat(24) }
    expect((await world.call(`create${noun}`, { body: foreign })).error?.message).toBe('Sender identity not found')
    expect((await world.call(`create${noun}`, { body: {} })).error?.message).toContain(
      'Missing required field: name; Missing required field: subject',
    )
  })
})

describe('the whole suppression list', () => {
  it('is returned in one response, however long it is', async () => {
    const { key, project } = await sampleProject(world.core, { name: 'Long list' })
    const scope = { projectId: project._id, caller: 'api-key' } as const
    for (let n = 0; n < 1200; n += 1)
      await world.core.suppressions.create(scope, { email: `r${n}@example.com`, reason: n % 2 ? 'odd' : 'even "😀"' })
    const list = (query: Record<string, string>) =>
      world.client.call('listSuppressions', { key, params: { projectId: project._id }, query })
    const { result } = await list({ limit: 'unlimited' })
    expect([result.items.length, result.count, result.next]).toEqual([1200, 1200, null])
    expect(result.items[0]).toMatchObject({ email: 'r0@example.com', reason: 'even "😀"' })
    expect((await list({ limit: 'unlimited', 'filter[reason]': 'odd' })).result.count).toBe(600)
    expect((await list({ limit: 'unlimited', 'filter[email]': 'nobody@example.com' })).result).toEqual({
      items: [],
      count: 0,
      next: null,
    })
    expect((await list({ limit: 'unlimited', 'filter[colour]': 'red' })).status).toBe(400)
    expect((await list({ limit: '1200' })).result.items).toHaveLength(30)
  })

  it('is the only list without a limit', async () => {
    expect((await world.call('listContacts', { query: { limit: 'unlimited' } })).status).toBe(400)
    expect((await world.call('listSuppressions', { query: { limit: 'all' } })).error?.message).toContain(
      'limit: expected',
    )
  })

  it('stops being read when the client disconnects', async () => {
    const { suppressions } = world.ports.repositories
    let ended = false
    const endless: typeof suppressions.each = async function* () {
      try {
        for (let n = 0; ; n += 1)
          yield newSuppression(
            { _id: 'a'.repeat(24), projectId: 'p', email: `r${n}@example.com`, reason: '' },
            '2026-01-06T12:00:00.000Z',
          )
      } finally {
        ended = true
      }
    }
    const repositories = { ...world.ports.repositories, suppressions: { ...suppressions, each: endless } }
    const core = createCore({ ...world.ports, repositories, jobs: inMemoryPorts().ports.jobs })
    const client = await testClient(httpApp({ core, publicUrl: 'http://localhost', log: world.ports.log }))
    const gone = new AbortController()
    const response = await fetch(
      `${client.base}/v1/projectId/${world.project.project._id}/suppression-list?limit=unlimited`,
      { headers: { authorization: `Bearer ${world.project.key}` }, signal: gone.signal },
    )
    await response.body?.getReader().read()
    gone.abort()
    await expect.poll(() => ended).toBe(true)
    await client.close()
  })
})

describe('suppressions', () => {
  it('are found by address in any case', async () => {
    const { result } = await world.call('createSuppression', { body: { email: 'Mixed@Example.com' } })
    for (const email of ['mixed@example.com', 'MIXED@EXAMPLE.COM'])
      for (const limit of ['10', 'unlimited'])
        expect(
          (await world.call('listSuppressions', { query: { 'filter[email]': email, limit } })).result.items,
        ).toEqual([result])
    await world.call('deleteSuppression', { params: { id: result._id } })
  })

  it('are unique in any spelling, and can be removed', async () => {
    const { result } = await world.call('createSuppression', { body: { email: 'No@example.com', reason: 'asked' } })
    expect(await world.call('createSuppression', { body: { email: 'no@EXAMPLE.com' } })).toMatchObject({
      status: 409,
      error: { name: 'CONFLICT', message: 'This email is already in the suppression list.' },
    })
    expect((await world.call('listSuppressions', { query: { 'filter[reason]': 'asked' } })).result.items).toMatchObject(
      [{ email: 'No@example.com' }],
    )
    expect((await world.call('deleteSuppression', { params: { id: result._id } })).result._id).toBe(result._id)
    expect((await world.call('deleteSuppression', { params: { id: result._id } })).status).toBe(404)
  })
})
