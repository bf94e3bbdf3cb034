import { type ApiRoute, type Route, routes } from '@posthorn/http-express'
import { expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import { duplicates } from '../../../scripts/client/names.js'
import { endpoints } from '../src/api.js'
import type { Api } from '../src/index.js'

type Table = typeof endpoints

type PathOf<P extends string> = P extends `/v1/${string}` ? P : `/v1/projectId/{projectId}${P}`

type RowOf<E> = E extends readonly [infer M extends string, infer P extends string, ...infer _]
  ? Extract<ApiRoute, { readonly method: Lowercase<M>; readonly path: PathOf<P> }>
  : never

type Names<P extends string> = P extends `${string}{${string}}${infer Rest}` ? [string, ...Names<Rest>] : []

/** What a call takes after the values of its path. */
type Behind<Names extends readonly unknown[], Args extends readonly unknown[]> = Args extends [
  ...names: Names,
  ...rest: infer Rest,
]
  ? Rest
  : never

type Assignable<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

// biome-ignore lint/suspicious/noExplicitAny: matches every call.
type AnyCall = (...args: any) => any

/** A file here, and what arrives of it there. */
type FormOf<T> = Omit<T, 'image' | 'file'>

type BodyOf<E, Call extends AnyCall> = E extends readonly [string, infer P extends string, 'body' | 'form', ...infer _]
  ? {
      readonly here: FormOf<NonNullable<Behind<Names<P>, Required<Parameters<Call>>>[0]>>
      readonly there: FormOf<z.input<NonNullable<RowOf<E>['body']>>>
    }
  : never

/** `narrower`: every body of the client fits the row, but not the other way round. */
type BodyDiffers<E, Call extends AnyCall> =
  BodyOf<E, Call> extends { readonly here: infer Here; readonly there: infer There }
    ? [Here] extends [There]
      ? [There] extends [Here]
        ? never
        : 'narrower body'
      : 'body'
    : never

type ResultDiffers<E extends readonly string[], Call extends AnyCall> = 'file' extends E[number]
  ? never
  : Assignable<Awaited<ReturnType<Call>>, z.output<RowOf<E>['success'][1]>> extends true
    ? never
    : 'result'

/** Such as `contacts.create body`. */
type Differences = {
  [R in keyof Table & keyof Api]: {
    [V in keyof Table[R] & keyof Api[R] & string]: Table[R][V] extends readonly string[]
      ? Api[R][V] extends AnyCall
        ? [RowOf<Table[R][V]>] extends [never]
          ? `${R}.${V} has no row`
          : `${R}.${V} ${BodyDiffers<Table[R][V], Api[R][V]> | ResultDiffers<Table[R][V], Api[R][V]>}`
        : never
      : never
  }[keyof Table[R] & keyof Api[R] & string]
}[keyof Table & keyof Api]

/** The schemas demand by a rule, or in their documentation, what their types leave open: required ids, and the names of keys. */
type Narrower = `${'sends.transactional' | 'sends.triggered' | 'designSystems.update'} narrower body`

it('bodies and results have the types of the rows', () => {
  expectTypeOf<Differences>().toEqualTypeOf<Narrower>()
})

it('has every row but those that do the same as another', () => {
  const inClient = new Set(
    Object.values(endpoints).flatMap((verbs) =>
      Object.values(verbs as Readonly<Record<string, readonly string[]>>).map(
        ([method, path = '']) => `${method} ${path.startsWith('/v1/') ? path : `/v1/projectId/{projectId}${path}`}`,
      ),
    ),
  )
  const missing = routes
    .filter((row: Route) => !inClient.has(`${row.method.toUpperCase()} ${row.path}`))
    .map(({ id }) => id)
  expect(missing.sort()).toEqual([...duplicates].sort())
  expect(inClient.size).toBe(routes.length - duplicates.length)
})
