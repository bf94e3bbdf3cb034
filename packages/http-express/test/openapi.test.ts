import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { openApiDocument, pathsOfRoute, routes } from '../src/index.js'

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
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('has no dangling references', () => {
    const places = new Set(everything.map(([at]) => at))
    const references = everything.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(references.length).toBeGreaterThan(0)
    expect(references.filter((one) => !places.has(one))).toEqual([])
  })

  it('has every endpoint at every path, each with a unique operation id', () => {
    const { paths } = document
    const operations = everything.flatMap(([, { operationId }]) =>
      typeof operationId === 'string' ? [operationId] : [],
    )
    expect(Object.keys(isObject(paths) ? paths : {}).sort()).toEqual([...new Set(routes.flatMap(pathsOfRoute))].sort())
    expect(operations.length).toBeGreaterThanOrEqual(routes.flatMap(pathsOfRoute).length)
    expect(new Set(operations).size).toBe(operations.length)
  })

  it('describes every property', () => {
    const properties = everything.flatMap(([at, { properties: all }]) =>
      isObject(all) ? Object.entries(all).map(([name, schema]) => ({ at: `${at}/${name}`, schema })) : [],
    )
    const silent = properties.filter(
      ({ schema }) => !isObject(schema) || (schema.description === undefined && schema.$ref === undefined),
    )
    expect(properties.length).toBeGreaterThan(500)
    expect(silent.map(({ at }) => at)).toEqual([])
  })

  it('describes every endpoint, and has an example of each body', () => {
    const operations = everything.filter(([, { operationId }]) => operationId !== undefined)
    const silent = operations.filter(([, { description }]) => typeof description !== 'string' || description === '')
    expect(silent.map(([at]) => at)).toEqual([])
    const bodies = everything.filter(
      ([at]) => /paths.*requestBody\/content\/[^#]*$/.test(at) && !at.includes('/schema'),
    )
    const media = bodies.filter(([, { schema }]) => schema !== undefined)
    expect(media.length).toBeGreaterThan(40)
    expect(media.filter(([, { example }]) => example === undefined).map(([at]) => at)).toEqual([])
  })

  it('has the versions of the specification and of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(document.info).toMatchObject({ version: '1.0.0', 'x-posthorn-version': version })
  })

  it('groups endpoints by resource, in the order of the README', () => {
    const names = (document.tags as readonly { readonly name: string }[]).map(({ name }) => name)
    const used = everything.flatMap(([, { operationId, tags }]) => (operationId && Array.isArray(tags) ? tags : []))
    expect([...new Set(used.map(String))].sort()).toEqual([...names].sort())
    const named = ['Campaigns', 'Triggered emails', 'Transactional emails', 'Templates', 'Contacts', 'Subscriber lists']
    const further = ['Segments', 'Signup forms', 'Suppressions', 'Webhook', 'Statistics']
    expect(names.filter((name) => [...named, ...further].includes(name))).toEqual([...named, ...further])
  })

  const parametersOf = (id: string) => {
    const [, operation] = everything.find(([, { operationId }]) => operationId === id) ?? []
    const parameters = Array.isArray(operation?.parameters) ? (operation.parameters as readonly Json[]) : []
    return parameters.filter(isObject)
  }
  const parameter = (id: string, name: string) => parametersOf(id).find((one) => one.name === name)

  it('types numeric list parameters as bounded numbers', () => {
    expect(parameter('listCampaigns', 'limit')?.schema).toMatchObject({ type: 'integer', minimum: 1, default: 10 })
    expect(parameter('listCampaigns', 'skip')?.schema).toMatchObject({ type: 'integer', minimum: 0, default: 0 })
    const numbers = everything.filter(
      ([, { name, in: place, description }]) =>
        place === 'query' &&
        (name === 'limit' || name === 'skip') &&
        description !== 'Accepted and ignored: this list has no pages',
    )
    const unbounded = numbers.filter(([, { schema }]) => !JSON.stringify(schema).includes('"maximum":999999999999999'))
    expect(numbers.length).toBeGreaterThan(30)
    expect(unbounded.map(([at]) => at)).toEqual([])
  })

  it('has a parameter for each field that a list can be filtered by', () => {
    expect(parameter('listCampaigns', 'filter[status]')?.schema).toMatchObject({
      enum: ['draft', 'archive', 'scheduled', 'being-sent', 'sent', 'error'],
    })
    expect(parameter('listCampaigns', 'sort')?.schema).toMatchObject({ enum: expect.arrayContaining(['createdAt']) })
    expect(parameter('listCampaigns', 'filter[excludeUnengaged]')?.schema).toMatchObject({ type: 'boolean' })
    expect(parameter('listContacts', 'filter[subscriberListId]')?.schema).toMatchObject({ type: 'string' })
    expect(parameter('listSubscribers', 'filter[email]')?.schema).toMatchObject({ type: 'string' })
    expect(parameter('listCampaignRecipients', 'filter[opened]')?.schema).toMatchObject({ type: 'boolean' })
    expect(everything.filter(([, { name }]) => name === 'filter')).toEqual([])
  })

  it('requires no body field that has a default, and states the default', () => {
    const schemas = (document.components as { readonly schemas: { readonly [name: string]: Json } }).schemas
    const of = (name: string) =>
      schemas[name] as { required: string[]; properties: Record<string, { description: string }> }
    expect(of('CampaignFields').required).not.toContain('status')
    expect(of('CampaignFields').properties.status?.description).toContain('Default: `"draft"`')
    expect(of('Campaign').required).toContain('status')
    const inBodies = everything.filter(([at, one]) => one.default !== undefined && !at.includes('/parameters/'))
    expect(inBodies.map(([at]) => at)).toEqual([])
  })

  it('states what a scheduled campaign needs', () => {
    expect(JSON.stringify(document)).toContain('`scheduled` sends it at `scheduledTo`, which is then required')
  })

  it('lists the required fields of sends', () => {
    const text = JSON.stringify(document)
    expect(text).toContain('"required":["email","transactionalId"]')
    expect(text).toContain('"required":["triggeredId"]')
  })

  it('has only patterns that every generator can read', () => {
    const patterns = everything.flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : []))
    expect(patterns.length).toBeGreaterThan(10)
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\\[pPdDwWsSbBu0]|\(\?[=!<]/)
      expect(() => new RegExp(pattern, 'u')).not.toThrow()
    }
  })

  it('describes every parameter', () => {
    const parameters = everything.filter(([, one]) => typeof one.in === 'string' && typeof one.name === 'string')
    expect(parameters.length).toBeGreaterThan(100)
    expect(parameters.filter(([, { description }]) => description === undefined).map(([at]) => at)).toEqual([])
  })
})
