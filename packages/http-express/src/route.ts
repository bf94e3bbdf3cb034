import type { Core, KeyScope, RefusalKind, Scope, Violation } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import {
  type BrowserAccessNeeded,
  ListQueryFields,
  listQueryViolations,
  type Permission,
  type ValidParts,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import type { OnlyViewFields, RouteOutput } from './response.js'
import type { ConsoleRequest } from './visit.js'

/**
 * `origin`: pages of a whitelisted Origin. `jwt`: admins and the account's owner. `token`: signed, in the query. `person`: a session of the console;
 * `operator`: that of an operator. `console`: its pages, without a session.
 */
type RouteAuth =
  | 'api-key'
  | 'api-key-or-origin'
  | 'api-key-or-jwt'
  | 'origin'
  | 'token'
  | 'none'
  | 'person'
  | 'operator'
  | 'console'

/** Undefined if no page may call. */
export const browserAccessNeededFor = ({
  auth,
  browserAccess = 'full',
}: Pick<Route, 'auth' | 'browserAccess'>): BrowserAccessNeeded | undefined =>
  auth === 'origin' || auth === 'api-key-or-origin' ? browserAccess : undefined

/** Besides `full`. */
export const routeScopesBesidesFull = ({
  method,
  keys = method === 'get' ? ['read'] : [],
}: Pick<Route, 'method' | 'keys'>) => keys

/** Scopes of API keys that may call the row. */
export const keyScopesOfRoute = (row: Pick<Route, 'method' | 'keys'>): readonly KeyScope[] => [
  'full',
  ...routeScopesBesidesFull(row),
]

/** Parameters such as `{projectId}`. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

export type RouteCall<P extends string, Q extends z.ZodType, B extends z.ZodType = z.ZodType> = {
  readonly scope: Scope
  readonly params: ParamsOf<P>
  readonly query: z.output<Q>
  /** By one of `alsoAt`. */
  readonly isLegacy: boolean
  /** Unchecked; the use case validates it. */
  readonly body: z.input<B>
  /** Only for `person`, `operator` and `console`. */
  readonly visit: ConsoleRequest
}

/** The valid part of the query, and the body as sent. */
export type RouteCallWithInvalidInput<P extends string, Q extends z.ZodType> = Pick<
  RouteCall<P, Q>,
  'scope' | 'params' | 'body'
> & {
  readonly query: ValidParts<z.output<Q>>
}

type Method = 'get' | 'post' | 'patch' | 'delete'

/** Stores an uploaded file while it arrives, never in memory; at most `maxImport` bytes. */
type UploadReceiver = {
  readonly receive: (core: Core, scope: Scope, fileName: string, bytes: AsyncIterable<Uint8Array>) => Promise<object>
  /** For a file that no record is made of. */
  readonly discard: (core: Core, received: never) => Promise<void>
}

type RouteFields<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R = unknown,
> = {
  readonly id: string
  /** Default: from the id. */
  readonly summary?: string
  /** Other paths with the same parameters. */
  readonly alsoAt?: readonly string[]
  /** Default: `person` below `/console/api`, else `api-key`. */
  readonly auth?: RouteAuth
  /** Besides `full`; default `read` for GET. */
  readonly keys?: readonly KeyScope[]
  /** Of a person in the console; default `project.read` for GET, else `content.edit`. */
  readonly permission?: Permission
  /** A preferences token also opens the row. */
  readonly preferences?: boolean
  /** For rows that admit an Origin; default `full`. */
  readonly browserAccess?: BrowserAccessNeeded
  /** If the path does not name the project. */
  readonly projectOf?: (core: Core, params: ParamsOf<P>) => Promise<string | undefined>
  readonly query?: Q
  /** If different from the items' fields. */
  readonly filters?: Readonly<Record<string, z.ZodType>>
  /** If different from the items' fields; empty permits any text. */
  readonly sorts?: readonly string[]
  /** For documentation and types; the use case parses the body. */
  readonly body?: B
  /** Reported with an invalid query; default: violations of the body. */
  readonly alsoWrong?: (
    core: Core,
    call: RouteCallWithInvalidInput<P, Q>,
  ) => readonly Violation[] | Promise<readonly Violation[]>
  /** `BodyLimits.withAttachments` applies. */
  readonly withAttachments?: true
  /** The body has an array of that name, which may also come as NDJSON. `BodyLimits.bulk` applies; rows count as requests. */
  readonly bulkField?: string
  /** A multipart form; the use case gets an `UploadedFile`, or what `receiver` made of it. */
  readonly upload?: { readonly part: string; readonly types: string; readonly receiver?: UploadReceiver }
  /** Or `downloadSchemaOf(contentType)`. Fields that the view lacks are not sent. */
  readonly success: readonly [status: 200 | 201, view: z.ZodType]
  /** The response adds `next`. */
  readonly paginated?: boolean
  /** An unknown name in the path gets another answer: `forbidden`, `invalid`, or an empty list. */
  readonly neverNotFound?: true
  /** Besides `forbidden`, `invalid` with a query or a body, and `not-found` with a parameter besides the project. */
  readonly fails?: readonly RefusalKind[]
  /** A GET with an effect: clients must not repeat it by themselves. */
  readonly hasEffect?: true
  /** Requests that a call counts as; default 1. */
  readonly weight?: (query: Readonly<Record<string, unknown>>) => number
  /** The same for the body, which is not validated yet. */
  readonly bodyWeight?: (body: Readonly<Record<string, unknown>>) => number
  readonly run: (core: Core, call: RouteCall<P, Q, B>) => Promise<R>
  /** What an earlier attempt with the same `Idempotency-Key` created. Absent if repeating is harmless or refused. */
  readonly made?: (core: Core, call: RouteCall<P, Q, B>) => Promise<NoInfer<R> | undefined>
}

