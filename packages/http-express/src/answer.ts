import type { z } from 'zod'
import type { Download } from './download.js'
import type { StreamedFile } from './streamed-file.js'
import type { StreamedList } from './streamed-list.js'

type Scalar = string | number | boolean | bigint | symbol | null | undefined

/** `T`, deeply read-only: use cases return such values. */
type Fixed<T> = unknown extends T
  ? T
  : T extends Scalar
    ? T
    : T extends readonly (infer E)[]
      ? readonly Fixed<E>[]
      : { readonly [K in keyof T]: Fixed<T[K]> }

type Shown<V extends z.ZodType> = Fixed<z.output<V>>

type ItemOf<V extends z.ZodType> = Shown<V> extends { readonly items: readonly (infer E)[] } ? E : never

/** What `run` returns: the view's output or a streamed file. For a paginated list: the output without `next`, or streamed items. */
export type Answer<V extends z.ZodType, G extends boolean> = G extends true
  ? Omit<Shown<V>, 'next'> | StreamedList<ItemOf<V>>
  : Shown<V> | (z.output<V> extends Download ? StreamedFile : never)

type KeyOf<T> = T extends unknown ? keyof T : never
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never
type ElementOf<T> = T extends readonly (infer E)[] ? E : never

/** The field names in `R`, at any depth, that `O` lacks at the same place; `never` if there are none. */
type Strange<R, O> = unknown extends O
  ? never
  : R extends Scalar
    ? never
    : R extends readonly (infer E)[]
      ? Strange<E, ElementOf<O>>
      : R extends AsyncIterable<unknown>
        ? never
        : { [K in keyof R]-?: K extends KeyOf<O> ? Strange<R[K], At<O, K>> : K }[keyof R]

/** `unknown` if the view names every field of the response; otherwise an unsatisfiable type that shows the unnamed fields. */
export type Unnamed<R, O> = [Strange<R, O>] extends [never] ? unknown : { readonly unnamed: Strange<R, O> }
