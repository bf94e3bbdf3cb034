import { type Core, Refusal, type RefusalKind, type Scope, type Violation } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import { type ListQueryFields, type Permission, violationsOf } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  type listResponseOf,
  type noFieldsSchema,
  type ParsedListQuery,
  pagedRouteParts,
  route,
  type TypedRoute,
} from './route.js'

type ResourceUseCases<
  W extends z.ZodType = z.ZodType,
  F extends z.ZodType = z.ZodType,
  C extends z.ZodType = z.ZodType,
> = {
  readonly list: (scope: Scope, query: ParsedListQuery) => Promise<Page<z.output<W>>>
  readonly create: (scope: Scope, input: z.input<F>) => Promise<z.output<W>>
  readonly get: (scope: Scope, id: string) => Promise<z.output<W>>
  readonly update: (scope: Scope, id: string, input: z.input<C>) => Promise<z.output<W>>
  readonly remove: (scope: Scope, id: string) => Promise<z.output<W>>
  /** Rules beyond the shape. */
  readonly violations?: {
    readonly create?: (scope: Scope, input: unknown) => Promise<readonly Violation[]>
    readonly update?: (scope: Scope, id: string, input: unknown) => Promise<readonly Violation[]>
  }
}

type Verb = Exclude<keyof ResourceUseCases, 'violations'>

type KeysInOne<A, B> = Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A>

/** Unsatisfiable unless the fields are exactly the inputs'. */
type SameFields<U, F extends z.ZodType, C extends z.ZodType> = [
  | (U extends { readonly create: (scope: Scope, input: infer I) => unknown } ? KeysInOne<I, z.input<F>> : never)
  | (U extends { readonly update: (scope: Scope, id: string, input: infer I) => unknown }
      ? KeysInOne<I, z.input<C>>
      : never),
] extends [never]
  ? unknown
  : { readonly otherFields: never }

type Resource<
  N extends string,
  P extends string,
  W extends z.ZodType,
  F extends z.ZodType,
  C extends z.ZodType,
  V extends Verb,
  U,
> = {
  /** `Campaign` gives `createCampaign` and `listCampaigns`. */
  readonly noun: N
  /** Below the project. */
  readonly path: P
  readonly view: W & { readonly shape: Readonly<Record<string, z.ZodType>> }
  readonly fields: F
  readonly changes: C
  /** In addition to the common ones. */
  readonly fails?: Partial<Record<Verb, readonly RefusalKind[]>>
  /** Default: all. */
  readonly verbs?: readonly V[]
  /** What a person needs to change it; default `content.edit`. */
  readonly permission?: Permission
  readonly of: (core: Core) => U & SameFields<U, F, C>
}

type All<P extends string> = `/v1/projectId/{projectId}/${P}`
type One<P extends string> = `/v1/projectId/{projectId}/${P}/{id}`

type RowOf<
  N extends string,
  P extends string,
  W extends z.ZodType,
  F extends z.ZodType = z.ZodType,
  C extends z.ZodType = z.ZodType,
> = {
  readonly list: TypedRoute<`list${N}s`, ReturnType<typeof listResponseOf<W>>, 'get', All<P>, typeof ListQueryFields>
  readonly create: TypedRoute<`create${N}`, W, 'post', All<P>, typeof noFieldsSchema, F>
  readonly get: TypedRoute<`get${N}`, W, 'get', One<P>, typeof noFieldsSchema>
  readonly update: TypedRoute<`update${N}`, W, 'patch', One<P>, typeof noFieldsSchema, C>
  readonly remove: TypedRoute<`delete${N}`, W, 'delete', One<P>, typeof noFieldsSchema>
}

export const findRecordOfEarlierRequest = async <T>(
  { get }: { readonly get: (scope: Scope, id: string) => Promise<T> },
  scope: Scope,
): Promise<T | undefined> => {
  try {
    return scope.requestId === undefined ? undefined : await get(scope, scope.requestId)
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'not-found') return undefined
    throw error
  }
}

const everyVerb = ['list', 'create', 'get', 'update', 'remove'] as const

export const resourceRoutes = <
  const N extends string,
  const P extends string,
  W extends z.ZodType,
  F extends z.ZodType,
  C extends z.ZodType,
  U extends Pick<ResourceUseCases<W, F, C>, V>,
  const V extends Verb = Verb,
>({
  noun,
  path,
  view: shownView,
  fields,
  changes,
  fails = {},
  verbs = everyVerb as unknown as readonly V[],
  permission = 'content.edit',
  of,
}: Resource<N, P, W, F, C, V, U>): readonly RowOf<N, P, W, F, C>[V][] => {
  const all = `/v1/projectId/{projectId}/${path}` as const
  const one = `/v1/projectId/{projectId}/${path}/{id}` as const
  // The signature checks the types; inside, rows are built untyped.
  const use = of as unknown as (core: Core) => ResourceUseCases
  const view = shownView as z.ZodType & Pick<typeof shownView, 'shape'>
  const isVersioned = changes instanceof z.ZodObject && Object.hasOwn(changes.shape, 'basedOn')
  const rows = {
    list: route('get', all, {
      id: `list${noun}s`,
      ...pagedRouteParts(view),
      fails: fails.list ?? [],
      run: (core, { scope, query }) => use(core).list(scope, query),
    }),
    create: route('post', all, {
      id: `create${noun}`,
      permission,
      body: fields,
      alsoWrong: (core, { scope, body }) => use(core).violations?.create?.(scope, body) ?? violationsOf(fields, body),
      success: [201, view],
      fails: fails.create ?? [],
      run: (core, { scope, body }) => use(core).create(scope, body),
      made: (core, { scope }) => findRecordOfEarlierRequest(use(core), scope),
    }),
    get: route('get', one, {
      id: `get${noun}`,
      success: [200, view],
      run: (core, { scope, params }) => use(core).get(scope, params.id),
    }),
    update: route('patch', one, {
      id: `update${noun}`,
      permission,
      body: changes,
      alsoWrong: (core, { scope, params, body }) =>
        use(core).violations?.update?.(scope, params.id, body) ?? violationsOf(changes, body),
      success: [200, view],
      fails: [...(isVersioned ? (['duplicate'] as const) : []), ...(fails.update ?? [])],
      run: (core, { scope, params, body }) => use(core).update(scope, params.id, body),
    }),
    remove: route('delete', one, {
      id: `delete${noun}`,
      permission,
      success: [200, view],
      fails: fails.remove ?? [],
      run: (core, { scope, params }) => use(core).remove(scope, params.id),
    }),
  }
  return verbs.map((verb) => (rows as unknown as RowOf<N, P, W, F, C>)[verb])
}
