import { violationSentences } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Route, routes } from '../src/index.js'

/** Of every kind, and at the edges of what any field takes. */
const values: readonly unknown[] = [
  undefined,
  null,
  '',
  'x',
  'x'.repeat(60_000),
  -1,
  1.5,
  2 ** 60,
  Number.POSITIVE_INFINITY,
  true,
  {},
  { x: 1 },
  [],
  ['x', {}, 1],
  Array.from({ length: 11_000 }, () => 'x'),
]

const bare = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema instanceof z.ZodPipe
      ? bare(schema.in)
      : schema

/** Inputs that are wrong at each place that the schema knows. */
const wrongInputs = (schema: z.core.$ZodType): readonly unknown[] => {
  const kind = bare(schema)
  if (kind instanceof z.ZodObject)
    return [
      ...values,
      ...Object.entries(kind.shape).flatMap(([key, type]) => wrongInputs(type).map((value) => ({ [key]: value }))),
    ]
  if (kind instanceof z.ZodArray) return [...values, ...wrongInputs(kind.element).map((value) => [value])]
  if (kind instanceof z.ZodRecord) return [...values, ...wrongInputs(kind.valueType).map((value) => ({ x: value }))]
  if (kind instanceof z.ZodUnion) return [...values, ...kind.options.flatMap(wrongInputs)]
  return values
}

const ofLibrary =
  /Invalid (input|option|string|key|element|URL|number|record|union)|Too (small|big)|Unrecognized|, received [a-z]+$|>=|<=|expected (string|int|number|boolean|array|object|record|null|undefined|nonoptional)\b/

const taking: readonly Route[] = routes
const named = taking.flatMap(({ id, body, query }) => [
  ...(body ? [[`the body of ${id}`, body] as const] : []),
  ...(query ? [[`the query of ${id}`, query] as const] : []),
])

describe('a refusal', () => {
  it.each(named)('describes in our own words what is wrong with %s', (_, schema) => {
    const told = new Set(wrongInputs(schema).flatMap((input) => violationSentences(schema, input)))
    expect(
      [...told].filter((sentence) => ofLibrary.test(sentence) || /is not taken|another kind/.test(sentence)),
    ).toEqual([])
  })
})
