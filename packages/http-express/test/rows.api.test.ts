import { aDelivery, aDispatch, aWebhookDelivery, numberedId, sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type OperationId, pathsOfRoute, type Route, routes } from '../src/index.js'
import { imageForm } from './image-form.js'
import { aWorld, type World } from './world.js'

type Asked = Parameters<World['client']['call']>[1]
type Params = Readonly<Record<string, string>>

const email = 'reader1@example.com'
const nobody: Params = {
  id: '0'.repeat(24),
  identityId: '0'.repeat(24),
  domainId: '0'.repeat(24),
  email: 'nobody@example.com',
  name: 'nothing',
  entryId: '0'.repeat(24),
}

const logEntryOfEndpoint = numberedId(0x10e)

let world: World
let other: Awaited<ReturnType<typeof sampleProject>>
let revoked = ''
/** One record of each kind, by the part of the path before its id. */
let ids: Readonly<Record<string, string>>

const shop = 'https://shop.example.com'
const emailBody = { name: 'N', subject: 's', type: 'text', document: 'd' }

beforeAll(async () => {
  world = await aWorld()
  const { project, core } = world
  other = await sampleProject(core, { name: 'Other' })
  const second = await core.apiKeys.create(project.project._id, {})
  await core.apiKeys.revoke(project.project._id, second.apiKey._id)
  revoked = second.key
  await project.subscribe(1)
  await world.call('createCustomField', { body: { name: 'age', type: 'number' } })
  const listed = { ...emailBody, subscriberListId: project.list._id }
  const made = async (id: OperationId, body: object) => {
    const { result } = await world.call(id, { body })
    return String((result as { readonly _id?: string })._id)
  }
  ids = {
    tags: await made('createContactTag', { value: 'vip' }),
    segments: await made('createSegment', { name: 'S', groups: [] }),
    campaigns: await made('createCampaign', { ...listed, timeZone: 'UTC' }),
    'triggered-emails': await made('createTriggeredEmail', listed),
    'transactional-emails': await made('createTransactionalEmail', emailBody),
    folders: await made('createGalleryFolder', { name: 'F' }),
    images: await made('uploadGalleryImage', imageForm()),
    imports: await made('uploadImport', imageForm({}, { part: 'file', filename: 'a.csv', bytes: 'email\n' })),
    'suppression-list': await made('createSuppression', { email: 'no@example.com' }),
    'subscriber-lists': project.list._id,
    domains: await made('createDomain', { domain: 'example.com', region: 'eu-west-1' }),
    'design-systems': project.project.designSystemId,
    templates: await made('createTemplate', { name: 'T', subject: 's', document: { tagName: 'mjml' } }),
    'signup-forms': await made('createSignupForm', { name: 'F' }),
  }
  await world.call('setWebhook', { body: { url: 'https://shop.example.com/hooks', secretKey: project.key } })
  const projectId = project.project._id
  const webhooks = await made('createWebhook', { url: 'https://crm.example.com/hooks' })
  await world.ports.webhookOutbox.add([
    aWebhookDelivery({ projectId }),
    aWebhookDelivery({ _id: logEntryOfEndpoint, projectId, webhookId: webhooks }),
  ])
  const delivery = aDelivery({ projectId })
  const dispatch = aDispatch({ _id: delivery.dispatchId, projectId })
  await world.ports.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
  ids = {
    ...ids,
    log: aWebhookDelivery()._id,
    webhooks,
    deliveries: delivery._id,
    'related-to': ids.campaigns ?? '',
    'test-email': ids.campaigns ?? '',
    'render-preview': ids.campaigns ?? '',
  }
  await core.projects.update(project.scope, { whiteList: ['shop.example.com'] })
})
afterAll(() => world.client.close())

/** Parameters with which a row finds what it is about. */
const paramsOf = ({ path }: Route): Params => {
  const before = /\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ''
  return {
    projectId: world.project.project._id,
    id: ids[before] ?? '',
    subscriberListId: world.project.list._id,
    identityId: world.project.sender._id,
    domainId: ids.domains ?? '',
    email,
    name: 'age',
    dispatchId: aDelivery().dispatchId,
    entryId: logEntryOfEndpoint,
  }
}

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The parameter that names the record: the last one that is not the project. */
const subjectOf = ({ path }: Route) => namesIn(path).findLast((name) => name !== 'projectId')

type Named = readonly [name: string, row: Route & { readonly id: OperationId }, spelling: number]

const everyRow = routes.flatMap((row) =>
  pathsOfRoute(row).map(
    (_, spelling): Named => [spelling === 0 ? row.id : `${row.id} (older spelling)`, row, spelling],
  ),
)
const rowsThat = (are: (row: Route) => boolean) => everyRow.filter(([, row]) => are(row))

/** Bodies of endpoints that look at theirs before the record. */
const bodies: Partial<Record<OperationId, object>> = {
  sendTestEmail: { type: 'campaign', email },
  replayWebhookEndpointEvents: { type: 'sent' },
  testWebhookEndpoint: { type: 'sent' },
  startImport: { columns: [], consent: 'At the fair' },
  subscribe: { email },
  bulkSubscribe: { subscribers: [] },
  updateGalleryFolder: { name: 'F' },
  updateGalleryImage: { name: 'I' },
}

