import { type Core, createCore } from '@posthorn/core'
import {
  CampaignChanges,
  CampaignFields,
  CampaignView,
  SegmentChanges,
  SegmentFields,
  SegmentView,
  TestWebhook,
} from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { expect, expectTypeOf, it } from 'vitest'
import { resourceRoutes } from '../src/resource-routes.js'
import { listResponseOf, type ParsedListQuery, route } from '../src/route.js'

/** `npm run types` holds what is expected here. */
const row = { id: 'row' } as const
const path = '/v1/projectId/{projectId}/rows/{id}'

it('a row’s body, query and parameters have the types of its schemas', () => {
  route('post', path, {
    ...row,
    query: TestWebhook,
    body: SegmentFields,
    success: [201, SegmentView],
    run: (core, { scope, body, query, params }) => {
      expectTypeOf(body).toEqualTypeOf<SegmentFields>()
      expectTypeOf(query.type).toExtend<string>()
      expectTypeOf(params).toExtend<{ readonly projectId: string; readonly id: string }>()
      return core.segments.create(scope, body)
    },
  })
})

it('a row with the body of another resource does not compile', () => {
  route('post', path, {
    ...row,
    body: SegmentFields,
    success: [201, CampaignView],
    // @ts-expect-error: a segment's fields are no campaign's
    run: (core, { scope, body }) => core.campaigns.create(scope, body),
  })
  route('post', path, {
    ...row,
    success: [201, SegmentView],
    // @ts-expect-error: the row takes no body
    run: (core, { scope, body }) => core.segments.create(scope, body),
  })
  const segments = {
    noun: 'Segment',
    path: 'segments',
    view: SegmentView,
    changes: SegmentChanges,
    verbs: ['create'],
  } as const
  const of = (core: Core) => core.segments
  resourceRoutes({ ...segments, fields: SegmentFields, of })
  // @ts-expect-error: a campaign's fields are no segment's
  resourceRoutes({ ...segments, fields: CampaignFields, of })
  // @ts-expect-error: nor are its changes, though both may have a name
  resourceRoutes({ ...segments, fields: SegmentFields, changes: CampaignChanges, of })
  // @ts-expect-error: a segment is no campaign
  const [made] = resourceRoutes({ ...segments, fields: SegmentFields, view: CampaignView, of })
  expect(made?.id).toBe('createSegment')
})

it('a row whose response lacks fields of its view does not compile', () => {
  route('post', path, {
    ...row,
    success: [200, CampaignView],
    // @ts-expect-error: a segment is no campaign
    run: (core, { scope, params }) => core.segments.get(scope, params.id),
  })
  const unpaged = route('post', path, {
    ...row,
    success: [200, listResponseOf(SegmentView)],
    // @ts-expect-error: without next, as the row is not paginated
    run: (core, { scope }) => core.segments.list(scope, { skip: 0, limit: 10 }),
  })
  expect(unpaged.paginated).toBeUndefined()
})

it('a row whose response has fields that its view does not name does not compile', () => {
  const leaking = async (core: Core, { scope }: { readonly scope: Parameters<Core['segments']['get']>[0] }) => ({
    ...(await core.segments.get(scope, '')),
    secretAccessKey: 'secret',
  })
  // @ts-expect-error: the view names no secretAccessKey
  route('post', path, { ...row, success: [200, SegmentView], run: leaking })
  route('post', path, {
    ...row,
    success: [200, listResponseOf(SegmentView)],
    paginated: true,
    // @ts-expect-error: nor does it in an item of a list
    run: async (core, call) => ({ items: [await leaking(core, call)], count: 1 }),
  })
  const paged = route('post', path, {
    ...row,
    success: [200, listResponseOf(SegmentView)],
    paginated: true,
    run: (core, { scope }) => core.segments.list(scope, {} as ParsedListQuery),
  })
  expect(paged.paginated).toBe(true)
})

it('a misspelt field does not compile, and the core rejects it at run time', async () => {
  const core = createCore(inMemoryPorts().ports)
  const { scope } = await sampleProject(core)
  // @ts-expect-error: misspelt
  await expect(core.campaigns.create(scope, { nmae: 'typo' })).rejects.toThrow('Unexpected field: nmae')
})

it('a row that names no credential is for people below /console/api, and for API keys elsewhere', () => {
  const authAt = (at: string) =>
    route('get', at, { ...row, success: [200, SegmentView], run: (core, { scope }) => core.segments.get(scope, '') })
      .auth
  expect(authAt(`/console/api${path}`)).toBe('person')
  expect(authAt(path)).toBe('api-key')
})
