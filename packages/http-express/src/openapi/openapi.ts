import { violationSentences, WebhookEvent } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { alwaysPossibleErrors, httpErrorsByKind } from '../errors.js'
import { exampleOfOperation, exampleParametersOf } from '../examples/index.js'
import { idempotencyHeaders } from '../idempotency-key.js'
import { downloadTypesOf } from '../response.js'
import { browserAccessNeededFor, keyScopesOfRoute, pathsOfRoute, type Route, takesIdempotencyKey } from '../route.js'
import { resourceOfOperation, routesByResource } from '../routes/index.js'
import { version } from '../version.js'
import { pathParametersOf, queryParametersOf } from './parameters.js'
import { portableJsonSchema } from './schemas.js'

const statusOf = (status: number) => z.literal(status).meta({ description: 'The HTTP status of the response' })
const envelope = (status: number, result: z.ZodType) =>
  z.object({
    status: statusOf(status),
    // Another description would create a second schema.
    result: result.meta()?.id === undefined ? result.describe(result.description ?? 'The result') : result,
  })
const Violations = z
  .array(
    z.object({
      field: z
        .string()
        .meta({ description: 'Path of the value, such as `groups[0].name`; empty for the whole request' }),
      message: z.string().meta({ description: 'What is wrong with the value' }),
    }),
  )
  .optional()
  .meta({ description: 'The violations of the message, for programs; at most 20' })

const failureOf = (status: number, name: string) =>
  z.object({
    status: statusOf(status),
    error: z
      .object({
        name: z.literal(name).meta({ description: 'The kind of the error, for programs' }),
        message: z
          .string()
          .meta({ description: 'What is wrong, for people; several violations are separated by `; `' }),
        ...(name === httpErrorsByKind.invalid.name && { violations: Violations }),
      })
      .meta({ description: 'The error' }),
  })

/** Under the name of the error. */
const failures = new Map<string, ZodOpenApiResponseObject>(
  Object.entries(httpErrorsByKind).map(([kind, { status, name, meaning }]) => [
    kind,
    { id: name, description: meaning, content: { 'application/json': { schema: failureOf(status, name) } } },
  ]),
)

const successOf = ({ success: [status, view], ...row }: Pick<Route, 'success' | 'method' | 'auth'>) => {
  const fileTypes = downloadTypesOf(view)
  return fileTypes.length > 0
    ? {
        description: 'The file, as an attachment',
        content: Object.fromEntries(fileTypes.map((type) => [type, { schema: z.string() }])),
      }
    : {
        description: 'Success',
        ...(takesIdempotencyKey(row) && { headers: idempotencyHeaders.answer }),
        content: { 'application/json': { schema: envelope(status, view) } },
      }
}

type Security = NonNullable<ZodOpenApiOperationObject['security']>

/** Any of the scopes suffices (OpenAPI 3.1). */
const byKey = (row: Route): Security => keyScopesOfRoute(row).map((scope) => ({ apiKey: [scope] }))

/** An Origin is no credential. */
const security: Readonly<Record<Route['auth'], (row: Route) => Security>> = {
  'api-key': byKey,
  'api-key-or-origin': (row) => [...byKey(row), {}],
  'api-key-or-jwt': (row) => [...byKey(row), { operatorToken: [] }],
  origin: () => [],
  token: () => [],
  none: () => [],
  person: () => [],
  operator: () => [],
  console: () => [],
}

const openToPages = {
  full: 'Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full`.',
  'subscribe-only':
    'Pages of a whitelisted Origin may call it if the project’s `browserAccess` is `full` or `subscribe-only`.',
}

const descriptionOf = (row: Route): string => {
  const pages = browserAccessNeededFor(row)
  return [exampleOfOperation(row.id)?.description, pages && openToPages[pages]].filter(Boolean).join('\n\n')
}

/** The same rows, one per line. */
const ndjsonOf = (rows: string, body: Readonly<Record<string, unknown>> = {}) => ({
  schema: z.string().meta({ description: 'One row per line' }),
  example: [body[rows] ?? []]
    .flat()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join(''),
})

const bodyContentOf = (row: Route, schema: z.ZodType): ZodOpenApiRequestBodyObject['content'] => {
  const body = exampleOfOperation(row.id)?.body
  const media = { schema, ...(body !== undefined && { example: body }) }
  return row.upload
    ? { 'multipart/form-data': { ...media, encoding: { [row.upload.part]: { contentType: row.upload.types } } } }
    : { 'application/json': media, ...(row.bulkField && { 'application/x-ndjson': ndjsonOf(row.bulkField, body) }) }
}