/** Queries without which an endpoint does nothing. */
const queries: Partial<Record<OperationId, Params>> = {
  testWebhook: { type: 'sent' },
  getChallenge: { signupFormId: '0'.repeat(24) },
  listMailHistories: { email },
}

const ask = ([, row, spelling]: Named, asked: Asked = {}) =>
  world.client.call(row.id, {
    key: world.project.key,
    spelling,
    ...(row.body && { body: row.upload ? new FormData() : (bodies[row.id] ?? {}) }),
    ...asked,
    headers: { ...(row.auth === 'origin' && { origin: shop }), ...asked.headers },
    query: { ...queries[row.id], ...asked.query },
    params: { ...paramsOf(row), ...asked.params },
  })

const told = async (named: Named, asked: Asked) => {
  const { status, error } = await ask(named, asked)
  return `${status} ${error?.name}: ${error?.message}`
}

describe('a caller without access', () => {
  const refusal = '403 AUTHORIZATION_ERROR: Missing or invalid API key.'
  const nowhere = '0'.repeat(24)

  it.each(rowsThat(({ auth }) => auth.startsWith('api-key')))(
    'gets the same response for every wrong key: %s',
    async (...named) => {
      for (const key of ['', 'ph_unknown', revoked]) expect(await told(named, { key })).toBe(refusal)
    },
  )

  it.each(rowsThat(({ path }) => path.includes('{projectId}')))(
    'gets the same response for another project and an unknown one: %s',
    async (...named) => {
      expect(await told(named, { key: other.key })).toBe(refusal)
      expect(await told(named, { params: { projectId: nowhere } })).toBe(refusal)
    },
  )

  it.each(rowsThat(({ auth, projectOf }) => projectOf !== undefined && auth !== 'origin'))(
    'gets the same response for another project’s list and an unknown one: %s',
    async (...named) => {
      expect(await told(named, { key: other.key })).toBe(refusal)
      expect(await told(named, { params: { id: nowhere } })).toBe(refusal)
    },
  )

  it.each(rowsThat(({ auth }) => auth === 'api-key' || auth === 'api-key-or-jwt'))(
    'is not admitted by an Origin: %s',
    async (...named) => {
      expect(await told(named, { key: '', headers: { origin: shop } })).toBe(refusal)
    },
  )

  it.each(rowsThat(({ auth }) => auth === 'origin'))(
    'gets the same response for every other Origin, for none, and for an unknown record: %s',
    async (...named) => {
      const elsewhere = '403 AUTHORIZATION_ERROR: This form can only be sent from a page of a whitelisted Origin.'
      for (const origin of ['', 'null', 'https://evil.example', 'https://shop.example.com.evil.example'])
        expect(await told(named, { headers: { origin } })).toBe(elsewhere)
      expect(await told(named, { params: { id: nowhere } })).toBe(elsewhere)
    },
  )
})

describe('a record', () => {
  it.each(rowsThat(({ method }) => method === 'get'))('is returned as its view declares: %s', async (...named) => {
    expect((await ask(named)).status).toBe(200)
  })

  /** Without a genuine token nobody is told what there is. */
  const named = (row: Route) => row.auth !== 'token' && row.fails.includes('not-found') && subjectOf(row) !== undefined

  it.each(rowsThat(named))('is not found if it does not exist: %s', async (...one) => {
    const subject = subjectOf(one[1]) ?? ''
    expect(await told(one, { params: { [subject]: nobody[subject] ?? '' } })).toMatch(
      /^404 NOT_FOUND: .+ not found\.?$/,
    )
  })

  /** Of rows whose project is known without the record. */
  const isInProject = (row: Route) => named(row) && row.projectOf === undefined
  const missing = ({ path }: Route) =>
    Object.fromEntries(namesIn(path).flatMap((name) => (name === 'projectId' ? [] : [[name, nobody[name] ?? '']])))

  it.each(rowsThat((row) => isInProject(row) && row.body !== undefined && row.upload === undefined))(
    'is looked for after the body is read: %s',
    async (...one) => {
      expect(await told(one, { params: missing(one[1]), body: { zz: 1 } })).toMatch(/^400 .*Unexpected field: zz/)
    },
  )

  it.each(rowsThat((row) => isInProject(row) && row.paginated === true && 'sort' in (row.query as z.ZodObject).shape))(
    'is looked for after the query is read: %s',
    async (...one) => {
      expect(await told(one, { params: missing(one[1]), query: { sort: 'zz' } })).toMatch(/^400 .*sort: /)
    },
  )

  it.each(rowsThat((row) => named(row) && row.path.startsWith('/v1/projectId/')))(
    'is not found if it belongs to another project: %s',
    async (...one) => {
      expect(await told(one, { key: other.key, params: { projectId: other.project._id } })).toMatch(
        /^404 NOT_FOUND: .+ not found\.?$/,
      )
    },
  )
})

