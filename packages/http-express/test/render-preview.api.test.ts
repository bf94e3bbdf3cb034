import { plainVisuals, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
const ids = { campaign: '', triggered: '', transactional: '', template: '' }
const kinds = ['campaign', 'triggered', 'transactional', 'template'] as const

const subject = 'Hello {{contact.name}}'
const source =
  '<p>{{contact.email}} {{contact.city}} {{#each contact.tags}}[{{this}}]{{/each}} {{order}} {{news.title}}{{wrong}}</p>'
const feedUrl = 'https://feeds.example.com/news'

beforeAll(async () => {
  world = await aWorld({ visualRenderer: plainVisuals, feedReader: { read: async () => ({ title: 'News' }) } })
  const { call, project } = world
  await call('createCustomField', { body: { name: 'city', type: 'string' } })
  await call('createContact', { body: { email: 'Ada@example.com', name: 'Ada', city: 'Graz', tags: ['vip', 'new'] } })
  const feeds = [{ url: feedUrl, feedType: 'json', variableName: 'news' }]
  const shared = { name: 'N', subject, type: 'html', document: source, feeds }
  const subscriberListId = project.list._id
  const campaign = { ...shared, subscriberListId, timeZone: 'UTC' }
  ids.campaign = (await call('createCampaign', { body: campaign })).result._id
  ids.triggered = (await call('createTriggeredEmail', { body: { ...shared, subscriberListId } })).result._id
  ids.transactional = (await call('createTransactionalEmail', { body: shared })).result._id
  const document = { tagName: 'mjml', content: source }
  ids.template = (await call('createTemplate', { body: { name: 'T', subject, document } })).result._id
})
afterAll(() => world.client.close())

const preview = (id: string, body?: object, key = world.project.key) =>
  world.call('renderPreview', { params: { id }, key, ...(body && { body }) })

describe.each(kinds)('a preview of a %s', (type) => {
  it('shows what would be sent, and neither sends, charges nor counts anything', async () => {
    const credits = await world.project.credits()
    const sent = world.mailer.sent.length
    const { status, result } = await preview(ids[type], { type, contact: 'ada@EXAMPLE.com', data: { order: '<7>' } })
    await world.core.worker.runUntilIdle()
    expect(status).toBe(200)
    expect(result.subject).toBe('Hello Ada')
    expect(result.html).toContain('Ada@example.com Graz [vip][new] &lt;7&gt;')
    expect(result.text).toContain('Ada@example.com Graz [vip][new] <7>')
    const unknown = type === 'template' ? ['news', 'wrong'] : ['wrong']
    expect(result.warnings).toEqual(unknown.map((name) => expect.stringContaining(`${name} has no value`)))
    expect([await world.project.credits(), world.mailer.sent.length]).toEqual([credits, sent])
  })

  it('accepts a contact’s id, its fields, or no contact', async () => {
    const { _id } = await world.core.contacts.get(world.project.scope, 'ada@example.com')
    expect((await preview(ids[type], { contact: _id })).result.html).toContain('Ada@example.com Graz')
    const fields = { email: 'x@example.com', name: 'Bea', city: 'Linz', tags: ['t'] }
    const { result } = await preview(ids[type], { contact: fields })
    expect([result.subject, result.text.trim()]).toEqual([
      'Hello Bea',
      expect.stringContaining('x@example.com Linz [t]'),
    ])
    expect((await preview(ids[type], { contact: 'stranger@example.com' })).result.text).toContain(
      'stranger@example.com',
    )
    expect((await preview(ids[type], {})).result.subject.trim()).toBe('Hello')
  })

  it('is refused for unknown emails, emails of another kind, and unknown contacts', async () => {
    expect(await preview('0'.repeat(24), {})).toMatchObject({ status: 404, error: { message: 'Email not found' } })
    const other = kinds.find((one) => one !== type) ?? type
    expect((await preview(ids[type], { type: other })).status).toBe(404)
    expect(await preview(ids[type], { contact: '1'.repeat(24) })).toMatchObject({
      status: 404,
      error: { message: 'Contact not found' },
    })
    expect(await preview(ids[type], { contact: 7, data: 'x', other: 1 })).toMatchObject({
      status: 400,
      error: {
        message: expect.stringMatching(
          /contact: expected an id, an address or the fields of a contact.*data: expected an object.*Unexpected field: other/,
        ),
      },
    })
    expect((await preview(ids[type], {}, 'ph_wrong')).status).toBe(403)
    const stranger = await sampleProject(world.core, { name: `Other ${type}` })
    const foreign = { params: { projectId: stranger.project._id, id: ids[type] }, key: stranger.key, body: {} }
    expect((await world.client.call('renderPreview', foreign)).status).toBe(404)
  })
})

describe('a preview of a document that is not saved', () => {
  it('is that of the email with the document, and stores nothing', async () => {
    const { core, project } = world
    const document = { tagName: 'mjml', content: 'New for {{contact.name}}' }
    const before = await core.campaigns.get(project.scope, ids.campaign)
    const shown = await core.sends.previewDocument(project.scope, ids.campaign, { document, contact: { name: 'Bea' } })
    expect(shown).toMatchObject({ subject: 'Hello Bea', html: expect.stringContaining('New for Bea') })
    expect(await core.campaigns.get(project.scope, ids.campaign)).toEqual(before)
    await expect(core.sends.previewDocument(project.scope, ids.campaign, { document: { rows: [] } })).rejects.toThrow(
      'The visual document cannot be rendered',
    )
    const stranger = await sampleProject(core, { name: 'Stranger' })
    await expect(core.sends.previewDocument(stranger.scope, ids.campaign, { document })).rejects.toThrow('not found')
  })
})

describe('a preview', () => {
  const textEmail = async (changes: object) =>
    (
      await world.call('createTransactionalEmail', {
        body: { name: 'N', subject: 'S', type: 'text', document: 'Hi', ...changes },
      })
    ).result._id

  it('of plain text has no HTML', async () => {
    const id = await textEmail({ document: 'Hi <{{x}}>' })
    expect((await preview(id, { data: { x: '&' } })).result).toEqual({
      subject: 'S',
      html: '',
      text: 'Hi <&>',
      warnings: [],
    })
  })

  it('returns 405 with the reason if the email cannot be sent', async () => {
    const id = await textEmail({
      document: '{{#each a}}{{#each ../a}}{{#each ../a}}{{this}}{{/each}}{{/each}}{{/each}}',
    })
    expect(await preview(id, { data: { a: Array(100).fill('x') } })).toMatchObject({ status: 405 })
    expect(await preview(await textEmail({ document: '' }), {})).toMatchObject({
      status: 405,
      error: { message: 'The email has no document yet.' },
    })
  })

  it('links to a page that says it is a test', async () => {
    const document = '{{unsubscribeLink}} {{pauseSubscriptionLink}}'
    const body = { name: 'N', subject: 'S', type: 'text', document, subscriberListId: world.project.list._id }
    const { _id } = (await world.call('createTriggeredEmail', { body })).result
    const { text, warnings } = (await preview(_id, {})).result
    expect(text).toMatch(/^https:\/\/posthorn\.example\.com\/test-link\?token=\S+ https:\S+\/test-link\?token=\S+$/)
    expect(warnings).toEqual([])
  })
})