/** An endpoint as data, for Express, OpenAPI, `docs/routes.md` and the test client. */
export type Route = RouteFields & {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly auth: RouteAuth
  readonly permission: Permission
  readonly fails: readonly RefusalKind[]
}

export const takesIdempotencyKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean =>
  method === 'post' && auth !== 'none' && auth !== 'token' && auth !== 'console'

export const noFieldsSchema = z.strictObject({})

/** Keeps the types of an endpoint for its clients: the console's calls are typed by them. */
export type TypedRoute<
  I extends string = string,
  V extends z.ZodType = z.ZodType,
  M extends Method = Method,
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> = Route & {
  readonly id: I
  readonly method: M
  readonly path: P
  readonly query?: Q
  readonly body?: B
  readonly success: readonly [status: 200 | 201, view: V]
}

/** `getCampaignReport` gives "Get a campaign report", `listCampaigns` "List campaigns". */
const summaryOf = (id: string): string => {
  const [verb = '', ...noun] = id.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const object = noun.join(' ').replace(/stats$/, 'statistics')
  const article =
    verb === 'list' || /(s|access|deliverability)$/.test(object) ? '' : /^[aeio]/.test(object) ? 'an ' : 'a '
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${article}${object}`
}

const namesRecord = /\{(?!projectId)/

/** `run` may return only fields of the view. The use case validates the body. */
export const route = <
  const I extends string,
  const M extends Method,
  const P extends string,
  V extends z.ZodType,
  R extends RouteOutput<V, G>,
  Q extends z.ZodType = typeof noFieldsSchema,
  B extends z.ZodType = typeof noFieldsSchema,
  const G extends boolean = false,
>(
  method: M,
  path: P,
  row: RouteFields<P, Q, B, R & OnlyViewFields<R, RouteOutput<V, G>>> & {
    readonly id: I
    readonly success: readonly [status: 200 | 201, view: V]
    readonly paginated?: G
  },
): TypedRoute<I, V, M, P, Q, B> => {
  const { id, auth = path.startsWith('/console/api/') ? 'person' : 'api-key', fails = [], body, query } = row
  const common: RefusalKind[] = [
    ...(body || query ? (['invalid'] as const) : []),
    ...(auth === 'none' ? [] : (['forbidden'] as const)),
    ...(namesRecord.test(path) && !row.neverNotFound ? (['not-found'] as const) : []),
  ]
  return {
    summary: summaryOf(id),
    permission: method === 'get' ? 'project.read' : 'content.edit',
    query: noFieldsSchema,
    ...row,
    method,
    path,
    auth,
    fails: [...common, ...fails],
  } as unknown as TypedRoute<I, V, M, P, Q, B>
}

/** The spec's list response. */
export const listResponseOf = <V extends z.ZodType>(view: V) =>
  z.object({
    items: z.array(view).meta({ description: 'The items of this page, in order' }),
    count: z.int().meta({ description: 'Number of matching items on all pages' }),
    next: z.string().nullable().meta({ description: 'URL of the next page; null on the last page' }),
  })

/** A list in pages, filtered and sorted by the fields of its items. */
export const pagedRouteParts = <V extends z.ZodType & { readonly shape: Readonly<Record<string, z.ZodType>> }>(
  view: V,
) =>
  ({
    query: ListQueryFields,
    alsoWrong: (_core: Core, { query }: { readonly query: ValidParts<ParsedListQuery> }) =>
      listQueryViolations(view.shape, query),
    success: [200, listResponseOf(view)],
    paginated: true,
  }) as const

export type ParsedListQuery = z.output<typeof ListQueryFields>

const ignored = z.unknown().optional().meta({ description: 'Accepted and ignored: this list has no pages' })

/** Of a list without pages: only `filter` has an effect. */
export const UnpagedListQuery = ListQueryFields.extend({ limit: ignored, skip: ignored, sort: ignored, order: ignored })

export const unpagedList = <T>({ items, count }: Page<T>) => ({ items, count, next: null })

export const pathsOfRoute = ({ path, alsoAt = [] }: Pick<Route, 'path' | 'alsoAt'>): readonly string[] => [
  path,
  ...alsoAt,
]

/** Without a trailing slash. */
export const mountOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