describe('a query', () => {
  it.each(everyRow)('rejects undeclared keys: %s', async (...named) => {
    expect(await told(named, { query: { colour: 'red' } })).toMatch(/^400 VALIDATION_ERROR: .*Unexpected field: colour/)
  })

  it.each(
    rowsThat(({ paginated }) => paginated === true).flatMap(([name, row, spelling]) =>
      [
        { limit: '0' },
        { limit: 'x' },
        { limit: '0x10' },
        { 'limit[]': '5' },
        { 'skip ': '1' },
        { skip: '-1' },
        { sort: '__proto__' },
        { order: 'up' },
        { 'filter[nothing]': '1' },
        { 'filter[_id][$ne]': '1' },
        { 'filter[]': '1' },
        { filter: '1' },
        { 'filter[__proto__]': '1' },
        { 'filter[_id]': '\0' },
      ].map((query) => ({
        title: `${name} by ${Object.keys(query)[0]}`,
        named: [name, row, spelling] as Named,
        query,
      })),
    ),
  )('is rejected if invalid: $title', async ({ named, query }) => {
    expect(await told(named, { query })).toMatch(/^400 VALIDATION_ERROR: .+/)
  })
})

describe('a list without pages', () => {
  it.each(['listDomains', 'listSenderIdentities', 'listCustomFields', 'listPublicLists'] as const)(
    'ignores the keys of lists, whatever they say: %s',
    async (id) => {
      const { status, result } = await world.call(id, { params: { email } })
      const query = { limit: 'abc', skip: '-1', sort: 'zzz', order: 'y' }
      expect(status).toBe(200)
      expect((await world.call(id, { params: { email }, query })).result).toEqual(result)
    },
  )
})

describe('a repeated query key', () => {
  it.each(rowsThat(({ paginated, alsoAt }) => paginated === true && alsoAt === undefined))(
    'is rejected: %s',
    async (_, row) => {
      const path = row.path.replace(/\{(\w+)\}/g, (_whole, name: string) => paramsOf(row)[name] ?? '')
      const filters = 'filter' in (row.query as z.ZodObject).shape
      const needed = new URLSearchParams(queries[row.id] as Record<string, string>)
      for (const [query, key] of [
        ['limit=5&limit=6', 'limit'],
        ...(filters ? [['filter[_id]=1&filter%5B_id%5D=2', 'filter._id']] : []),
      ]) {
        const headers = { authorization: `Bearer ${world.project.key}` }
        const response = await fetch(`${world.client.base}${path}?${String(query)}&${String(needed)}`, { headers })
        expect(await response.json()).toMatchObject({
          status: 400,
          error: { message: `${key}: expected a single value` },
        })
      }
    },
  )
})

describe('a body', () => {
  const takes = rowsThat(({ body, upload }) => body !== undefined && upload === undefined)

  it.each(takes)('reports its violations together with those of the query: %s', async (...named) => {
    expect(await told(named, { query: { colour: 'red' }, body: '[]' })).toMatch(
      /Unexpected field: colour; .*expected an object, got a list/,
    )
  })

  it.each(takes)('must be a JSON object: %s', async (...named) => {
    for (const body of ['{"a":', 'null', '[]', '7', '"text"'])
      expect(await told(named, { body })).toMatch(/^400 VALIDATION_ERROR: .+/)
    expect(await told(named, { body: 'a=1', headers: { 'content-type': 'text/plain' } })).toMatch(/must be JSON/)
  })

  it.each(
    rowsThat(
      ({ body, withAttachments, upload }) =>
        body !== undefined && withAttachments === undefined && upload === undefined,
    ),
  )('is limited to a megabyte, to ten with rows, or to 16 KB for visitors: %s', async (...named) => {
    const [, { auth, bulkField }] = named
    const most = auth === 'origin' ? 16 * 1024 : (bulkField ? 10 : 1) * 1024 * 1024
    expect(await told(named, { body: `"${'x'.repeat(most)}"` })).toBe(
      `413 PAYLOAD_TOO_LARGE: The body is larger than ${most} bytes.`,
    )
  })
})

describe('a path', () => {
  it.each(rowsThat(({ path }) => path.includes('{')))(
    'rejects characters that a store cannot keep: %s',
    async (...named) => {
      const subject = subjectOf(named[1]) ?? 'projectId'
      const param = paramsOf(named[1])[subject] ?? ''
      expect(await told(named, { params: { [subject]: `${param}\0` } })).toBe(
        `400 VALIDATION_ERROR: ${subject}: contains a character that cannot be kept (U+0000 or half of a surrogate pair)`,
      )
    },
  )

  const odd = ['\0', '%', '../../etc/passwd', '{{7*7}}', "' OR 1=1", '$ne', '__proto__', 'x'.repeat(2000), '\u{1f600}']

  it.each(rowsThat(({ path }) => path.includes('{')))('may contain anything else: %s', async (...named) => {
    const subject = subjectOf(named[1]) ?? 'projectId'
    for (const text of odd)
      expect([200, 201, 400, 403, 404]).toContain((await ask(named, { params: { [subject]: text } })).status)
  })
})
