import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathsOfRoute, type Route } from '../src/route.js'
import { routes } from '../src/routes/index.js'
import { imageForm } from './image-form.js'
import { aWorld, type World } from './world.js'

const never = 'f00dfeed'.repeat(3)
const email = 'ada@example.com'
const shop = 'https://shop.example.com'

let world: World
let ours: string
/** What another tenant has, by the operation that made it. */
const theirs: Record<string, string> = {}
let theirProject = ''

beforeAll(async () => {
  world = await aWorld()
  ours = world.project.key
  const other = await sampleOf(world)
  theirProject = other.projectId
  Object.assign(theirs, other.ids)
  await world.call('updateProject', { body: { whiteList: ['shop.example.com'] } })
})
afterAll(() => world.client.close())

/** Another tenant with one of everything. */
const sampleOf = async ({ core, client }: World) => {
  const account = await core.accounts.create({ name: 'Theirs' })
  await core.accounts.addCredit(account._id, 100)
  const project = await core.projects.create({ accountId: account._id, name: 'Theirs' })
  const { key } = await core.apiKeys.create(project._id, {})
  const params = { projectId: project._id }
  const make = async (id: Parameters<World['client']['call']>[0], body: object) => {
    const { result, error } = await client.call(id, { key, params, body })
    expect(error).toBeUndefined()
    return String((result as { _id: string })._id)
  }
  const text = { name: 'N', subject: 'S', type: 'text', document: 'x' }
  const list = await make('createSubscriberList', { name: 'Theirs' })
  const ids = {
    'subscriber-lists': list,
    segments: await make('createSegment', { name: 'S' }),
    'signup-forms': await make('createSignupForm', { name: 'F', captchaType: 'none', subscriberListIds: [list] }),
    campaigns: await make('createCampaign', { ...text, timeZone: 'UTC', subscriberListId: list }),
    'triggered-emails': await make('createTriggeredEmail', { ...text, subscriberListId: list }),
    'transactional-emails': await make('createTransactionalEmail', text),
    templates: await make('createTemplate', { name: 'T', subject: 's', document: { tagName: 'mjml' } }),
    tags: await make('createContactTag', { value: 'vip' }),
    'suppression-list': await make('createSuppression', { email: 'spam@example.com' }),
    folders: await make('createGalleryFolder', { name: 'F' }),
    imports: await make('uploadImport', imageForm({}, { part: 'file', filename: 'a.csv', bytes: 'email\n' })),
    domains: await make('createDomain', { domain: 'theirs.example.org', region: 'eu-west-1' }),
    'design-systems': project.designSystemId,
    webhooks: await make('createWebhook', { url: 'https://theirs.example.org/' }),
  }
  await client.call('subscribe', { key, params: { ...params, id: list }, body: { email, status: 'active' } })
  return { projectId: project._id, ids }
}

const spelled = routes.flatMap((row) =>
  pathsOfRoute(row)
    .filter((path) => path.includes('{'))
    .map((path) => ({ row, path, name: `${row.method} ${path}` })),
)

type Caller = { readonly name: string; readonly headers: () => Record<string, string> }
const callers: readonly Caller[] = [
  { name: 'the key of another project', headers: () => ({ authorization: `Bearer ${ours}` }) },
  { name: 'a wrong key', headers: () => ({ authorization: 'Bearer ph_none' }) },
  { name: 'an Origin that another project whitelists', headers: () => ({ origin: shop }) },
  { name: 'nothing', headers: () => ({}) },
]

const ask = async (row: Route, path: string, headers: Record<string, string>) => {
  const method = row.method.toUpperCase()
  const body = row.upload ? imageForm() : row.body ? '{}' : undefined
  const response = await fetch(`${world.client.base}${path}`, {
    method,
    headers: { ...headers, ...(row.body && !row.upload && { 'content-type': 'application/json' }) },
    ...(body !== undefined && method !== 'GET' && { body }),
  })
  const shown = [...response.headers].filter(([name]) => name !== 'date' && !name.startsWith('x-ratelimit'))
  return { status: response.status, headers: shown, text: await response.text() }
}

/** What stands in the path's place in the other tenant: a record of its kind, its list, and the tenant itself. */
const foreignIds = (path: string) => {
  const kind = /\/([\w-]+)\/\{(?!projectId|email|name)/.exec(path.replace('/v1/projectId/{projectId}', ''))?.[1] ?? ''
  return [...new Set([theirs[kind], theirs['subscriber-lists'], theirProject].filter((id) => id !== undefined))]
}

/** The path with those ids; everything else about it is the same. */
const filled = (path: string, project: string, id: string) =>
  path
    .replace('{projectId}', project)
    .replace('{email}', encodeURIComponent(email))
    .replace('{name}', 'city')
    .replace(/\{\w+\}/g, id)

describe.each(spelled)('$name', ({ row, path }) => {
  it.each(callers)(
    'answers $name the same for another tenant’s ids and for ids that never existed',
    async ({ headers }) => {
      const own = world.project.project._id
      const pairs = foreignIds(path).flatMap((id) => [
        [filled(path, theirProject, id), filled(path, never, never)] as const,
        [filled(path, own, id), filled(path, own, never)] as const,
      ])
      for (const [theirPath, nowhere] of pairs.filter(([one, other]) => one !== other))
        expect([theirPath, await ask(row, theirPath, headers())]).toEqual([
          theirPath,
          await ask(row, nowhere, headers()),
        ])
    },
  )
})

it('the other tenant has a record of every kind', () => {
  for (const id of Object.values(theirs)) expect(id).toMatch(/^[0-9a-f]{24}$/)
})

describe('another tenant’s id in a body', () => {
  const text = { name: 'N', subject: 'S', type: 'text', document: 'x' }
  const bodies = (id: string) =>
    [
      ['createCampaign', { ...text, timeZone: 'UTC', subscriberListId: id }],
      ['createCampaign', { ...text, timeZone: 'UTC', subscriberListId: world.project.list._id, segmentId: id }],
      ['createCampaign', { ...text, timeZone: 'UTC', subscriberListId: world.project.list._id, senderIdentity: id }],
      ['createTriggeredEmail', { ...text, subscriberListId: id }],
      ['createSubscriberList', { name: 'L', doubleOptIn: { active: true, emailId: id } }],
      ['createSignupForm', { name: 'F', subscriberListIds: [id] }],
      ['createGalleryFolder', { name: 'F', parentFolderId: id }],
      ['sendTransactional', { email, transactionalId: id }],
      ['sendMail', { to: email, template: id }],
      ['sendMail', { to: email, subject: 'S', text: 'T', from: id }],
      ['sendTriggered', { triggeredId: id }],
    ] as const

  it('is refused like an id that never existed', async () => {
    const answers = async (id: string) =>
      Promise.all(
        bodies(id).map(async ([operation, body]) => {
          const { status, error } = await world.call(operation, { body })
          return [operation, status, error?.message]
        }),
      )
    const nowhere = await answers(never)
    for (const [, status] of nowhere) expect(status).toBeGreaterThanOrEqual(400)
    for (const id of Object.values(theirs)) expect(await answers(id)).toEqual(nowhere)
  })
})
