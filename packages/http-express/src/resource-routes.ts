import { type Core, Refusal, type RefusalKind, type Scope, type Violation } from '@posthorn/core'
import type { Page } from '@posthorn/core/ports/storage'
import { ListQueryFields, listQueryViolations, violationsOf } from '@posthorn/core/ports/transport'
import type { z } from 'zod'
import { listOf, type Query, type Row, route } from './route.js'

type ResourceUseCases<
  W extends z.ZodType = z.ZodType,
  F extends z.ZodType = z.ZodType,
  C extends z.ZodType = z.ZodType,
> = {
  readonly list: (scope: Scope, query: Query) => Promise<Page<z.output<W>>>
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
  /** `Campaign` gives `createCampaign`. */
  readonly noun: N
  readonly plural: P
  readonly called: string
  readonly path: string
  readonly view: W & { readonly shape: Readonly<Record<string, z.ZodType>> }
  readonly fields: F
  readonly changes: C
  /** In addition to the common ones. */
  readonly fails?: Partial<Record<Verb, readonly RefusalKind[]>>
  readonly verbs: readonly V[]
  readonly of: (core: Core) => U & SameFields<U, F, C>
}

type RowOf<N extends string, P extends string, W extends z.ZodType> = {
  readonly list: Row<`list${P}`, ReturnType<typeof listOf<W>>>
  readonly create: Row<`create${N}`, W>
  readonly get: Row<`get${N}`, W>
  readonly update: Row<`update${N}`, W>
  readonly remove: Row<`delete${N}`, W>
}

/** What an earlier attempt created. */
export const madeBy = async <T>(
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

export const resourceRoutes = <
  const N extends string,
  const P extends string,
  W extends z.ZodType,
  F extends z.ZodType,
  C extends z.ZodType,
  const V extends Verb,
  U extends Pick<ResourceUseCases<W, F, C>, V>,
>({
  noun,
  plural,
  called,
  path,
  view: shownView,
  fields,
  changes,
  fails = {},
  verbs,
  of,
}: Resource<N, P, W, F, C, V, U>): readonly RowOf<N, P, W>[V][] => {
  const all = `/v1/projectId/{projectId}/${path}` as const
  const one = `/v1/projectId/{projectId}/${path}/{id}` as const
  // The signature checks the types; inside, rows are built untyped.
  const use = of as unknown as (core: Core) => ResourceUseCases
  const view = shownView as z.ZodType & Pick<typeof shownView, 'shape'>
  const rows: RowOf<N, P, z.ZodType> = {
    list: route({
      id: `list${plural}`,
      summary: `List ${called}s`,
      method: 'get',
      path: all,
      auth: 'api-key',
      query: ListQueryFields,
      alsoWrong: (_core, { query }) => listQueryViolations(view.shape, query),
      success: [200, listOf(view)],
      paginated: true,
      fails: ['invalid', 'forbidden', ...(fails.list ?? [])],
      run: (core, { scope, query }) => use(core).list(scope, query),
    }),
    create: route({
      id: `create${noun}`,
      summary: `Create a ${called}`,
      method: 'post',
      path: all,
      auth: 'api-key',
      body: fields,
      alsoWrong: (core, { scope, body }) => use(core).violations?.create?.(scope, body) ?? violationsOf(fields, body),
      success: [201, view],
      fails: ['invalid', 'forbidden', ...(fails.create ?? [])],
      run: (core, { scope, body }) => use(core).create(scope, body),
      made: (core, { scope }) => madeBy(use(core), scope),
    }),
    get: route({
      id: `get${noun}`,
      summary: `Get a ${called}`,
      method: 'get',
      path: one,
      auth: 'api-key',
      success: [200, view],
      fails: ['forbidden', 'not-found'],
      run: (core, { scope, params }) => use(core).get(scope, params.id),
    }),
    update: route({
      id: `update${noun}`,
      summary: `Update a ${called}`,
      method: 'patch',
      path: one,
      auth: 'api-key',
      body: changes,
      alsoWrong: (core, { scope, params, body }) =>
        use(core).violations?.update?.(scope, params.id, body) ?? violationsOf(changes, body),
      success: [200, view],
      fails: ['invalid', 'forbidden', 'not-found', ...(fails.update ?? [])],
      run: (core, { scope, params, body }) => use(core).update(scope, params.id, body),
    }),
    remove: route({
      id: `delete${noun}`,
      summary: `Delete a ${called}`,
      method: 'delete',
      path: one,
      auth: 'api-key',
      success: [200, view],
      fails: ['forbidden', 'not-found', ...(fails.remove ?? [])],
      run: (core, { scope, params }) => use(core).remove(scope, params.id),
    }),
  }
  return verbs.map((verb) => (rows as unknown as RowOf<N, P, W>)[verb])
}

export const everyVerb = ['list', 'create', 'get', 'update', 'remove'] as const
