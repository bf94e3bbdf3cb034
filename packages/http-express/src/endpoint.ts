import type { Hash } from 'node:crypto'
import type { Core, Scope } from '@posthorn/core'
import { forbidden } from '@posthorn/core/ports/runtime'
import { isStorableText } from '@posthorn/core/ports/storage'
import { parsed, partlyValidInput, refusalOfViolations, violationsOf } from '@posthorn/core/ports/transport'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { Admission } from './admission/admission.js'
import { bearerOf, isVisitor, type RequestPayers } from './admission/owner.js'
import { readBodyRows } from './bulk-body.js'
import { withAuditLog } from './console/audited.js'
import type { ConsoleAuthentication } from './console/console-access.js'
import { HttpRefusal } from './errors.js'
import { addFormToFingerprint, beginFingerprint, idempotencyKeyOf, onceByIdempotencyKey } from './idempotency-key.js'
import {
  hasRequestBody,
  mostUploadBodyBytesFor,
  type RequestBodyLimits,
  readJsonBody,
  readUpload,
  smallBodyLimit,
} from './request.js'
import {
  Download,
  downloadTypesOf,
  isStreamedFile,
  isStreamedList,
  jsonText,
  pageWriter,
  sendDownload,
  sendJson,
  sendStreamedFile,
  sendStreamedList,
} from './response.js'
import {
  browserAccessNeededFor,
  type ParamsOf,
  type ParsedListQuery,
  type Route,
  type RouteCall,
  type RouteCallWithInvalidInput,
  routeScopesBesidesFull,
} from './route.js'
import { isAnsweredUnavailable } from './store-watch.js'
import type { ConsoleRequest } from './visit.js'

export type EndpointDeps = {
  readonly core: Core
  readonly publicUrl: string
  readonly bodyLimits: RequestBodyLimits
  readonly maxUpload: number
  /** In bytes; the file is stored while it arrives. */
  readonly maxImport: number
  readonly admission: Admission
  readonly console: ConsoleAuthentication
  /** The row that reads what the row changes. */
  readonly reading: (row: Route) => Route | undefined
  /** In ms; then a client that stops reading is disconnected. */
  readonly stallTime: number
}

export const standardResponseStallTime = 60_000

/** From the path, or found by the row. */
export const projectOf = async (
  core: Core,
  row: Route,
  params: Readonly<Record<string, string>>,
): Promise<string | undefined> => params.projectId ?? row.projectOf?.(core, params as ParamsOf<string>)

const Params = z.record(z.string(), z.string())

