import { violations } from '@posthorn/core'
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { downloadTypeOf } from './download.js'
import { alwaysPossible, errors } from './errors.js'
import { webhooks } from './openapi-webhooks.js'
import { browserAccessOf, keysOf, pathsOf, type Route, takesKey } from './route.js'

const statusOf = (status: number) => z.literal(status).meta({ description: 'The status of the answer, once more' })
const envelope = (status: number, result: z.ZodType) =>
  z.object({
    status: statusOf(status),
    // What has an id is described under it; a second description would make a second schema of it.
    result: result.meta()?.id === undefined ? result.describe(result.description ?? 'What was asked for') : result,
  })
const failureOf = (status: number, name: string) =>
  z.object({
    status: statusOf(status),
    error: z
      .object({
        name: z.literal(name).meta({ description: 'The kind of the error, for programs' }),
        message: z.string().meta({ description: 'What is wrong, for people; several violations are joined by `; `' }),
      })
      .meta({ description: 'Why there is no result' }),
  })

/** Described once, by the name of the error; operations refer to it. */
const failures = new Map<string, ZodOpenApiResponseObject>(
  Object.entries(errors).map(([kind, { status, name, meaning }]) => [
    kind,
    { id: name, description: meaning, content: { 'application/json': { schema: failureOf(status, name) } } },
  ]),
)

/** What stands in paths. */
const pathParameters: Readonly<Record<string, string>> = {
  projectId: 'Id of the project',
  subscriberListId: 'Id of the subscriber list',
  domainId: 'Id of the domain',
  identityId: 'Id of the sender identity',
  email: 'E-mail address, percent-encoded',
  name: 'API name of the custom field',
}

const parametersOf = (path: string) =>
  z.object(
    Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
        name,
        z.string().meta({ description: pathParameters[name] ?? 'Id of the record' }),
      ]),
    ),
  )

const takesQuery = (query: z.ZodType | undefined): query is z.ZodObject =>
  query instanceof z.ZodObject && Object.keys(query.shape).length > 0

/** What the keys of the spec's standard list query mean, and how `filter[field]` is spelled in a URL. */
const standardKeys: Readonly<Record<string, object>> = {
  limit: { description: 'How many items; more than 30 are taken as 30' },
  skip: { description: 'How many items to leave out before the first' },
  sort: { description: 'A field of the items that is neither an array nor an object' },
  order: { description: 'Of the field to sort by; the newest come first where nothing is asked' },
  filter: {
    description:
      '`filter[field]=value`: items whose field is exactly this, or contains it. Several have to hold together.',
    style: 'deepObject',
    explode: true,
  },
}

const described = ({ shape }: z.ZodObject) =>
  z.object(
    Object.fromEntries(
      Object.entries(shape as Readonly<Record<string, z.ZodType>>).map(([key, type]) => [
        key,
        type.meta({ ...type.meta(), param: standardKeys[key] ?? {} }),
      ]),
    ),
  )

/** What a POST of a project takes and says beside its body, once for all of them (gaps.md, "Sends"). */
const idempotency = {
  request: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x20-\x7e]+$/)
      .optional()
      .meta({
        description:
          'Of your own making, for 24 hours: the same key and body get the first answer again, and nothing is done twice',
        example: 'order-4711-receipt',
      }),
  }),
  answer: z.object({
    'Idempotency-Replayed': z
      .literal('true')
      .optional()
      .meta({ description: 'The answer is that of an earlier request with the same Idempotency-Key' }),
  }),
}

const successOf = ({ success: [status, view], ...row }: Pick<Route, 'success' | 'method' | 'auth'>) => {
  const fileType = downloadTypeOf(view)
  return fileType
    ? { description: 'The file, as an attachment', content: { [fileType]: { schema: z.string() } } }
    : {
        description: 'Success',
        ...(takesKey(row) && { headers: idempotency.answer }),
        content: { 'application/json': { schema: envelope(status, view) } },
      }
}

type Security = NonNullable<ZodOpenApiOperationObject['security']>

/** A key of any of these scopes (OpenAPI 3.1, "Security Requirement Object": all roles of one array are needed). */
const byKey = (row: Route): Security => ['full', ...keysOf(row)].map((scope) => ({ apiKey: [scope] }))

/** An Origin is nothing that a client could be given, so it stands for no scheme. */
const security: Readonly<Record<Route['auth'], (row: Route) => Security>> = {
  'api-key': byKey,
  'api-key-or-origin': (row) => [...byKey(row), {}],
  'api-key-or-jwt': (row) => [...byKey(row), { operatorToken: [] }],
  origin: () => [],
  token: () => [],
  none: () => [],
}

/** Which pages may call it beside those who hold a key, by the least `browserAccess` that lets them. */
const openToPages = {
  full: 'Pages of a whitelisted Origin may call it where the project’s `browserAccess` is `full`.',
  'subscribe-only':
    'Pages of a whitelisted Origin may call it where the project’s `browserAccess` is `full` or `subscribe-only`.',
}

const operation = (row: Route, path: string, spelling: number): ZodOpenApiOperationObject => {
  const kinds = [
    ...row.fails,
    ...(takesKey(row) ? (['duplicate'] as const) : []),
    ...(row.body ? (['too-large', 'too-slow'] as const) : []),
    ...alwaysPossible,
  ]
  return {
    operationId: spelling === 0 ? row.id : `${row.id}Legacy`,
    summary: row.summary,
    ...(browserAccessOf(row) && { description: openToPages[browserAccessOf(row) ?? 'full'] }),
    tags: [path.split('/')[2] === 'projectId' ? (path.split('/')[4] ?? 'project') : (path.split('/')[2] ?? '')],
    security: [...security[row.auth](row), ...(row.preferences ? [{ preferencesToken: [] }] : [])],
    requestParams: {
      path: parametersOf(path),
      ...(takesQuery(row.query) && { query: described(row.query) }),
      ...(takesKey(row) && { header: idempotency.request }),
    },
    ...(row.body && {
      requestBody: {
        required: violations(row.body, {}).length > 0,
        content: row.upload
          ? {
              'multipart/form-data': {
                schema: row.body,
                encoding: { [row.upload.part]: { contentType: row.upload.types } },
              },
            }
          : { 'application/json': { schema: row.body } },
      },
    }),
    responses: {
      [String(row.success[0])]: successOf(row),
      ...Object.fromEntries(kinds.map((kind) => [String(errors[kind].status), failures.get(kind)])),
    },
  } as ZodOpenApiOperationObject
}

const introduction = `E-mail delivery and audience management.

Every answer is \`{ "status", "result" }\`, every failure \`{ "status", "error": { "name", "message" } }\` with a message
for the person who made the request. Almost everything belongs to a project: authorize with one of its API keys.`

/** The API's description, OpenAPI 3.1, read from the rows. */
export const openApiDocument = (routes: readonly Route[]): object => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const row of routes)
    pathsOf(row).forEach((path, spelling) => {
      paths[path] = { ...paths[path], [row.method]: operation(row, path, spelling) }
    })
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: '1.0.0',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the project, with the scope that is named, or `full`',
        },
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'Of an admin or of the account’s owner: made by `posthorn token`; HS256 with a key derived from the server’s secret',
        },
        preferencesToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a preferences link: opens what is about the address that the mail went to',
        },
      },
    },
    paths: paths as ZodOpenApiPathsObject,
    webhooks,
  })
}
