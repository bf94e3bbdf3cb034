import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeEach(async () => {
  world = await aWorld()
})
afterEach(() => world.client.close())

const document = {
  tagName: 'mjml',
  children: [{ tagName: 'mj-text', content: 'Hello {{contact.name}}, in {{design.colors.primary}}' }],
}
const unknown = { blocks: [{ kind: 'paragraph' }] }
const content = { name: 'Visual', subject: 'Look', document }
const kinds = ['Campaign', 'TriggeredEmail', 'TransactionalEmail'] as const

describe.each(kinds)('a %s with a visual document', (kind) => {
  const bodyOf = (changes: object) => ({
    ...content,
    ...(kind !== 'TransactionalEmail' && { subscriberListId: world.project.list._id }),
    ...(kind === 'Campaign' && { timeZone: 'UTC' }),
    ...changes,
  })
  const create = (changes: object = {}) => world.call(`create${kind}`, { body: bodyOf(changes) })

  it.each([{}, { type: 'visual' }])('is created with %j and returned unchanged', async (type) => {
    const { status, result } = await create(type)
    expect(status).toBe(201)
    expect(result).toMatchObject({ type: 'visual', document })
    expect((await world.call(`get${kind}`, { params: { id: result._id } })).result).toEqual(result)
  })

  it.each([unknown, [], 'a string', 7, { tagName: 'mjml', content: '{{#each}}' }])(
    'may be a draft in any editor’s JSON: %j',
    async (any) => {
      expect(await create({ document: any })).toMatchObject({ status: 201, result: { type: 'visual', document: any } })
    },
  )

  it('can replace a template, and be replaced by one', async () => {
    const { result } = await create({ type: 'html', document: '<p>Hi</p>' })
    const update = (body: object) => world.call(`update${kind}`, { params: { id: result._id }, body })
    expect(await update({ type: 'visual', document })).toMatchObject({
      status: 200,
      result: { type: 'visual', document },
    })
    expect(await update({ type: 'html', document })).toMatchObject({
      status: 400,
      error: { message: 'document: an email of type html has a template string' },
    })
    expect(await update({ type: 'html', document: 'Hi' })).toMatchObject({ status: 200, result: { type: 'html' } })
  })

  it('is sent as a test, or refused with 405 and the reason', async () => {
    const type = { Campaign: 'campaign', TriggeredEmail: 'triggered', TransactionalEmail: 'transactional' }[kind]
    const test = async (changes: object) => {
      const { result } = await create(changes)
      return world.call('sendTestEmail', { params: { id: result._id }, body: { type, email: 'me@example.com' } })
    }
    expect((await test({})).status).toBe(200)
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.map(({ to }) => to)).toEqual(['me@example.com'])
    expect(world.mailer.sent[0]?.mime).toContain('in #0b5d66')
    expect(await test({ document: unknown })).toMatchObject({
      status: 405,
      error: { name: 'METHOD_NOT_ALLOWED', message: 'The visual document cannot be rendered: no mjml' },
    })
  })
})

describe('scheduling a visual campaign', () => {
  const soon = { status: 'scheduled', scheduledTo: '2027-01-01' }

  it('returns 405 at once if its document cannot be rendered', async () => {
    const body = { ...content, subscriberListId: world.project.list._id, timeZone: 'UTC' }
    const { result } = await world.call('createCampaign', { body: { ...body, document: unknown } })
    const update = (changes: object) => world.call('updateCampaign', { params: { id: result._id }, body: changes })
    expect(await update(soon)).toMatchObject({
      status: 405,
      error: { message: 'The visual document cannot be rendered: no mjml' },
    })
    expect(await update({ ...soon, document })).toMatchObject({ status: 200, result: { status: 'scheduled' } })
  })
})
