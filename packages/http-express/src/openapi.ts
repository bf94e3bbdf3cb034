import { violations } from '@posthorn/core'
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { errors } from './errors.js'
import { pathsOf, type Route } from './route.js'

const envelope = (status: number, result: z.ZodType) => z.object({ status: z.literal(status), result })
const failureOf = (status: number, name: string) =>
  z.object({ status: z.literal(status), error: z.object({ name: z.literal(name), message: z.string() }) })

const parametersOf = (path: string) =>
  z.object(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()])))

const takesQuery = (query: z.ZodType | undefined): query is z.ZodObject =>
  query instanceof z.ZodObject && Object.keys(query.shape).length > 0

const everyFailure = ['too-many', 'unexpected'] as const

const operation = (row: Route, path: string, spelling: number): ZodOpenApiOperationObject => {
  const [status, view] = row.success
  const failures = [...new Set([...row.fails, ...(row.body ? (['too-large'] as const) : []), ...everyFailure])]
  return {
    operationId: spelling === 0 ? row.id : `${row.id}Legacy`,
    summary: row.summary,
    tags: [path.split('/')[2] === 'projectId' ? (path.split('/')[4] ?? 'project') : (path.split('/')[2] ?? '')],
    security: row.auth === 'api-key' ? [{ apiKey: [] }] : row.auth === 'api-key-or-origin' ? [{ apiKey: [] }, {}] : [],
    requestParams: { path: parametersOf(path), ...(takesQuery(row.query) && { query: row.query }) },
    ...(row.body && {
      requestBody: {
        required: violations(row.body, {}).length > 0,
        content: { 'application/json': { schema: row.body } },
      },
    }),
    responses: {
      [String(status)]: { description: 'Success', content: { 'application/json': { schema: envelope(status, view) } } },
      ...Object.fromEntries(
        failures.map((kind) => [
          String(errors[kind].status),
          {
            description: errors[kind].meaning,
            content: { 'application/json': { schema: failureOf(errors[kind].status, errors[kind].name) } },
          },
        ]),
      ),
    },
  } as ZodOpenApiOperationObject
}

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
      description: 'E-mail delivery and audience management',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the project' } },
    },
    paths: paths as ZodOpenApiPathsObject,
  })
}
