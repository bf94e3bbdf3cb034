import type { Core, KeyScope, RefusalKind, Scope, Violation } from '@posthorn/core'
import type { BrowserAccessNeeded, Fitting, ListQueryFields, Page } from '@posthorn/core/ports'
import { z } from 'zod'
import type { Answer, Unnamed } from './answer.js'

/**
 * Who may call. `api-key`: holders of a key of the project. `api-key-or-origin`: also pages of a whitelisted Origin.
 * `origin`: only those pages. `api-key-or-jwt`: also admins and the account's owner, by a JWT. `token`: whoever has the signed token of the query. `none`: everybody.
 */
export type Auth = 'api-key' | 'api-key-or-origin' | 'api-key-or-jwt' | 'origin' | 'token' | 'none'

/** The least `browserAccess` of a project that opens the row to pages of its whitelisted Origins; undefined: none does. */
export const browserAccessOf = ({
  auth,
  browserAccess = 'full',
}: Pick<Route, 'auth' | 'browserAccess'>): BrowserAccessNeeded | undefined =>
  auth === 'origin' || auth === 'api-key-or-origin' ? browserAccess : undefined

/** The scopes of keys that open the row, beside `full`. */
export const keysOf = ({ method, keys = method === 'get' ? ['read'] : [] }: Pick<Route, 'method' | 'keys'>) => keys

/** `{projectId}` and the like of a path, as the strings that a request has in their place. */
export type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<Rest>
  : unknown

/** What `run` gets: who calls, and what for. */
export type Call<P extends string, Q extends z.ZodType, B extends z.ZodType = z.ZodType> = {
  readonly scope: Scope
  readonly params: ParamsOf<P>
  readonly query: z.output<Q>
  /** Whether it came by one of `alsoAt`. */
  readonly isLegacy: boolean
  /** As the client sent it, whatever it is: the row says what it should be, and the use case checks that it is. */
  readonly body: z.input<B>
}

/** What is known of a call whose query is wrong: what of it fits, and the body as it was sent. */
export type WrongCall<P extends string, Q extends z.ZodType> = Pick<Call<P, Q>, 'scope' | 'params' | 'body'> & {
  readonly query: Fitting<z.output<Q>>
}

type Pair = { readonly method: 'get' | 'post' | 'patch' | 'delete'; readonly path: string }

/** An endpoint, in one row: Express, OpenAPI, `docs/routes.md` and the test client are read from it. */
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
  /** Other spellings of the same endpoint, with the same parameters. */
  readonly alsoAt?: readonly string[]
  readonly auth: Auth
  /** Scopes of keys that open it, beside `full`. Unless given, `read` opens what a GET shows, and nothing else. */
  readonly keys?: readonly KeyScope[]
  /** Whether the preferences token of the address that it is about opens it, too. */
  readonly preferences?: boolean
  /** Of a row that admits an Origin: the least `browserAccess` of the project under which it does; `full` unless given. */
  readonly browserAccess?: BrowserAccessNeeded
  /** The project of a path that does not name one; undefined: there is none, which is told as a wrong key is. */
  readonly projectOf?: (core: Core, params: ParamsOf<P>) => Promise<string | undefined>
  readonly query?: Q
  /** Of a list: what `filter[field]` takes, where that is not what the items show. */
  readonly filters?: Readonly<Record<string, z.ZodType>>
  /** Of a list: what `sort` takes, where that is not the fields of the items; empty: any text. */
  readonly sorts?: readonly string[]
  /** What the body has to be: for the description, for gathering violations, and as the type that `run` has it by; the use case reads it by itself. */
  readonly body?: B
  /**
   * What is wrong beside a wrong query, and takes more than the shapes of query and body to know; what `run` would tell if the query
   * were right. Unless given, what the shape of the body tells.
   */
  readonly alsoWrong?: (core: Core, call: WrongCall<P, Q>) => readonly Violation[] | Promise<readonly Violation[]>
  /** Attachments come in the body, which may be as large as they make it. */
  readonly withAttachments?: true
  /** The body is a multipart form instead of JSON, with a file of these types in that part: an `UploadedFile` to the use case. */
  readonly upload?: { readonly part: string; readonly types: string }
  /** The view that the answer is sent through, or `download(contentType)` for a file. What the view does not name is not sent. */
  readonly success: readonly [status: 200 | 201, view: z.ZodType]
  /** A list whose answer gets a `next`; `run` answers items and count. */
  readonly paginated?: boolean
  readonly fails: readonly RefusalKind[]
  /** How many requests it counts as, by its query as it came; one where it says nothing. */
  readonly weight?: (query: Readonly<Record<string, unknown>>) => number
  readonly run: (core: Core, call: Call<P, Q, B>) => Promise<R>
  /**
   * What an earlier try of a request with an `Idempotency-Key` has made, by the scope's `requestId`; undefined where it made nothing.
   * Absent where trying again does no harm, or is refused because it is there already.
   */
  readonly made?: (core: Core, call: Call<P, Q, B>) => Promise<NoInfer<R> | undefined>
}

/**
 * Whether the row takes an `Idempotency-Key`: every POST of a project does. What strangers post by a token or without anything may be
 * repeated anyway, and nothing is kept for them.
 */
export const takesKey = ({ method, auth }: Pick<Route, 'method' | 'auth'>): boolean =>
  method === 'post' && auth !== 'none' && auth !== 'token'

const nothing = z.strictObject({})

/** A row as its reader knows it: what it is called and what it shows. */
export type Row<I extends string = string, V extends z.ZodType = z.ZodType> = Route & {
  readonly id: I
  readonly success: readonly [status: 200 | 201, view: V]
}

/**
 * Checks a row against its types, and makes "no query" mean that none is taken: `run` has the body by the row's own schema, and answers
 * what the view names, and nothing else. What comes out has forgotten those types. It is the one place that says of a stranger's body
 * that it is what the row asks for; the use case finds out.
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

/** The spec's list answer. */
export const listOf = <V extends z.ZodType>(view: V) =>
  z.object({
    items: z.array(view).meta({ description: 'Those of this page, in order' }),
    count: z.int().meta({ description: 'All that match, across all pages' }),
    next: z.string().nullable().meta({ description: 'URL of the next page; null on the last' }),
  })

/** The standard list query, as read. */
export type Query = z.output<typeof ListQueryFields>

/** A list that is not paginated: everything, with no next page. */
export const whole = <T>({ items, count }: Page<T>) => ({ items, count, next: null })

/** Every spelling of a row's path. */
export const pathsOf = ({ path, alsoAt = [] }: Pick<Route, 'path' | 'alsoAt'>): readonly string[] => [path, ...alsoAt]

/** `{id}` as Express writes it. */
export const expressPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')
