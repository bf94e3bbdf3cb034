import { violations, WebhookEvent } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { alwaysPossible, errors } from '../errors.js'
import { exampleOf, parametersOf } from '../examples/index.js'
import { idempotency } from '../idempotency-key.js'
import { downloadTypesOf } from '../response.js'
import { browserAccessOf, keysOf, pathsOf, type Route, takesKey } from '../route.js'
import { resourceOf, resources } from '../routes/index.js'
import { version } from '../version.js'
import { pathParametersOf, queryParametersOf } from './parameters.js'
import { readableByTools } from './schemas.js'

const statusOf = (status: number) => z.literal(status).meta({ description: 'The status of the answer, once more' })
const envelope = (status: number, result: z.ZodType) =>
  z.object({
    status: statusOf(status),
    // A schema with an id is described under it; another description would create a second schema.
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

/** Error responses by kind, defined once under the name of the error; operations refer to them. */
const failures = new Map<string, ZodOpenApiResponseObject>(
  Object.entries(errors).map(([kind, { status, name, meaning }]) => [
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
        ...(takesKey(row) && { headers: idempotency.answer }),
        content: { 'application/json': { schema: envelope(status, view) } },
      }
}

type Security = NonNullable<ZodOpenApiOperationObject['security']>

/**
 * One requirement per scope: a key with any of them suffices (OpenAPI 3.1, "Security Requirement Object": a single array requires all of
 * its roles).
 */
const byKey = (row: Route): Security => ['full', ...keysOf(row)].map((scope) => ({ apiKey: [scope] }))

/** No scheme stands for an Origin, because it is no credential. */
const security: Readonly<Record<Route['auth'], (row: Route) => Security>> = {
  'api-key': byKey,
  'api-key-or-origin': (row) => [...byKey(row), {}],
  'api-key-or-jwt': (row) => [...byKey(row), { operatorToken: [] }],
  origin: () => [],
  token: () => [],
  none: () => [],
}

/** Which pages may call a row besides holders of a key, by the lowest `browserAccess` that admits them. */
const openToPages = {
  full: 'Pages of a whitelisted Origin may call it where the project’s `browserAccess` is `full`.',
  'subscribe-only':
    'Pages of a whitelisted Origin may call it where the project’s `browserAccess` is `full` or `subscribe-only`.',
}

/** Markdown: the description of the example, then which pages may call the row. */
const descriptionOf = (row: Route): string => {
  const pages = browserAccessOf(row)
  return [exampleOf(row.id)?.description, pages && openToPages[pages]].filter(Boolean).join('\n\n')
}

const bodyContentOf = (row: Route, schema: z.ZodType): ZodOpenApiRequestBodyObject['content'] => {
  const body = exampleOf(row.id)?.body
  const media = { schema, ...(body !== undefined && { example: body }) }
  return row.upload
    ? { 'multipart/form-data': { ...media, encoding: { [row.upload.part]: { contentType: row.upload.types } } } }
    : { 'application/json': media }
}

const operation = (row: Route, path: string, spelling: number): ZodOpenApiOperationObject => {
  const kinds = [
    ...row.fails,
    ...(takesKey(row) ? (['duplicate'] as const) : []),
    ...(row.body ? (['too-large', 'too-slow'] as const) : []),
    ...alwaysPossible,
  ]
  const samples = parametersOf(row)
  const query = queryParametersOf(row, samples)
  return {
    operationId: spelling === 0 ? row.id : `${row.id}Legacy`,
    summary: row.summary,
    description: descriptionOf(row),
    tags: [resourceOf(row.id)],
    security: [...security[row.auth](row), ...(row.preferences ? [{ preferencesToken: [] }] : [])],
    requestParams: {
      path: pathParametersOf(path, samples),
      ...(query && { query }),
      ...(takesKey(row) && { header: idempotency.request }),
    },
    ...(row.body && {
      requestBody: { required: violations(row.body, {}).length > 0, content: bodyContentOf(row, row.body) },
    }),
    responses: {
      [String(row.success[0])]: successOf(row),
      ...Object.fromEntries(kinds.map((kind) => [String(errors[kind].status), failures.get(kind)])),
    },
  } as ZodOpenApiOperationObject
}

const EventHeaders = z.object({
  'webhook-id': z
    .string()
    .meta({ description: 'The same whenever the same event, or the same events together, are posted again' }),
  'webhook-timestamp': z.string().meta({ description: 'When it was posted, in seconds since 1970' }),
  'webhook-signature': z.string().meta({
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes of a `whsec_` secretKey, or with the text of an API key',
  }),
})

const id = z.string().meta({ description: 'What `webhook-id` is for an event that is posted alone' })

/** A union of objects, not an intersection: some client generators cannot read an `allOf` of a `oneOf`. */
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
      .meta({ description: 'Each with its `id`: one that you have seen is the same event' }),
  })
  .meta({ id: 'WebhookBatch', description: 'Several events, where the webhook asks for `batches`' })

/** The requests that the server posts to a project's webhook, as OpenAPI webhooks. */
const webhooks: ZodOpenApiPathsObject = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Something happened to a mail or to a subscription: posted to the webhook of the project',
      tags: ['Webhook'],
      description:
        'What the server asks of your webhook, in the manner of Standard Webhooks: check the signature, answer any 2xx, and do the work later.',
      security: [{ apiKey: [] }],
      requestParams: { header: EventHeaders },
      requestBody: { required: true, content: { 'application/json': { schema: z.union([WebhookEvent, Batch]) } } },
      responses: { '2XX': { description: 'The event was taken; after any other answer it is posted again' } },
    },
  },
}

const introduction = `E-mail delivery and audience management.

Every answer is \`{ "status", "result" }\`, every failure \`{ "status", "error": { "name", "message" } }\` with a message
for the person who made the request. Almost everything belongs to a project: authorize with one of its API keys.`

/** Builds the OpenAPI 3.1 document from the rows. `mount` is the path prefix of the server. */
export const openApiDocument = (routes: readonly Route[], mount = ''): object => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const row of routes)
    pathsOf(row).forEach((path, spelling) => {
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
    tags: resources.map(({ name, description }) => ({ name, description })),
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
  return readableByTools(JSON.parse(JSON.stringify(document))) as object
}
