import type { Hash } from 'node:crypto'
import type { Core, Scope } from '@posthorn/core'
import {
  busy,
  fitting,
  forbidden,
  isStorableText,
  keyedLimiter,
  parsed,
  refusalOf,
  violationsOf,
} from '@posthorn/core/ports'
import type { Request, Response } from 'express'
import { z } from 'zod'
import type { AnswerBudget } from './answer-budget.js'
import { type BodyLimits, hasBody, readBody } from './body.js'
import type { BodyBudget } from './body-budget.js'
import { clientBlock } from './client-address.js'
import { Download, downloadTypesOf, sendDownload } from './download.js'
import { addForm, fingerprintOf, idempotencyKeyOf, onceByKey } from './idempotency-key.js'
import type { LargeLists } from './large-lists.js'
import { browserAccessOf, keysOf, type ParamsOf, type Query, type Route, type WrongCall } from './route.js'
import { sendJson } from './send-json.js'
import { isAnsweredForStore } from './store-watch.js'
import { isStreamedFile, sendStreamedFile } from './streamed-file.js'
import { isStreamedList, sendStreamedList } from './streamed-list.js'
import { mostUploadBytes, readUpload } from './upload.js'
import type { WorkLimit } from './work-limit.js'

/** What an endpoint needs beside its row. */
export type EndpointDeps = {
  readonly core: Core
  readonly publicUrl: string
  readonly bodyLimits: BodyLimits
  /** The largest file that is taken, in bytes. */
  readonly maxUpload: number
  /** Told of every request whose API key has opened its project. */
  readonly keyProven?: (request: Request) => void
  readonly bodyBudget: BodyBudget
  readonly answerBudget: AnswerBudget
  readonly largeLists: LargeLists
  readonly listLimiter: ListLimiter
  readonly streamLimiter: ListLimiter
  /** Milliseconds after which a client is given up that takes nothing of what is read for it. */
  readonly stallTime: number
  readonly workLimit: WorkLimit
}

/** Lists of one project that are made at the same time, and those that wait: a project has its share of the store. */
export const listLimiter = () => keyedLimiter({ atOnce: 4, waiting: 50 })
type ListLimiter = ReturnType<typeof listLimiter>

/** Answers of one project that are read from the store while a client takes them: nobody waits for who takes their time. */
export const streamLimiter = () => keyedLimiter({ atOnce: 8, waiting: 0 })
export const standardStallTime = 60_000

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

/** The parameters of a path as texts that every store keeps. @throws Refusal `invalid` */
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
  const keys = keysOf(row)
  if (params.projectId === undefined && !row.projectOf) return core.access.byKey(bearer, { keys })
  if (!bearer && row.auth === 'api-key') throw forbidden()
  const project = await projectOf(core, row, params)
  const { origin } = request.headers
  const needed = browserAccessOf(row)
  if (needed && row.auth === 'origin') return core.access.byOrigin(project, origin, needed)
  return core.access.authorize(
    project,
    { bearer, origin },
    {
      keys,
      origin: needed,
      operator: row.auth === 'api-key-or-jwt',
      preferences: row.preferences === true,
    },
  )
}

/** Whose share of the server a request takes. */
const ownerOf = ({ projectId }: Pick<Scope, 'projectId'>, request: Request): string =>
  projectId || `address ${request.ip}`

/** Whose share of the answers that are not taken yet: a page's visitors have theirs, beside the project's. */
const takerOf = (scope: Scope, request: Request): string =>
  scope.caller === 'origin' ? `address ${clientBlock(request)}` : ownerOf(scope, request)

const bodyOf = async (
  row: Route,
  request: Request,
  response: Response,
  { bodyLimits, maxUpload, bodyBudget }: Pick<EndpointDeps, 'bodyLimits' | 'maxUpload' | 'bodyBudget'>,
  { projectId }: Scope,
  fingerprint: Hash | undefined,
): Promise<unknown> => {
  if (!row.body || !hasBody(request)) return undefined
  const owner = ownerOf({ projectId }, request)
  const { upload } = row
  if (upload) {
    const form = await bodyBudget.read({ request, response, owner, limit: mostUploadBytes(maxUpload) }, () =>
      readUpload(request, response, upload.part, maxUpload),
    )
    if (fingerprint) addForm(fingerprint, form)
    return form
  }
  const limit = row.withAttachments ? bodyLimits.withAttachments : bodyLimits.json
  return bodyBudget.read({ request, response, owner, limit }, () => {
    if (fingerprint) request.on('data', (chunk: Buffer) => fingerprint.update(chunk))
    return readBody(request, response, limit)
  })
}

/** The query as the row reads it. Where it is wrong, all else that is wrong is told with it. @throws Refusal `invalid` */
const queryOf = async (
  core: Core,
  row: Route,
  query: unknown,
  call: Pick<WrongCall<string, z.ZodType>, 'scope' | 'params' | 'body'>,
): Promise<unknown> => {
  const schema = row.query as z.ZodType
  const wrong = violationsOf(schema, query)
  if (wrong.length === 0) return schema.parse(query)
  const alsoWrong = row.alsoWrong ?? (() => (row.body ? violationsOf(row.body, call.body) : []))
  throw refusalOf([...wrong, ...(await alsoWrong(core, { ...call, query: fitting(schema, query) ?? {} }))])
}

