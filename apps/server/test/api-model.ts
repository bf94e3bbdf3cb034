import { createCore } from '@posthorn/core'
import type { StorePorts } from '@posthorn/core/ports/storage'
import { collected } from '@posthorn/core/ports/storage'
import { httpApp, type OperationId, type Route, routes } from '@posthorn/http-express'
import { type TestHttpRequest, testClient } from '@posthorn/http-express/testing'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { assert } from 'vitest'

/** A store to put under the whole API, and how to throw it away. */
export type ModelStore = {
  readonly ports: Partial<StorePorts>
  readonly close: () => Promise<void>
}

const emails = [
  'ada@example.com',
  'ADA@example.com',
  'bea@example.com',
  'cleo@example.com',
  'dora@example.com',
] as const
const statuses = ['active', 'paused', 'unsubscribed'] as const
const credits = 200

/** What the API has said it keeps, for one project. */
type Known = {
  readonly index: number
  readonly id: string
  readonly key: string
  readonly credits: () => Promise<number>
  /** By key: the address as it is spelt. */
  readonly contacts: Map<string, string>
  readonly suppressed: Map<string, string>
  readonly tags: Map<string, string>
  /** By list id: statuses by the contact's key. */
  readonly lists: Map<string, Map<string, string>>
  readonly campaigns: Map<string, string>
  transactional: string
  /** Every `_id` and every text that it was answered. */
  readonly seen: string[]
}

const keyOf = (email: string) => email.toLowerCase()
const at = <T>(items: readonly T[], n: number): T | undefined =>
  items.length === 0 ? undefined : items[n % items.length]

const aWorld = async (store: ModelStore) => {
  const { ports, clock, mailer } = inMemoryPorts(store.ports)
  const core = createCore(ports)
  const rateLimits = { api: { perSecond: 1e6, burst: 1e6 } }
  const app = httpApp({ core, publicUrl: ports.settings.publicUrl, log: ports.log, rateLimits })
  const client = await testClient(app)
  const projects: Known[] = []
  for (const name of ['One', 'Two']) {
    const made = await sampleProject(core, { name, credits })
    projects.push({
      index: projects.length,
      id: made.project._id,
      key: made.key,
      credits: made.credits,
      contacts: new Map(),
      suppressed: new Map(),
      tags: new Map(),
      lists: new Map([[made.list._id, new Map()]]),
      campaigns: new Map(),
      transactional: '',
      seen: [],
    })
  }
  const call = async <I extends OperationId>(known: Known, id: I, asked: TestHttpRequest = {}) => {
    const params = { projectId: known.id, ...asked.params }
    const answer = await client.call(id, { key: known.key, ...asked, params })
    if (answer.status < 300) known.seen.push(JSON.stringify(answer.result))
    return answer
  }
  /** Credit that scheduled campaigns hold. */
  const held = async (projectId: string): Promise<number> => {
    const dispatches = await collected(ports.repositories.dispatches.each({ projectId, stage: 'held' }))
    return dispatches.reduce((sum, { creditsHeld }) => sum + creditsHeld, 0)
  }
  return { core, clock, mailer, client, projects, call, held }
}
type World = Awaited<ReturnType<typeof aWorld>>

type Step = { readonly name: string; readonly run: (world: World, known: Known) => Promise<void> }

const nth = fc.nat(7)
const email = fc.constantFrom(...emails)
const future = '2030-01-01T00:00:00Z'

const step = <T>(name: string, given: fc.Arbitrary<T>, run: (world: World, known: Known, given: T) => Promise<void>) =>
  given.map(
    (value): Step => ({
      name: `${name} ${JSON.stringify(value)}`,
      run: (world, known) => run(world, known, value),
    }),
  )

/** A contact is gone, and with it its memberships. */
const forget = (known: Known, key: string) => {
  known.contacts.delete(key)
  for (const members of known.lists.values()) members.delete(key)
}

