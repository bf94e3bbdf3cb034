import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OperationId } from '../src/index.js'
import type { TestHttpRequest } from '../src/testing.js'
import { aWorld, type World } from './world.js'

let world: World
let segment = ''
let form = ''
beforeAll(async () => {
  world = await aWorld()
  await world.call('createCustomField', { body: { name: 'age', type: 'number' } })
  segment = (await world.call('createSegment', { body: { name: 'All' } })).result._id
  form = (await world.call('createSignupForm', { body: { name: 'Form' } })).result._id
})
afterAll(() => world.client.close())

const told = async (id: OperationId, asked: TestHttpRequest) => {
  const { status, error } = await world.call(id, asked)
  return [status, ...(error?.message.split('; ') ?? [])]
}

/** `Unexpected field: colour` of the query comes first. */
const beside = (...sentences: readonly unknown[]) => [400, 'Unexpected field: colour', ...sentences]
const query = { colour: 'red' }

describe('one response reports all violations of the query, the fields and the rules between them', () => {
  const misfit = { operator: 'contains', property: 'age', value: '3' }
  const why = 'groups[0].conditions[0]: contains needs a text property and a text'
  const groups = [{ conditions: [misfit, { operator: 'like' }] }]
  const unknown = /^groups\[0\]\.conditions\[1\]\.operator: expected one of any, /

  it.each([
    ['createTransactionalEmail', {}],
    ['createTriggeredEmail', {}],
    ['createCampaign', { timeZone: 'UTC' }],
    ['createTemplate', {}],
  ] as const)('for the templates of an email, by %s', async (id, more) => {
    const body = { ...more, subject: '{{#if', previewText: '{{a}', colour: 'red' }
    const answer = await told(id, { body })
    expect(answer).toEqual(
      expect.arrayContaining([
        400,
        'Missing required field: name',
        'Unexpected field: colour',
        expect.stringMatching(/^subject: line 1/),
        expect.stringMatching(/^previewText: line 1/),
      ]),
    )
  })

  it('for a document, by the email’s existing type', async () => {
    const { result } = await world.call('createTransactionalEmail', {
      body: { name: 'Bare', subject: 'Hello', type: 'html', document: 'Hello' },
    })
    expect(
      await told('updateTransactionalEmail', { params: { id: result._id }, body: { name: '', document: '{{#if' } }),
    ).toEqual([400, 'name: must not be empty', expect.stringMatching(/^document: line 1/)])
  })

  it('for a segment', async () => {
    const all = [expect.stringMatching(unknown), 'Unexpected field: shape', why]
    const body = { name: '', groups, shape: 'round' }
    expect(await told('createSegment', { query, body })).toEqual(beside('name: must not be empty', ...all))
    expect(await told('createSegment', { body })).toEqual([400, 'name: must not be empty', ...all])
    expect(await told('updateSegment', { query, params: { id: segment }, body: { groups, shape: 1 } })).toEqual(
      beside(...all),
    )
  })

  it('for a list', async () => {
    const { result } = await world.call('createTransactionalEmail', {
      body: { name: 'Bare', subject: 'Hello', type: 'html', document: 'Hello' },
    })
    const active = (emailId: string) => ({ private: 1, doubleOptIn: { active: true, emailId } })
    const isPrivate = 'private: expected true or false, got 1'
    const params = { id: world.project.list._id }
    expect(await told('createSubscriberList', { query, body: active('') })).toEqual(
      beside(
        'Missing required field: name',
        isPrivate,
        'doubleOptIn.emailId: an active double opt-in needs a transactional email',
      ),
    )
    expect(await told('updateSubscriberList', { query, params, body: active(result._id) })).toEqual(
      beside(isPrivate, 'doubleOptIn.emailId: the content of the email must include {{verifyLink}}'),
    )
  })

  it('for a signup form', async () => {
    const body = { btnLabel: 7, propertiesStyle: { age: {}, shoe: {} }, doubleOptIn: { active: true } }
    const all = [
      'btnLabel: expected a text, got 7',
      'Unexpected field: propertiesStyle.shoe',
      'doubleOptIn.emailId: an active double opt-in needs a transactional email',
    ]
    expect(await told('createSignupForm', { query, body })).toEqual(beside('Missing required field: name', ...all))
    expect(await told('updateSignupForm', { query, params: { id: form }, body })).toEqual(beside(...all))
  })

  it('for a custom field', async () => {
    const type = 'type: expected one of string, number, boolean or date, got "text"'
    const create = (name: string) => told('createCustomField', { query, body: { name, type: 'text' } })
    expect(await create('Status')).toEqual(beside(type, 'name: Status is reserved'))
    expect(await create('AGE')).toEqual(beside(type, 'name: a field age exists already'))
    expect(await create('')).toEqual(beside('name: must not be empty', type))
  })

  it('for a project', async () => {
    const body = {
      name: '',
      status: 'byoCloudSes',
      whiteList: ['https://shop.example.com'],
      unengagedContactSegment: { groups: [{ conditions: [misfit] }] },
    }
    expect(await told('updateProject', { query, body })).toEqual(
      beside(
        'name: must not be empty',
        'whiteList[0]: expected a bare domain, without protocol or path',
        `unengagedContactSegment.${why}`,
        'status: byoCloudSes needs a roleArn, or an accessKeyId and secretAccessKey, in cloudConfig',
      ),
    )
    expect(await told('updateProject', { body: { logoUrl: 1, cloudConfig: { accessKeyId: 'a' } } })).toEqual([
      400,
      expect.stringContaining('logoUrl: '),
      'cloudConfig: accessKeyId and secretAccessKey go together',
    ])
  })

  it('for a test email, and a webhook replay', async () => {
    const { result } = await world.call('createTransactionalEmail', { body: { name: 'Bare', subject: 'Hello' } })
    expect(await told('sendTestEmail', { query, params: { id: result._id }, body: {} })).toEqual(
      beside('Missing required field: type', 'Either email or subscriberListId is given, and not both.'),
    )
    expect(await told('replayWebhookEvents', { body: { shoe: 1 } })).toEqual([
      400,
      'Unexpected field: shoe',
      'expected ids, state, type, since or until',
    ])
  })

  it('for an application for production access, and a limit increase', async () => {
    const { _id: projectId } = await world.core.projects.create({
      accountId: world.project.account._id,
      name: 'In sandbox',
    })
    const { key } = await world.core.apiKeys.create(projectId, {})
    const body = { volume: 0, whyBluefox: 'W', typeOfEmails: 'T', contactsSource: 'C', productDescription: 'P' }
    const inSandbox = { key, params: { projectId }, body: { ...body, website: 'ftp://a.example' } }
    expect(await told('applyForProductionAccess', inSandbox)).toEqual([
      400,
      'volume: expected at least 1, got 0',
      'website: expected an http or https URL',
      'Production access needs a domain whose SPF, MX and DKIM records are verified: add one and check it first.',
    ])
    expect(await told('applyForProductionAccess', { body: { ...body, website: 'https://a.example' } })).toEqual([
      400,
      'volume: expected at least 1, got 0',
      'The production access is approved already.',
    ])
    const more = { monthlyLimit: 1_000_000, reason: 'The list has grown' }
    expect((await world.call('requestLimitIncrease', { body: more })).status).toBe(200)
    expect(await told('requestLimitIncrease', { body: { ...more, reason: 'short' } })).toEqual([
      400,
      'reason: expected at least 10 characters, got 5',
      'A limit increase is pending already.',
    ])
  })

  it('for a check of a cloud account', async () => {
    const roleArn = 'arn:aws:iam::123456789012:role/r'
    const limit = 'limit: expected at least 1, got 0'
    expect(await told('checkCloud', { body: { limit: 0, accessKeyId: 'a' } })).toEqual([
      400,
      limit,
      'cloudConfig: accessKeyId and secretAccessKey go together',
    ])
    expect(await told('checkCloud', { body: { limit: 0, accessKeyId: 'a', roleArn } })).toEqual([
      400,
      limit,
      expect.stringMatching(/^cloudConfig: give a roleArn or an access key, not both/),
    ])
    expect(await told('checkCloud', { body: { accessKeyId: 'a', secretAccessKey: 7 } })).toEqual([
      400,
      'secretAccessKey: expected a text, got 7',
    ])
  })

  it('for a contact, a webhook and a campaign', async () => {
    expect(await told('createContact', { query, body: { email: 'x', age: 'old', shoe: 1 } })).toEqual(
      beside('Invalid email format', 'age: expected a number, got a text', 'Unexpected field: shoe'),
    )
    expect(await told('setWebhook', { query, body: { secretKey: 'whsec_short' } })).toEqual(
      beside(
        'Missing required field: url',
        'secretKey: expected whsec_ to be followed by the base64 of 24 bytes or more',
      ),
    )
    const body = { name: 'C', subject: 'S', subscriberListId: 'x', timeZone: 'Mars/Base', scheduledTo: 'soon' }
    expect(await told('createCampaign', { query, body })).toEqual(
      beside('timeZone: Mars/Base is not an IANA time zone', 'scheduledTo: expected an ISO 8601 date and time'),
    )
  })

  it('for a subscription', async () => {
    const { list } = world.project
    const body = { email: 'x', status: 'gone', shoe: 1 }
    const subscribed = await told('subscribe', { query, params: { id: list._id }, body })
    expect(subscribed).toEqual(
      beside(
        'Invalid email format',
        'status: expected one of unverified or active, got "gone"',
        'Unexpected field: shoe',
      ),
    )
    const params = { id: list._id, email: 'ada@example.com' }
    const pause = { status: 'paused', pausedUntil: '2020-01-01', age: 'old' }
    const all = ['age: expected a number, got a text', 'The pausedUntil date must be set in the future.']
    expect(await told('updateSubscriber', { query, params, body: pause })).toEqual(beside(...all))
    expect(await told('updateSubscriber', { params, body: pause })).toEqual([400, ...all])
    expect(await told('updateSubscriber', { params, body: { status: 'paused', pausedUntil: 7 } })).toEqual([
      400,
      'pausedUntil: expected a text, got 7',
    ])
  })

  it('for a list query', async () => {
    const wrong = { limit: '0', sort: 'groups', 'filter[shoe]': '1', ...query }
    const limit = 'limit: expected a whole number, 1 or more'
    const sort = 'sort: groups is not a field to sort by'
    const shoe = 'filter[shoe]: unknown field'
    const colour = 'Unexpected field: colour'
    for (const id of [
      'listSegments',
      'listContacts',
      'listSuppressions',
      'listGalleryImages',
      'listCampaigns',
    ] as const)
      expect(await told(id, { query: wrong })).toEqual([400, expect.stringContaining(limit), colour, sort, shoe])
    const members = { query: wrong, params: { id: world.project.list._id } }
    expect(await told('listSubscribers', members)).toEqual([400, limit, colour, sort, shoe])
    expect(await told('listContacts', { query: { limit: 'x', 'filter[age]': 'old' } })).toEqual([
      400,
      limit,
      'filter[age]: expected a number',
    ])
    expect(await told('listDomains', { query: { limit: '0', 'filter[shoe]': '1' } })).toEqual([400, shoe])
  })

  it('for a statistics query', async () => {
    const { result } = await world.call('createTransactionalEmail', { body: { name: 'E', subject: 'S' } })
    const asked = { params: { id: result._id }, query: { from: 'soon', to: '2026-02-30', metric: 'sent', ...query } }
    expect(await told('getTransactionalEmailStats', asked)).toEqual([
      400,
      'from: expected an ISO date or date-time',
      'to: expected an ISO date or date-time',
      'Unexpected field: colour',
      'Give both interval and metric, or neither.',
    ])
  })
})

