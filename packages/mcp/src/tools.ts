import { keyScopesOfRoute, openApiDocument, routes } from '@posthorn/http-express'
import type { Tool } from '#sdk/types.js'

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

type Parameter = {
  readonly in: string
  readonly name: string
  readonly description?: string
  readonly schema: Schema
  readonly required?: boolean
}

type Media = Readonly<Record<string, { readonly schema: Schema }>>

type Operation = {
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Media }
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>
}

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

type Row = (typeof routes)[number]

/** How a tool's arguments become a request. `place` says where each argument goes; others are refused. */
export type ApiTool = {
  readonly tool: Tool
  readonly method: string
  readonly path: string
  readonly place: ReadonlyMap<string, 'path' | 'query' | 'body' | 'whole body' | 'idempotency key'>
  readonly required: readonly string[]
  readonly hasBody: boolean
  /** API key scopes that may call it. */
  readonly scopes: readonly string[]
  readonly changes: boolean
}

const project = '/v1/projectId/{projectId}'

/** `listCampaigns` is `list_campaigns`. */
export const toolNameOf = (id: string): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const refPrefix = '#/components/schemas/'

const refsIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name)

const definitionsFor = (schema: unknown, schemas: Document['components']['schemas']): Record<string, Schema> => {
  const definitions: Record<string, Schema> = {}
  const waiting = [...refsIn(schema)]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const definition = schemas[name]
    if (!definition || definitions[name]) continue
    definitions[name] = definition
    waiting.push(...refsIn(definition))
  }
  return definitions
}

/** References point into the tool's own `$defs`. */
const selfContained = (schema: object, schemas: Document['components']['schemas']): Tool['inputSchema'] => {
  const definitions = definitionsFor(schema, schemas)
  const whole = { type: 'object', ...schema, ...(Object.keys(definitions).length > 0 && { $defs: definitions }) }
  return JSON.parse(JSON.stringify(whole).replaceAll(refPrefix, '#/$defs/'))
}

/** A GET that no reading key may call changes something; a POST with a reading permission only computes. */
const changesOf = ({ method, permission }: Row, scopes: readonly string[]): boolean =>
  !(method === 'get' && scopes.includes('read')) && !permission.endsWith('.read')

/** Campaigns send when saved as scheduled. */
const mayDestroy = ({ id, method, permission }: Row): boolean =>
  method === 'delete' ||
  permission === 'emails.send' ||
  permission === 'emails.test' ||
  id === 'createCampaign' ||
  id === 'updateCampaign'

const filterOf = (filters: readonly Parameter[]): Readonly<Record<string, Schema>> =>
  filters.length === 0
    ? {}
    : {
        filter: {
          type: 'object',
          description: 'Only items with these values',
          properties: Object.fromEntries(filters.map(({ name, schema }) => [name.slice('filter['.length, -1), schema])),
          additionalProperties: false,
        } as Schema,
      }

const idempotencyKey: Schema = {
  type: 'string',
  description: 'Repeating the call with the same key and arguments within 24 hours does nothing again',
}

const toolOf = (row: Row, operation: Operation, schemas: Document['components']['schemas']): ApiTool => {
  const { parameters = [], requestBody, description = '' } = operation
  const inPath = parameters.filter((one) => one.in === 'path' && one.name !== 'projectId')
  const inQuery = parameters.filter((one) => one.in === 'query')
  const filters = inQuery.filter(({ name }) => name.startsWith('filter['))
  const query: Readonly<Record<string, Schema>> = {
    ...Object.fromEntries(
      inQuery
        .filter((one) => !filters.includes(one))
        .map(({ name, schema, description: said }) => [
          name,
          said === undefined ? schema : { ...schema, description: said },
        ]),
    ),
    ...filterOf(filters),
  }
  const given = requestBody?.content['application/json']?.schema
  const body = given?.$ref === undefined ? given : schemas[given.$ref.slice(refPrefix.length)]
  const others = new Set([...inPath.map(({ name }) => name), ...Object.keys(query), 'idempotencyKey'])
  const isFlat = body?.properties !== undefined && !Object.keys(body.properties).some((name) => others.has(name))
  const bodyProperties = isFlat ? (body.properties ?? {}) : given ? { body: given } : {}
  const takesKey = row.method === 'post'
  const required = [
    ...inPath.map(({ name }) => name),
    ...inQuery.filter((one) => one.required).map(({ name }) => name),
    ...(isFlat ? (body.required ?? []) : requestBody?.required ? ['body'] : []),
  ]
  const inputSchema = selfContained(
    {
      properties: {
        ...Object.fromEntries(
          inPath.map(({ name, schema, description: said }) => [
            name,
            { ...schema, description: said?.replace(', percent-encoded', '') },
          ]),
        ),
        ...query,
        ...bodyProperties,
        ...(takesKey && { idempotencyKey }),
      },
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    schemas,
  )
  const scopes = keyScopesOfRoute(row)
  const changes = changesOf(row, scopes)
  return {
    tool: {
      name: toolNameOf(row.id),
      title: row.summary,
      description: [row.summary, description].filter((part) => part !== '').join('. '),
      inputSchema,
      annotations: {
        title: row.summary,
        readOnlyHint: !changes,
        ...(changes && { destructiveHint: mayDestroy(row) }),
        idempotentHint: !changes || row.method === 'patch' || row.method === 'delete',
      },
    },
    method: row.method.toUpperCase(),
    path: row.path,
    place: new Map([
      ...inPath.map(({ name }) => [name, 'path'] as const),
      ...Object.keys(query).map((name) => [name, 'query'] as const),
      ...Object.keys(bodyProperties).map((name) => [name, isFlat ? 'body' : 'whole body'] as const),
      ...(takesKey ? ([['idempotencyKey', 'idempotency key']] as const) : []),
    ]),
    required: [...inPath.map(({ name }) => name)],
    hasBody: requestBody !== undefined,
    scopes,
    changes,
  }
}

const answersJson = ({ responses }: Operation): boolean =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content?.['application/json'])

let known: readonly ApiTool[] | undefined

/** For each project row that a key may call, except uploads and downloads. */
export const apiTools = (description?: object): readonly ApiTool[] => {
  known ??= (() => {
    const { paths, components } = (description ?? openApiDocument(routes)) as Document
    return routes.flatMap((row) => {
      const operation = paths[row.path]?.[row.method]
      const isOfKeys = row.path.startsWith(project) && row.auth.startsWith('api-key')
      if (!isOfKeys || !operation || row.upload || !answersJson(operation)) return []
      return [toolOf(row as Row, operation, components.schemas)]
    })
  })()
  return known
}