const operation = (row: Route, path: string, spelling: number): ZodOpenApiOperationObject => {
  const kinds = [
    ...row.fails,
    ...(takesIdempotencyKey(row) ? (['duplicate'] as const) : []),
    ...(row.body ? (['too-large', 'too-slow'] as const) : []),
    ...alwaysPossibleErrors,
  ]
  const samples = exampleParametersOf(row)
  const query = queryParametersOf(row, samples)
  return {
    operationId: spelling === 0 ? row.id : `${row.id}Legacy`,
    summary: spelling === 0 ? row.summary : `${row.summary} (legacy path)`,
    description: descriptionOf(row),
    tags: [resourceOfOperation(row.id)],
    ...(row.hasEffect && { 'x-has-effect': true }),
    security: [...security[row.auth](row), ...(row.preferences ? [{ preferencesToken: [] }] : [])],
    requestParams: {
      path: pathParametersOf(path, samples),
      ...(query && { query }),
      ...(takesIdempotencyKey(row) && { header: idempotencyHeaders.request }),
    },
    ...(row.body && {
      requestBody: { required: violationSentences(row.body, {}).length > 0, content: bodyContentOf(row, row.body) },
    }),
    responses: {
      [String(row.success[0])]: successOf(row),
      ...Object.fromEntries(kinds.map((kind) => [String(httpErrorsByKind[kind].status), failures.get(kind)])),
    },
  } as ZodOpenApiOperationObject
}

const EventHeaders = z.object({
  'webhook-id': z
    .string()
    .meta({ description: 'Stays the same when the event, or the batch of events, is posted again' }),
  'webhook-timestamp': z.string().meta({ description: 'Time of the post, in seconds since 1970' }),
  'webhook-signature': z.string().meta({
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes of a `whsec_` secretKey, or with the text of an API key',
  }),
})

const id = z.string().meta({ description: 'The `webhook-id` that the event has if it is posted alone' })

/** Some client generators cannot read an `allOf` of a `oneOf`. */
const BatchedEvent = z.union(
  WebhookEvent.options.map((event) =>
    event.extend({ id }).meta({ id: `${event.meta()?.id}InBatch`, description: event.meta()?.description ?? '' }),
  ),
)

const Batch = z
  .object({
    events: z
      .array(BatchedEvent)
      .min(1)
      .max(100)
      .meta({ description: 'The events. If you have seen an `id` before, it is the same event' }),
  })
  .meta({ id: 'WebhookBatch', description: 'Several events in one post, if the webhook has `batches` enabled' })

const webhooks: ZodOpenApiPathsObject = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Receive an event of a mail or a subscription',
      tags: ['Webhook'],
      description:
        'The server posts this to your webhook, as Standard Webhooks specifies: check the signature, respond with any 2xx, and process the event later.',
      security: [{ apiKey: [] }],
      requestParams: { header: EventHeaders },
      requestBody: { required: true, content: { 'application/json': { schema: z.union([WebhookEvent, Batch]) } } },
      responses: { '2XX': { description: 'The event was accepted; after any other response it is posted again' } },
    },
  },
}

const introduction = `E-mail delivery and audience management.

Every success is \`{ "status", "result" }\`, every failure \`{ "status", "error": { "name", "message" } }\` with a message
for people. Almost everything belongs to a project: authorize with one of its API keys.`

/** `mount` is the server's path prefix. */
export const openApiDocument = (routes: readonly Route[], mount = ''): object => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const row of routes)
    pathsOfRoute(row).forEach((path, spelling) => {
      paths[path] = { ...paths[path], [row.method]: operation(row, path, spelling) }
    })
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: '1.0.0',
      'x-posthorn-version': version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: mount === '' ? '/' : mount, description: 'This server' }],
    tags: routesByResource.map(({ name, description }) => ({ name, description })),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the project with the named scope or `full`',
        },
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A JWT of an admin or of the account’s owner, created by `posthorn token`: HS256 with a key derived from the server’s secret',
        },
        preferencesToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a preferences link: gives access to the data of the address that the mail went to',
        },
      },
    },
    paths: paths as ZodOpenApiPathsObject,
    webhooks,
  })
  return portableJsonSchema(JSON.parse(JSON.stringify(document))) as object
}