describe('a PATCH', () => {
  it('merges a form’s terms key by key, replaces its double opt-in as a whole, and unsets with null', async () => {
    const params = { id: form }
    const patch = async (body: object) => (await world.call('updateSignupForm', { params, body })).result
    await patch({
      captchaType: 'challenge',
      btnLabel: 'Go',
      challengeSecretKey: 'a long secret key',
      termsAndConditions: { show: true, label: 'Yes to' },
      doubleOptIn: { confirmationTitle: 'Done' },
    })
    const after = await patch({ termsAndConditions: { linkLabel: 'our terms' }, doubleOptIn: { redirectLink: '' } })
    expect(after.termsAndConditions).toEqual({ show: true, label: 'Yes to', linkLabel: 'our terms', link: '' })
    expect(after.doubleOptIn.confirmationTitle).toBe('Your subscription is confirmed')
    const unset = await patch({
      captchaType: null,
      btnLabel: null,
      challengeSecretKey: null,
      termsAndConditions: { label: null },
    })
    expect(unset).not.toHaveProperty('captchaType')
    expect(unset).not.toHaveProperty('challengeSecretKeyHint')
    expect([unset.btnLabel, unset.termsAndConditions.label]).toEqual(['Subscribe', 'I accept the'])
    expect((await patch({ termsAndConditions: null })).termsAndConditions.show).toBe(false)
  })

  it('unsets optional fields of a project, list, contact and email with null', async () => {
    const link = 'https://shop.example.com/preferences'
    const cloudConfig = { roleArn: 'arn:aws:iam::123456789012:role/mail', region: 'eu-west-1', limit: 5 }
    await world.call('updateProject', {
      body: { logoUrl: link, customSubscriptionPreferencesUrl: link, cloudConfig },
    })
    const { result: project } = await world.call('updateProject', {
      body: { logoUrl: null, customSubscriptionPreferencesUrl: null, cloudConfig: { limit: null, roleArn: null } },
    })
    expect(project).not.toHaveProperty('logoUrl')
    expect(project).not.toHaveProperty('customSubscriptionPreferencesUrl')
    expect(project.cloudConfig).toEqual({ region: 'eu-west-1' })
    expect(await told('updateProject', { body: { name: null } })).toEqual([400, 'name: expected a text, got null'])

    const list = { id: world.project.list._id }
    await world.call('updateSubscriberList', { params: list, body: { description: 'About' } })
    const { result } = await world.call('updateSubscriberList', { params: list, body: { description: null } })
    expect(result.description).toBe('')

    await world.call('createContact', { body: { email: 'ada@example.com', name: 'Ada', tags: ['a'], age: 36 } })
    const contact = { email: 'ada@example.com' }
    const cleared = await world.call('updateContact', { params: contact, body: { name: null, tags: null, age: null } })
    expect(cleared.result).toMatchObject({ name: '', tags: [] })
    expect(cleared.result).not.toHaveProperty('age')

    const email = await world.call('createTransactionalEmail', {
      body: { name: 'E', subject: 'S', type: 'html', document: 'Hello', previewText: 'P', replyTo: 'a@example.com' },
    })
    const { result: bare } = await world.call('updateTransactionalEmail', {
      params: { id: email.result._id },
      body: { previewText: null, replyTo: null, document: null, type: null, feeds: null },
    })
    expect(bare).toMatchObject({ type: 'visual', feeds: [] })
    for (const key of ['previewText', 'replyTo', 'document']) expect(bare).not.toHaveProperty(key)
  })
})
