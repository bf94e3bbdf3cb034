import { type Core, forbidden, invalid, parsed, type Scope, violations } from '@posthorn/core'
import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { readBody } from './body.js'
import { Download, downloadTypeOf, sendDownload } from './download.js'
import { admitsOrigin, type ParamsOf, type Query, type Route } from './route.js'
import { readUpload } from './upload.js'

/** What an endpoint needs beside its row. */
export type EndpointDeps = {
  readonly core: Core
  readonly publicUrl: string
  /** The largest file that is taken, in bytes. */
  readonly maxUpload: number
}

const standardBody = 1024 * 1024

/** RFC 6750 section 2.1. */
export const bearerOf = ({ headers }: Request): string | undefined =>
  /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]

/** The project that a request is about, by its path or by what the row knows of its ids. */
export const projectOf = async (
  core: Core,
  row: Route,
  params: Readonly<Record<string, string>>,
): Promise<string | undefined> => params.projectId ?? row.projectOf?.(core, params as ParamsOf<string>)

const Params = z.record(z.string(), z.string())

const nobody: Scope = { projectId: '', via: 'origin' }

const scopeOf = async (
  core: Core,
  row: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Scope> => {
  if (row.auth === 'none' || row.auth === 'token') return nobody
  const bearer = bearerOf(request)
  if (params.projectId === undefined && !row.projectOf) return core.access.byKey(bearer)
  if (!bearer && row.auth === 'api-key') throw forbidden()
  const project = await projectOf(core, row, params)
  const { origin } = request.headers
  if (row.auth === 'origin') return core.access.byOrigin(project, origin)
  return core.access.authorize(
    project,
    { bearer, origin },
    {
      origin: admitsOrigin(row),
      operator: row.auth === 'api-key-or-jwt',
      preferences: row.preferences === true,
    },
  )
}

const bodyOf = async (row: Route, request: Request, response: Response, maxUpload: number): Promise<unknown> => {
  if (!row.body) return undefined
  if (row.upload) return readUpload(request, response, row.upload.part, maxUpload)
  return readBody(request, response, row.maxBody ?? standardBody)
}

/** The query as the row reads it. Where it is wrong, the body's violations are told with it. @throws Refusal `invalid` */
const queryOf = (row: Route, request: Request, body: unknown): unknown => {
  const schema = row.query as z.ZodType
  const wrong = violations(schema, request.query)
  if (wrong.length === 0) return schema.parse(request.query)
  throw invalid(...wrong, ...(row.body ? violations(row.body, body ?? {}) : []))
}

/** The same URL on the public base, one page on; null on the last page. */
const nextOf = (publicUrl: string, request: Request, { skip, limit }: Query, count: number): string | null => {
  if (skip + limit >= count) return null
  const url = new URL(request.originalUrl, publicUrl)
  url.searchParams.set('skip', String(skip + limit))
  return `${publicUrl}${url.pathname}${url.search}`
}

/** What Express runs for a row: who, what, the use case, the envelope. */
export const endpoint = ({ core, publicUrl, maxUpload }: EndpointDeps, row: Route): RequestHandler => {
  const [status, view] = row.success
  const fileType = downloadTypeOf(view)
  return async (request: Request, response: Response): Promise<void> => {
    const params = parsed(Params, request.params)
    const scope = await scopeOf(core, row, request, params)
    const body = await bodyOf(row, request, response, maxUpload)
    const query = queryOf(row, request, body)
    const result = await row.run(core, { scope, params: params as ParamsOf<string>, query, body: body ?? {} })
    if (fileType) return sendDownload(response, fileType, Download.parse(result))
    const shown = row.paginated
      ? { ...(result as object), next: nextOf(publicUrl, request, query as Query, (result as { count: number }).count) }
      : (result ?? null)
    response.status(status).json({ status, result: shown })
  }
}
