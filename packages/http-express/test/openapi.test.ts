import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { openApiDocument, pathsOf, routes } from '../src/index.js'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as { readonly [key: string]: Json }

const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** Every object of the document, with where it stands. */
const objectsIn = (
  json: Json,
  at = '#',
): readonly (readonly [at: string, object: { readonly [key: string]: Json }])[] => {
  if (Array.isArray(json)) return json.flatMap((one: Json, index) => objectsIn(one, `${at}/${index}`))
  if (!isObject(json)) return []
  return [[at, json], ...Object.entries(json).flatMap(([key, part]) => objectsIn(part, `${at}/${key}`))]
}

const everything = objectsIn(document)

describe('the OpenAPI document', () => {
  it('is one, to a validator', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('refers to nothing that is not there', () => {
    const places = new Set(everything.map(([at]) => at))
    const references = everything.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(references.length).toBeGreaterThan(0)
    expect(references.filter((one) => !places.has(one))).toEqual([])
  })

  it('has every endpoint in every spelling, each under a name of its own', () => {
    const { paths } = document
    const operations = everything.flatMap(([, { operationId }]) =>
      typeof operationId === 'string' ? [operationId] : [],
    )
    expect(Object.keys(isObject(paths) ? paths : {}).sort()).toEqual([...new Set(routes.flatMap(pathsOf))].sort())
    expect(operations.length).toBeGreaterThanOrEqual(routes.flatMap(pathsOf).length)
    expect(new Set(operations).size).toBe(operations.length)
  })

  it('says of every property what it is', () => {
    const properties = everything.flatMap(([at, { properties: all }]) =>
      isObject(all) ? Object.entries(all).map(([name, schema]) => ({ at: `${at}/${name}`, schema })) : [],
    )
    const silent = properties.filter(
      ({ schema }) => !isObject(schema) || (schema.description === undefined && schema.$ref === undefined),
    )
    expect(properties.length).toBeGreaterThan(500)
    expect(silent.map(({ at }) => at)).toEqual([])
  })

  it('says of every parameter what it is', () => {
    const parameters = everything.filter(([, one]) => typeof one.in === 'string' && typeof one.name === 'string')
    expect(parameters.length).toBeGreaterThan(100)
    expect(parameters.filter(([, { description }]) => description === undefined).map(([at]) => at)).toEqual([])
  })
})
