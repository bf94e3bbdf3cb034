import { isStorableText } from '@posthorn/core/ports/storage'
import fc from 'fast-check'
import { pathsOfRoute, type Route } from '../../src/index.js'
import type { Known } from './honest-body.js'
import {
  contentTypes,
  oddHeaders,
  operators,
  pathTexts,
  queryKeys,
  queryTexts,
  strangeKeys,
  texts,
  wrongBytes,
  wrongJson,
} from './hostile-parts.js'

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)])

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      0.5,
      1e308,
      -1e308,
      2 ** 53,
      5e-324,
      [],
      {},
      [null],
      [[]],
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...operators) },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(101, 1000).map(nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)

/** The same object with the value at one of its fields, or of the fields of its fields. `__proto__` stays a field. */
const withField = (object: unknown, keys: readonly string[], to: unknown): unknown => {
  const [key, ...rest] = keys
  if (key === undefined || typeof object !== 'object' || object === null) return to
  if (Array.isArray(object)) return object.map((one) => withField(one, keys, to))
  const fields = Object.entries(object)
  const before = fields.find(([name]) => name === key)?.[1]
  return Object.fromEntries([
    ...fields.filter(([name]) => name !== key),
    [key, rest.length > 0 ? withField(before, rest, to) : to],
  ])
}

const pathsIn = (object: unknown): readonly (readonly string[])[] => {
  if (Array.isArray(object)) return object.flatMap(pathsIn)
  if (typeof object !== 'object' || object === null) return []
  return Object.entries(object).flatMap(([key, part]) => [[key], ...pathsIn(part).map((path) => [key, ...path])])
}

const query = fc
  .array(fc.tuple(fc.constantFrom(...queryKeys), fc.constantFrom(...queryTexts)), { minLength: 1, maxLength: 4 })
  .map((pairs) => `?${pairs.map(([key, to]) => `${key.replace(/\$/g, '%24')}=${to}`).join('&')}`)

/** What makes a request hostile; all the rest of it is honest. */
export type Hostility = {
  readonly spelling: number
  readonly params: Known
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** The body holds what must not be kept, so that no success may come of it. */
  readonly unstorable: boolean
}

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])

const isUnstorable = (json: unknown): boolean => {
  if (typeof json === 'string') return !isStorableText(json)
  if (typeof json !== 'object' || json === null) return false
  return Object.entries(json).some(
    ([key, part]) => !isStorableText(key) || prototypeKeys.has(key) || isUnstorable(part),
  )
}

const asBody = (json: unknown) => ({ body: Buffer.from(JSON.stringify(json) ?? ''), unstorable: isUnstorable(json) })

/** Requests for a row that are hostile in one place or two, from its honest body and parameters. */
export const hostilities = (
  row: Route,
  honest: { readonly body: unknown; readonly params: Known },
): fc.Arbitrary<Hostility> => {
  const fields = pathsIn(honest.body)
  const anyField = fields.length > 0 ? fc.constantFrom(...fields) : fc.constantFrom(['name'])
  const json = { 'content-type': 'application/json' }
  const honestly = asBody(honest.body)

  const wrongField = fc
    .array(fc.tuple(anyField, value), { minLength: 1, maxLength: 2 })
    .map((changes) => changes.reduce((body, [path, to]) => withField(body, path, to), honest.body))
  const strangeField = fc
    .tuple(fc.option(anyField, { nil: [] }), fc.constantFrom(...strangeKeys), value)
    .map(([path, key, to]) => withField(honest.body, [...path, key], to))
  const bodies = fc.oneof(
    { weight: 6, arbitrary: wrongField.map((body) => ({ ...asBody(body), headers: json })) },
    { weight: 2, arbitrary: strangeField.map((body) => ({ ...asBody(body), headers: json })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...wrongJson, ...wrongBytes)
        .map((body) => ({ body, unstorable: false, headers: json })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(honestly.body, ...wrongBytes), fc.constantFrom(...contentTypes))
        .map(([body, type]) => ({ body, unstorable: false, headers: { 'content-type': type } })),
    },
  )
  const plain = { ...honestly, headers: json }

  const names = Object.keys(honest.params)
  const params = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...pathTexts))
    .map(([name, to]) => ({ ...honest.params, [name]: to }))

  const part = fc.oneof(
    { weight: row.body ? 6 : 1, arbitrary: bodies.map((one) => one) },
    { weight: 2, arbitrary: params.map((one) => ({ params: one })) },
    { weight: 2, arbitrary: query.map((one) => ({ query: one })) },
    { weight: 1, arbitrary: fc.constantFrom(...oddHeaders).map((headers) => ({ headers: { ...json, ...headers } })) },
  )
  return fc
    .tuple(fc.nat({ max: pathsOfRoute(row).length - 1 }), part, fc.option(part, { freq: 3 }))
    .map(([spelling, one, other]) => ({
      spelling,
      params: honest.params,
      query: '',
      ...(row.body ? plain : { body: undefined, unstorable: false, headers: {} }),
      ...other,
      ...one,
    }))
}
