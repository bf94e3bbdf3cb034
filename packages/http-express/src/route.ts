import type { Core, KeyScope, RefusalKind, Scope, Violation } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import type { BrowserAccessNeeded, Fitting, ListQueryFields } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import type { Answer, Unnamed } from './response.js'

/**
 * Who may call. `origin`: pages of a whitelisted Origin. `jwt`: admins and the account's owner. `token`: holders of the signed token in the
 * query. `none`: anybody.
 */
export type Auth = 'api-key' | 'api-key-or-origin' | 'api-key-or-jwt' | 'origin' | 'token' | 'none'

/** The lowest `browserAccess` at which pages may call the row; undefined if none may. */
export const browserAccessOf = ({
  auth,
  browserAccess = 'full',
}: Pick<Route, 'auth' | 'browserAccess'>): BrowserAccessNeeded | undefined =>
  auth === 'origin' || auth === 'api-key-or-origin' ? browserAccess : undefined

/** Key scopes that open the row besides `full`. */
export const keysOf = ({ method, keys = method === 'get' ? ['read'] : [] }: Pick<Route, 'method' | 'keys'>) => keys

/** The parameters of a path, such as `{projectId}`, as strings. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

/** The input of `run`. */
export type Call<P extends string, Q extends z.ZodType, B extends z.ZodType = z.ZodType> = {
  readonly scope: Scope
  readonly params: ParamsOf<P>
  readonly query: z.output<Q>
  /** Whether the request came by one of `alsoAt`. */
  readonly isLegacy: boolean
  /** Unchecked: the type says what the row expects; the use case validates it. */
  readonly body: z.input<B>
}

/** A call with an invalid query: the valid part of it, and the body as sent. */
export type WrongCall<P extends string, Q extends z.ZodType> = Pick<Call<P, Q>, 'scope' | 'params' | 'body'> & {
  readonly query: Fitting<z.output<Q>>
}

type Pair = { readonly method: 'get' | 'post' | 'patch' | 'delete'; readonly path: string }

/** An endpoint as data. Express, OpenAPI, `docs/routes.md` and the test client are built from it. */
export type Route<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R = unknown,
> = {
  readonly id: string
  readonly summary: string
  readonly method: Pair['method']
  readonly path: P
  /** Alternative paths of the endpoint, with the same parameters. */
  readonly alsoAt?: readonly string[]
  readonly auth: Auth
  /** Key scopes besides `full`; default `read` for GET. */
  readonly keys?: readonly KeyScope[]
  /** Whether the address's preferences token also opens the row. */
  readonly preferences?: boolean
  /** For rows that admit an Origin; default `full`. */
  readonly browserAccess?: BrowserAccessNeeded
  /** Finds the project if the path does not name it. */
  readonly projectOf?: (core: Core, params: ParamsOf<P>) => Promise<string | undefined>
  readonly query?: Q
  /** Fields of `filter[field]`, if they differ from those of the items. */
  readonly filters?: Readonly<Record<string, z.ZodType>>
  /** Values of `sort`, if they differ from the fields of the items; empty permits any text. */
  readonly sorts?: readonly string[]
  /** Schema of the body, for documentation and types. The use case parses the body. */
  readonly body?: B
  /** Violations to report together with an invalid query, if the schemas cannot tell; default: those of the body. */
  readonly alsoWrong?: (core: Core, call: WrongCall<P, Q>) => readonly Violation[] | Promise<readonly Violation[]>
  /** The body may hold attachments: `BodyLimits.withAttachments` limits it. */
  readonly withAttachments?: true
  /** A multipart form with a file in that part; the use case gets an `UploadedFile`. */
  readonly upload?: { readonly part: string; readonly types: string }
  /** The view of the response, or `download(contentType)`. Fields that it does not name are not sent. */
  readonly success: readonly [status: 200 | 201, view: z.ZodType]
  /** A list in pages; the response adds `next`. */
  readonly paginated?: boolean
  readonly fails: readonly RefusalKind[]
  /** How many requests a call counts as; default 1. */
  readonly weight?: (query: Readonly<Record<string, unknown>>) => number
  readonly run: (core: Core, call: Call<P, Q, B>) => Promise<R>
  /** What an earlier attempt with the same `Idempotency-Key` created. Absent if repeating is harmless or refused. */
  readonly made?: (core: Core, call: Call<P, Q, B>) => Promise<NoInfer<R> | undefined>
}

/** Whether the row accepts an `Idempotency-Key`: every POST of a project does. */
export const takesKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean =>
  method === 'post' && auth !== 'none' && auth !== 'token'

const nothing = z.strictObject({})

export type Row<I extends string = string, V extends z.ZodType = z.ZodType> = Route & {
  readonly id: I
  readonly success: readonly [status: 200 | 201, view: V]
}

/**
 * Checks the types of a row: `run` may return only fields that the view names. A row without a query accepts none. Only here is an
 * untrusted body cast to its expected type; the use case validates it.
 */
export const route = <
  const I extends string,
  const P extends string,
  V extends z.ZodType,
  R extends Answer<V, G>,
  Q extends z.ZodType = typeof nothing,
  B extends z.ZodType = typeof nothing,
  const G extends boolean = false,
>(
  row: Route<P, Q, B, R & Unnamed<R, Answer<V, G>>> & {
    readonly id: I
    readonly success: readonly [status: 200 | 201, view: V]
    readonly paginated?: G
  },
): Row<I, V> => ({ query: nothing, ...row }) as unknown as Row<I, V>

/** The spec's list response. */
export const listOf = <V extends z.ZodType>(view: V) =>
  z.object({
    items: z.array(view).meta({ description: 'The items of this page, in order' }),
    count: z.int().meta({ description: 'Number of matching items on all pages' }),
    next: z.string().nullable().meta({ description: 'URL of the next page; null on the last page' }),
  })

/** The standard list query, parsed. */
export type Query = z.output<typeof ListQueryFields>

/** A list without pages: all items and no next page. */
export const whole = <T>({ items, count }: Page<T>) => ({ items, count, next: null })

/** The row's path, then its alternatives. */
export const pathsOf = ({ path, alsoAt = [] }: Pick<Route, 'path' | 'alsoAt'>): readonly string[] => [path, ...alsoAt]

/** Converts `{id}` to `:id`, as Express needs it. */
export const expressPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Path prefix of the application, without a trailing slash. */
export const mountOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