const contactSteps = [
  step('add contact', email, async ({ call }, known, given) => {
    const { status } = await call(known, 'createContact', { body: { email: given, tags: ['New'] } })
    const [key, taken] = [keyOf(given), known.contacts.has(keyOf(given))]
    assert.strictEqual(status, known.suppressed.get(key) === 'bounce' ? 405 : taken ? 400 : 201)
    if (status === 201) known.contacts.set(key, given)
  }),
  step('move contact', fc.tuple(email, email), async ({ call }, known, [from, to]) => {
    const { status } = await call(known, 'updateContact', { params: { email: from }, body: { email: to } })
    const [before, after] = [keyOf(from), keyOf(to)]
    if (!known.contacts.has(before)) return assert.strictEqual(status, 404)
    if (before !== after && known.suppressed.get(after) === 'bounce') return assert.strictEqual(status, 405)
    if (before !== after && known.contacts.has(after)) return assert.strictEqual(status, 400)
    assert.strictEqual(status, 200)
    known.contacts.delete(before)
    known.contacts.set(after, to)
    for (const members of known.lists.values()) {
      const standing = members.get(before)
      members.delete(before)
      if (standing) members.set(after, standing)
    }
  }),
  step('remove contact', email, async ({ call }, known, given) => {
    const { status } = await call(known, 'deleteContact', { params: { email: given } })
    assert.strictEqual(status, known.contacts.has(keyOf(given)) ? 200 : 404)
    forget(known, keyOf(given))
  }),
  step('suppress', fc.tuple(email, fc.constantFrom('bounce', 'asked us')), async ({ call }, known, [given, reason]) => {
    const { status } = await call(known, 'createSuppression', { body: { email: given, reason } })
    assert.strictEqual(status, known.suppressed.has(keyOf(given)) ? 409 : 201)
    if (status === 201) known.suppressed.set(keyOf(given), reason)
  }),
  step('tag', fc.constantFrom('vip', 'VIP', 'old'), async ({ call }, known, value) => {
    const { status } = await call(known, 'createContactTag', { body: { value } })
    assert.include([201, 409], status)
    const { result } = await call(known, 'listContactTags', { query: { 'filter[value]': value.toLowerCase() } })
    assert.strictEqual(result.count, 1)
  }),
]

const listSteps = [
  step('add list', fc.boolean(), async ({ call }, known, hidden) => {
    const { result } = await call(known, 'createSubscriberList', { body: { name: 'L', private: hidden } })
    known.lists.set(result._id, new Map())
  }),
  step('remove list', nth, async ({ call }, known, n) => {
    const id = at([...known.lists.keys()], n)
    if (!id) return
    const { status } = await call(known, 'deleteSubscriberList', { params: { id } })
    assert.include([200, 405], status)
    if (status === 200) known.lists.delete(id)
  }),
  step('subscribe', fc.tuple(nth, email), async ({ call }, known, [n, given]) => {
    const id = at([...known.lists.keys()], n)
    if (!id) return
    const { status } = await call(known, 'subscribe', { params: { id }, body: { email: given } })
    const [key, members] = [keyOf(given), known.lists.get(id)]
    const standing = members?.get(key)
    assert.strictEqual(status, known.suppressed.has(key) ? 405 : standing && standing !== 'unsubscribed' ? 400 : 201)
    if (status !== 201) return
    members?.set(key, 'active')
    if (!known.contacts.has(key)) known.contacts.set(key, given)
  }),
  step('membership', fc.tuple(nth, email, fc.constantFrom(...statuses)), async ({ call }, known, [n, given, wish]) => {
    const id = at([...known.lists.keys()], n)
    if (!id) return
    const body = { status: wish, ...(wish === 'paused' && { pausedUntil: future }) }
    const { status } = await call(known, 'updateSubscriber', { params: { id, email: given }, body })
    const [key, members] = [keyOf(given), known.lists.get(id)]
    const standing = members?.get(key)
    const returns = standing === 'unsubscribed' && wish !== 'unsubscribed'
    assert.strictEqual(status, !standing ? 404 : returns && known.suppressed.has(key) ? 405 : 200)
    if (status === 200) members?.set(key, wish)
  }),
]