/** @throws Refusal `invalid` if a store cannot hold them */
const paramsOf = (given: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.values(given).every(isStorableText) ? given : parsed(Params, given)

const nobody: Scope = { projectId: '', caller: 'origin' }

const scopeOf = async (
  core: Core,
  row: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Scope> => {
  if (row.auth === 'none' || row.auth === 'token') return nobody
  const bearer = bearerOf(request)
  const keys = routeScopesBesidesFull(row)
  if (params.projectId === undefined && !row.projectOf) return core.access.byKey(bearer, { keys })
  if (!bearer && row.auth === 'api-key') throw forbidden()
  const project = await projectOf(core, row, params)
  const { origin } = request.headers
  const needed = browserAccessNeededFor(row)
  if (needed && row.auth === 'origin') return core.access.byOrigin(project, origin, needed)
  return core.access.authorize(
    project,
    { bearer, origin },
    { keys, origin: needed, operator: row.auth === 'api-key-or-jwt', preferences: row.preferences === true },
  )
}

/** Passes the bytes on, and adds them to the fingerprint. */
async function* fingerprinted(fingerprint: Hash, fileName: string, bytes: AsyncIterable<Uint8Array>) {
  fingerprint.update(`${JSON.stringify(fileName)}\n`)
  for await (const chunk of bytes) {
    fingerprint.update(chunk)
    yield chunk
  }
}

/** The file is unused if a first request with the same `Idempotency-Key` was carried out. */
const discardUnused = async (core: Core, { upload }: Route, body: unknown): Promise<void> => {
  const received = upload?.receiver && (body as Readonly<Record<string, unknown>>)[upload.part]
  if (received) await upload.receiver?.discard(core, received as never)
}

/** Bytes of a received file that are in memory at the same time. */
const inMemory = 4 * 1024 * 1024

/** Visitors may send 16 KB. */
const bodyOf = async (
  row: Route,
  request: Request,
  response: Response,
  {
    core,
    bodyLimits,
    maxUpload,
    maxImport,
    admission: { bodies },
  }: Pick<EndpointDeps, 'core' | 'bodyLimits' | 'maxUpload' | 'maxImport' | 'admission'>,
  scope: Scope,
  owner: RequestPayers,
  fingerprint: Hash | undefined,
): Promise<unknown> => {
  const { upload } = row
  if (upload?.receiver) {
    const { receive, discard } = upload.receiver
    if (Number(request.headers['content-length'] ?? 0) > mostUploadBodyBytesFor(maxImport))
      throw new HttpRefusal('too-large', `The file is larger than ${maxImport} bytes.`)
    // Only what is in memory at a time is charged.
    return bodies.read({ request, response, owner, limit: inMemory }, () =>
      readUpload(request, response, upload.part, maxImport, {
        receive: (fileName, bytes) =>
          receive(core, scope, fileName, fingerprint ? fingerprinted(fingerprint, fileName, bytes) : bytes),
        discard: (received) => discard(core, received as never),
      }),
    )
  }
  if (upload) {
    const form = await bodies.read({ request, response, owner, limit: mostUploadBodyBytesFor(maxUpload) }, () =>
      readUpload(request, response, upload.part, maxUpload),
    )
    if (fingerprint) addFormToFingerprint(fingerprint, form)
    return form
  }
  const most = row.bulkField ? bodyLimits.bulk : row.withAttachments ? bodyLimits.withAttachments : bodyLimits.json
  const limit = isVisitor(scope) ? Math.min(smallBodyLimit, most) : most
  return bodies.read({ request, response, owner, limit }, () => {
    if (fingerprint) request.on('data', (chunk: Buffer) => fingerprint.update(chunk))
    return row.bulkField
      ? readBodyRows(request, response, limit, row.bulkField)
      : readJsonBody(request, response, limit)
  })
}

/** Rows that count as one request in the rate. */
const rowsPerRequest = 250

const weightOfRows = (rows: unknown): number =>
  Array.isArray(rows) ? Math.max(1, Math.ceil(rows.length / rowsPerRequest)) : 1

const weightOfBody = ({ bulkField, bodyWeight }: Route, body: Readonly<Record<string, unknown>>): number =>
  bulkField ? weightOfRows(body[bulkField]) : (bodyWeight?.(body) ?? 1)

/** The error also lists violations of the body. @throws Refusal `invalid` */
const queryOf = async (
  core: Core,
  row: Route,
  query: unknown,
  call: Pick<RouteCallWithInvalidInput<string, z.ZodType>, 'scope' | 'params' | 'body'>,
): Promise<unknown> => {
  const schema = row.query as z.ZodType
  const wrong = violationsOf(schema, query)
  if (wrong.length === 0) return schema.parse(query)
  const alsoWrong = row.alsoWrong ?? (() => (row.body ? violationsOf(row.body, call.body) : []))
  throw refusalOfViolations([
    ...wrong,
    ...(await alsoWrong(core, { ...call, query: partlyValidInput(schema, query) ?? {} })),
  ])
}

/** Undefined if the row needs a query. */
const readWithoutQuery = ({ query }: Route): (() => object) | undefined => {
  const { data } = (query as z.ZodType).safeParse({})
  return isPlain(data) ? () => ({ ...data }) : undefined
}

/** Whether a shallow copy shares no mutable value. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part !== 'object')

const nextOf = (
  publicUrl: string,
  request: Request,
  { skip, limit }: ParsedListQuery,
  count: number,
): string | null => {
  if (skip + limit >= count) return null
  const url = new URL(request.url, publicUrl)
  url.searchParams.set('skip', String(skip + limit))
  return `${publicUrl}${url.pathname}${url.search}`
}

/** `isLegacy`: by one of `alsoAt`. */
export type EndpointHandler = (
  request: Request,
  response: Response,
  params: Readonly<Record<string, string>>,
  isLegacy: boolean,
) => Promise<void>

type ReadRequest = {
  readonly scope: Scope
  readonly payers: RequestPayers
  /** Of a request with an `Idempotency-Key`. */
  readonly once: { readonly key: string; readonly fingerprint: Hash } | undefined
  readonly callBy: (
    scope: Scope,
  ) => RouteCall<string, z.ZodType> & { readonly params: Readonly<Record<string, string>> }
}

/** Tells who calls, charges what the call costs, and reads its body and query. */
const requestReader = (deps: EndpointDeps, row: Route) => {
  const { core } = deps
  const { ownerOf: payersOf, rate } = deps.admission
  const withoutQuery = readWithoutQuery(row)
  const isOfConsole = row.auth === 'person' || row.auth === 'operator' || row.auth === 'console'
  return async (
    request: Request,
    response: Response,
    given: Readonly<Record<string, string>>,
    isLegacy: boolean,
  ): Promise<ReadRequest> => {
    const params = paramsOf(given)
    // Rows of other callers never use it.
    const visit = isOfConsole ? deps.console.visit(request, response) : (undefined as unknown as ConsoleRequest)
    const scope = isOfConsole
      ? await deps.console.scopeOf(row, visit, params.projectId)
      : await scopeOf(core, row, request, params)
    if (scope.caller === 'api-key') rate.proven(request)
    const found = payersOf(scope, request)
    const payers = found instanceof Promise ? await found : found
    const key = idempotencyKeyOf(row, request, scope)
    const once = key === undefined ? undefined : { key, fingerprint: beginFingerprint(request) }
    const body =
      row.body && hasRequestBody(request)
        ? ((await bodyOf(row, request, response, deps, scope, payers, once?.fingerprint)) ?? {})
        : {}
    const weight = weightOfBody(row, body as Readonly<Record<string, unknown>>)
    if (weight > 1) rate.weigh(request, weight - 1)
    const query =
      withoutQuery && !request.url.includes('?')
        ? withoutQuery()
        : await queryOf(core, row, request.query, { scope, params, body })
    return { scope, payers, once, callBy: (inside) => ({ scope: inside, params, body, query, isLegacy, visit }) }
  }
}

/** Carries a call out, once for each `Idempotency-Key`, and records changes in the audit log. */
const callRunner = ({ core, reading }: EndpointDeps, row: Route) => {
  const [, view] = row.success
  const recorded = withAuditLog(core, row, reading(row))
  const run = (call: ReturnType<ReadRequest['callBy']>) => recorded(core, call, () => row.run(core, call))
  return async ({ scope, once, callBy }: ReadRequest, response: Response): Promise<unknown> => {
    if (!once) return run(callBy(scope))
    let isRun = false
    const shownIn = async (inside: Scope) => {
      isRun = true
      return view.parse((await run(callBy(inside))) ?? null)
    }
    const made = row.made && (async (inside: Scope) => row.made?.(core, callBy(inside)))
    try {
      return await onceByIdempotencyKey(core, response, scope, { ...once, operation: row.id, run: shownIn, made })
    } finally {
      if (!isRun) await discardUnused(core, row, callBy(scope).body)
    }
  }
}

export const endpointHandler = (deps: EndpointDeps, row: Route): EndpointHandler => {
  const { publicUrl, stallTime } = deps
  const { answers, largeLists, work, lists, streams } = deps.admission
  const [status, view] = row.success
  const [fileType] = downloadTypesOf(view)
  const writePage = row.paginated && pageWriter(view)
  const isRead = row.method === 'get'
  const read = requestReader(deps, row)
  const carryOut = callRunner(deps, row)
  return async (request, response, given, isLegacy) => {
    const asked = await read(request, response, given, isLegacy)
    const { scope, payers, callBy } = asked
    const name = `${row.id} ${scope.projectId}`
    const expectAnswer = () => answers.take(response, payers, isRead ? largeLists.sizeOf(name) : 0)
    let charge = row.paginated ? undefined : expectAnswer()
    const list = async () => {
      charge = expectAnswer()
      await largeLists.turn(name)
      return carryOut(asked, response)
    }
    const result = await work(response, payers, () =>
      row.paginated ? lists(response, payers, list) : carryOut(asked, response),
    )
    const streamed = (send: () => Promise<void>) => {
      response.setTimeout(stallTime, () => response.destroy())
      return streams(response, payers, send)
    }
    if (isAnsweredUnavailable(response)) return
    if (isStreamedFile(result)) return streamed(() => sendStreamedFile(response, result))
    if (fileType) {
      const file = Download.parse(result)
      charge?.(Buffer.byteLength(file.content))
      return sendDownload(response, fileType, file)
    }
    if (isStreamedList(result)) return streamed(() => sendStreamedList(response, status, view, result))
    const paged = () => {
      const page = result as { readonly items: readonly unknown[]; readonly count: number }
      return { ...page, next: nextOf(publicUrl, request, callBy(scope).query as ParsedListQuery, page.count) }
    }
    const json = writePage ? await writePage(status, paged()) : jsonText({ status, result: view.parse(result ?? null) })
    const length = sendJson(request, response, status, json, charge)
    if (isRead) largeLists.had(name, length)
  }
}