/** What the row reads of a request without a query, each time anew; undefined where it needs one. */
const readWithoutQuery = ({ query }: Route): (() => object) | undefined => {
  const { data } = (query as z.ZodType).safeParse({})
  return isPlain(data) ? () => ({ ...data }) : undefined
}

/** Whether a copy of the object shares nothing with it that could be changed. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part !== 'object')

/** The same URL on the public base, wherever the application is mounted, one page on; null on the last page. */
const nextOf = (publicUrl: string, request: Request, { skip, limit }: Query, count: number): string | null => {
  if (skip + limit >= count) return null
  const url = new URL(request.url, publicUrl)
  url.searchParams.set('skip', String(skip + limit))
  return `${publicUrl}${url.pathname}${url.search}`
}

/** Makes a list when the project has its turn. @throws Refusal `busy` where many wait already */
const listed = async (
  limiter: ListLimiter,
  response: Response,
  { projectId }: Scope,
  list: () => Promise<unknown>,
): Promise<unknown> => {
  const done = await limiter(projectId, list)
  if (done) return done.value
  response.set('Retry-After', '5')
  throw busy('Too many lists are asked for at the same time. Please try again in 5 s.')
}

/** Sends what is read while it is sent, and gives up a client that has taken nothing for so long. @throws Refusal `busy` where several are under way */
const streamed = async (
  { streamLimiter, stallTime }: Pick<EndpointDeps, 'streamLimiter' | 'stallTime'>,
  response: Response,
  { projectId }: Scope,
  send: () => Promise<void>,
): Promise<void> => {
  response.setTimeout(stallTime, () => response.destroy())
  if (await streamLimiter(projectId, send)) return
  response.set('Retry-After', '5')
  throw busy('Too many exports are under way at the same time. Please try again in 5 s.')
}

/** Answers a request to a row, whose parameters are known; whether it came by one of `alsoAt`. */
export type Endpoint = (
  request: Request,
  response: Response,
  params: Readonly<Record<string, string>>,
  isLegacy: boolean,
) => Promise<void>

/** Who, what, the use case, the envelope. */
export const endpoint = (deps: EndpointDeps, row: Route): Endpoint => {
  const { core, publicUrl, answerBudget, largeLists } = deps
  const [status, view] = row.success
  const [fileType] = downloadTypesOf(view)
  const withoutQuery = readWithoutQuery(row)
  return async (request, response, given, isLegacy) => {
    const params = paramsOf(given)
    const scope = await scopeOf(core, row, request, params)
    if (scope.caller === 'api-key') deps.keyProven?.(request)
    const key = idempotencyKeyOf(row, request, scope)
    const fingerprint = key === undefined ? undefined : fingerprintOf(request)
    const body = (await bodyOf(row, request, response, deps, scope, fingerprint)) ?? {}
    const query =
      withoutQuery && !request.url.includes('?')
        ? withoutQuery()
        : await queryOf(core, row, request.query, { scope, params, body })
    const callOf = (inside: Scope) => ({ scope: inside, params, body, query, isLegacy })
    const run = async (inside = scope) => row.run(core, callOf(inside))
    const carryOut = () => {
      if (key === undefined || !fingerprint) return run()
      const made = row.made && (async (inside: Scope) => row.made?.(core, callOf(inside)))
      const shownIn = async (inside: Scope) => view.parse((await run(inside)) ?? null)
      return onceByKey(core, response, scope, { key, fingerprint, run: shownIn, made })
    }
    const taker = takerOf(scope, request)
    const name = `${row.id} ${taker}`
    const isRead = row.method === 'get'
    const taken = () => answerBudget.take(response, taker, isRead ? largeLists.sizeOf(name) : 0)
    let hold = row.paginated ? undefined : taken()
    const list = async () => {
      hold = taken()
      await largeLists.turn(name)
      return run()
    }
    const result = await deps.workLimit(response, ownerOf(scope, request), () =>
      row.paginated ? listed(deps.listLimiter, response, scope, list) : carryOut(),
    )
    if (isAnsweredForStore(response)) return
    if (isStreamedFile(result)) return streamed(deps, response, scope, () => sendStreamedFile(response, result))
    if (fileType) {
      const file = Download.parse(result)
      hold?.(Buffer.byteLength(file.content))
      return sendDownload(response, fileType, file)
    }
    if (isStreamedList(result))
      return streamed(deps, response, scope, () => sendStreamedList(response, status, view, result))
    const shown = row.paginated
      ? { ...(result as object), next: nextOf(publicUrl, request, query as Query, (result as { count: number }).count) }
      : (result ?? null)
    const length = sendJson(request, response, status, { status, result: view.parse(shown) }, hold)
    if (isRead) largeLists.had(name, length)
  }
}