const sendingSteps = [
  step('add campaign', fc.tuple(nth, fc.boolean()), async ({ call }, known, [n, now]) => {
    const subscriberListId = at([...known.lists.keys()], n)
    if (!subscriberListId) return
    const { status, result } = await call(known, 'createCampaign', {
      body: {
        name: 'C',
        subject: 'Hello',
        type: 'text',
        document: '{{contact.email}}',
        timeZone: 'UTC',
        subscriberListId,
        ...(now && { status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' }),
      },
    })
    assert.strictEqual(status, 201)
    known.campaigns.set(result._id, result.status)
  }),
  step(
    'change campaign',
    fc.tuple(nth, fc.constantFrom('draft', 'archive', 'scheduled', 'sent'), fc.constantFrom(future, undefined)),
    async ({ call }, known, [n, wish, scheduledTo]) => {
      const id = at([...known.campaigns.keys()], n)
      if (!id) return
      const body = { status: wish, ...(scheduledTo && { scheduledTo }) }
      const { status, result } = await call(known, 'updateCampaign', { params: { id }, body })
      const before = known.campaigns.get(id)
      if (wish === 'sent' || before === 'being-sent') assert.strictEqual(status, 400)
      else assert.include([200, 400, 404], status)
      if (status === 200) known.campaigns.set(id, result.status)
      else assert.strictEqual((await call(known, 'getCampaign', { params: { id } })).result.status, before)
    },
  ),
  step('send', fc.tuple(email, fc.boolean()), async ({ call }, known, [given, test]) => {
    if (!known.transactional) {
      const body = { name: 'T', subject: 's', type: 'text', document: 'd' }
      known.transactional = (await call(known, 'createTransactionalEmail', { body })).result._id
    }
    const { status } = test
      ? await call(known, 'sendTestEmail', {
          params: { id: known.transactional },
          body: { type: 'transactional', email: given },
        })
      : await call(known, 'sendTransactional', { body: { email: given, transactionalId: known.transactional } })
    assert.strictEqual(status, known.suppressed.has(keyOf(given)) ? 405 : 200)
  }),
  step('work', fc.nat(60), async ({ core, clock, projects, call }, _, minutes) => {
    clock.advance(minutes * 60_000)
    await core.worker.runUntilIdle()
    for (const known of projects)
      for (const id of known.campaigns.keys())
        known.campaigns.set(id, (await call(known, 'getCampaign', { params: { id } })).result.status)
    for (const known of projects) assert.notInclude([...known.campaigns.values()], 'being-sent')
  }),
]

/** JSON that nobody expects, in the place of a body. */
const anyBody = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom('email', 'name', 'status', 'groups', 'subscriberListId', 'document', 'tags', 'type', 'value'),
    fc.jsonValue({ maxDepth: 2 }),
  ),
)

