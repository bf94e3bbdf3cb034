import type { Core, KeyScope, RefusalKind, Scope, Violation } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import type { BrowserAccessNeeded, Fitting, ListQueryFields } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import type { Answer, Unnamed } from './response.js'

/** `origin`: pages of a whitelisted Origin. `jwt`: admins and the account's owner. `token`: the signed token in the query. `none`: anybody. */
export type Auth = 'api-key' | 'api-key-or-origin' | 'api-key-or-jwt' | 'origin' | 'token' | 'none'

/** Undefined if no page may call. */
export const browserAccessOf = ({
  auth,
  browserAccess = 'full',
}: Pick<Route, 'auth' | 'browserAccess'>): BrowserAccessNeeded | undefined =>
  auth === 'origin' || auth === 'api-key-or-origin' ? browserAccess : undefined

/** Besides `full`. */
export const keysOf = ({ method, keys = method === 'get' ? ['read'] : [] }: Pick<Route, 'method' | 'keys'>) => keys

/** Parameters such as `{projectId}`. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

export type Call<P extends string, Q extends z.ZodType, B extends z.ZodType = z.ZodType> = {
  readonly scope: Scope
  readonly params: ParamsOf<P>
  readonly query: z.output<Q>
  /** By one of `alsoAt`. */
  readonly isLegacy: boolean
  /** Unchecked; the use case validates it. */
  readonly body: z.input<B>
}

/** The valid part of the query, and the body as sent. */
export type WrongCall<P extends string, Q extends z.ZodType> = Pick<Call<P, Q>, 'scope' | 'params' | 'body'> & {
  readonly query: Fitting<z.output<Q>>
}

type Pair = { readonly method: 'get' | 'post' | 'patch' | 'delete'; readonly path: string }

/** An endpoint as data, for Express, OpenAPI, `docs/routes.md` and the test client. */
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
  /** With the same parameters. */
  readonly alsoAt?: readonly string[]
  readonly auth: Auth
  /** Besides `full`; default `read` for GET. */
  readonly keys?: readonly KeyScope[]
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
  readonly alsoWrong?: (core: Core, call: WrongCall<P, Q>) => readonly Violation[] | Promise<readonly Violation[]>
  /** `BodyLimits.withAttachments` applies. */
  readonly withAttachments?: true
  /** A multipart form; the use case gets an `UploadedFile`. */
  readonly upload?: { readonly part: string; readonly types: string }
  /** Or `download(contentType)`. Fields that the view lacks are not sent. */
  readonly success: readonly [status: 200 | 201, view: z.ZodType]
  /** The response adds `next`. */
  readonly paginated?: boolean
  readonly fails: readonly RefusalKind[]
  /** Requests that a call counts as; default 1. */
  readonly weight?: (query: Readonly<Record<string, unknown>>) => number
  readonly run: (core: Core, call: Call<P, Q, B>) => Promise<R>
  /** What an earlier attempt with the same `Idempotency-Key` created. Absent if repeating is harmless or refused. */
  readonly made?: (core: Core, call: Call<P, Q, B>) => Promise<NoInfer<R> | undefined>
}

/** Every POST of a project does. */
export const takesKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean =>
  method === 'post' && auth !== 'none' && auth !== 'token'

const nothing = z.strictObject({})

export type Row<I extends string = string, V extends z.ZodType = z.ZodType> = Route & {
  readonly id: I
  readonly success: readonly [status: 200 | 201, view: V]
}

/** `run` may return only fields of the view. The body is cast only here; the use case validates it. */
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

export type Query = z.output<typeof ListQueryFields>

/** All items, no next page. */
export const whole = <T>({ items, count }: Page<T>) => ({ items, count, next: null })

export const pathsOf = ({ path, alsoAt = [] }: Pick<Route, 'path' | 'alsoAt'>): readonly string[] => [path, ...alsoAt]

export const expressPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Without a trailing slash. */
export const mountOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