const names = (row: Route) => [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Rows that a random request must not reach with a random body: it would change what the model does not follow. */
const strangers = [
  /** Any endpoint, about nothing or about the other project's records. */
  step('foreign', fc.tuple(fc.nat(routes.length - 1), nth), async ({ call, projects }, known, [index, n]) => {
    const row = routes[index]
    const other = projects[1 - known.index]
    if (!row || !other || names(row).length < 2 || row.auth !== 'api-key' || !row.path.includes('{id}')) return
    const theirs = [...other.lists.keys(), ...other.campaigns.keys(), other.transactional || 'nothing']
    const params = { id: at(theirs, n) ?? '', email: 'ada@example.com' }
    const { status } = await call(known, row.id, { params, ...(row.body && { body: {} }) })
    assert.include([400, 404], status)
  }),
  step('nonsense', fc.tuple(fc.nat(routes.length - 1), anyBody), async ({ call }, known, [index, body]) => {
    const row = routes[index]
    if (row?.method !== 'post' || row.path.includes('gallery/images')) return
    const params = { id: 'nothing', email: 'nobody@example.com' }
    const { status } = await call(known, row.id, { params, body: { ...Object(body), unexpected: true } })
    assert.include([400, 403, 404, 405, 503], status)
  }),
]

export const anyStep: fc.Arbitrary<readonly [project: number, step: Step]> = fc.tuple(
  fc.nat(1),
  fc.oneof(...contactSteps, ...listSteps, ...sendingSteps, ...strangers),
)

/** Every item of a list endpoint, by following `next` to the end. */
const everything = async (world: World, known: Known, id: OperationId, params: Record<string, string> = {}) => {
  const items: Record<string, unknown>[] = []
  let query: Record<string, string> = { limit: '2' }
  for (;;) {
    const { status, result } = await world.call(known, id, { params, query })
    assert.strictEqual(status, 200)
    const page = result as unknown as { items: Record<string, unknown>[]; count: number; next: string | null }
    items.push(...page.items)
    if (page.next === null) {
      assert.lengthOf(items, page.count)
      return items
    }
    query = Object.fromEntries(new URL(page.next).searchParams)
  }
}

const sorted = (texts: Iterable<unknown>) => [...texts].map(String).sort()

/** That everything the API shows is what it has said it keeps. */
const assertConsistent = async (world: World, known: Known) => {
  const shown = async (id: OperationId, field: string, params?: Record<string, string>) =>
    sorted((await everything(world, known, id, params)).map((item) => item[field]))
  assert.deepEqual(await shown('listContacts', 'email'), sorted(known.contacts.values()))
  assert.deepEqual((await shown('listSuppressions', 'email')).map(keyOf).sort(), sorted(known.suppressed.keys()))
  assert.deepEqual(await shown('listSubscriberLists', '_id'), sorted(known.lists.keys()))
  assert.deepEqual(await shown('listCampaigns', '_id'), sorted(known.campaigns.keys()))
  const tags = await shown('listContactTags', 'value')
  assert.deepEqual(tags, [...new Set(tags)])

  for (const [id, members] of known.lists) {
    const items = await everything(world, known, 'listSubscribers', { id })
    assert.deepEqual(
      sorted(items.map((item) => `${keyOf(String(item.email))} ${String(item.status)}`)),
      sorted([...members].map(([key, status]) => `${key} ${status}`)),
    )
    const stats = (await world.call(known, 'getSubscriberListStats', { params: { id } })).result
    for (const status of statuses)
      assert.strictEqual(stats[status], [...members.values()].filter((one) => one === status).length)
  }
}

/** That every mail that left was paid for, once, and is in the statistics of its email, unless it was a test. */
const assertAccounted = async (world: World) => {
  await world.core.worker.runUntilIdle()
  for (const known of world.projects) {
    const left = world.mailer.sent.filter(({ projectId }) => projectId === known.id).length
    assert.strictEqual(await known.credits(), credits - left - (await world.held(known.id)))
    for (const id of known.campaigns.keys()) {
      const stats = (await world.call(known, 'getCampaignStats', { params: { id } })).result
      const sent = (await everything(world, known, 'listCampaignRecipients', { id })).filter(
        ({ status }) => status === 'sent',
      )
      assert.deepInclude(stats, { sent: sent.length, failed: 0 })
    }
  }
}

/** That no project was ever shown an id of the other's. */
const assertApart = ({ projects: [one, two] }: World) => {
  const idsOf = (known: Known) => new Set(known.seen.flatMap((text) => text.match(/"_id":"[^"]+"/g) ?? []))
  if (!one || !two) throw new Error('There are two projects')
  const theirs = idsOf(two)
  assert.deepEqual(
    [...idsOf(one)].filter((id) => theirs.has(id)),
    [],
  )
}

/**
 * The whole API over that store, held to a model of it: whatever is asked in whatever order, nothing but promised answers, nothing
 * lost, nothing double, nothing of another project.
 */
export const assertApiModel = async (
  open: () => Promise<ModelStore>,
  { seed, runs }: { seed: number; runs: number },
) => {
  const property = fc.asyncProperty(
    fc.array(anyStep, { minLength: 40, maxLength: 120, size: 'max' }),
    async (steps) => {
      const store = await open()
      const world = await aWorld(store)
      try {
        for (const [project, { run }] of steps) {
          const known = world.projects[project]
          if (known) await run(world, known)
        }
        for (const known of world.projects) await assertConsistent(world, known)
        await assertAccounted(world)
        assertApart(world)
      } finally {
        await world.client.close()
        await store.close()
      }
    },
  )
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: false })
}
