import type { Core, Log } from '@posthorn/core'
import { blocked, notFound } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { admissionControls } from './admission/admission.js'
import {
  type BodyBudget,
  bodyBudget,
  type ResponseMemoryLimits,
  standardResponseMemoryLimits,
} from './admission/byte-budgets.js'
import { standardRequestWorkLimits } from './admission/concurrency.js'
import type { HttpConnectionLimits } from './admission/connections.js'
import type { RateLimits } from './admission/rate-limits.js'
import type { ShareLimits } from './admission/shares.js'
import { crossOriginHeaders, preflight, securityHeaders } from './browser-headers.js'
import { type AuthenticateHostUser, consoleAuthentication } from './console/console-access.js'
import { consoleApiRoutes } from './console/rows.js'
import { consolePages } from './console-pages.js'
import { type EndpointDeps, type EndpointHandler, endpointHandler, standardResponseStallTime } from './endpoint.js'
import { failureEnvelope, httpFailureOf } from './errors.js'
import { galleryFile, iconFiles } from './gallery-files.js'
import { guardedListenOf, type ServerGuardOptions } from './http-server.js'
import { type McpHandler, mountMcpRoute } from './mcp.js'
import { type HttpMetrics, httpMetrics, metricsHandler } from './metrics.js'
import { openApiDocument } from './openapi/openapi.js'
import { maySeeOperatorPages, type OperatorPageAccess, operatorOnly } from './operator-access.js'
import { formPages } from './pages/form-page.js'
import { frontPage } from './pages/front-page.js'
import { recipientWebPages } from './pages/recipient-pages.js'
import { reportPages } from './pages/report-page.js'
import { trackingPages } from './pages/tracking-pages.js'
import { type ProviderEventsEndpoint, providerEventsHandler } from './provider-events.js'
import { referencePages } from './reference/reference.js'
import { mostUploadBodyBytesFor, parseQueryString, type RequestBodyLimits, standardBodyLimits } from './request.js'
import { mountOf, pathsOfRoute, type Route } from './route.js'
import { pathTable, type RouteMatch } from './router.js'
import { routes } from './routes/index.js'
import { isAnsweredUnavailable, storeOutageResponder, storeRetrySeconds } from './store-watch.js'

/** Below `/v1/`, for anybody. */
export type ServedTextFile = { readonly path: string; readonly type: string; readonly text: string }

export type HttpAppOptions = {
  readonly core: Core
  readonly publicUrl: string
  readonly log: Log
  readonly ready?: () => Promise<boolean>
  readonly rateLimits?: Partial<RateLimits>
  readonly trustProxy?: number | readonly string[]
  readonly connections?: Partial<HttpConnectionLimits>
  readonly bodyLimits?: RequestBodyLimits
  /** Bytes; default 10 MB. */
  readonly maxUpload?: number
  /** Bytes of a file of contacts, which is stored while it arrives; default 200 MB. */
  readonly maxImport?: number
  /** Default: two of the largest bodies per account, four in all. */
  readonly bodyBudget?: BodyBudget
  /** Images have a separate budget of the same size. */
  readonly answerLimits?: ResponseMemoryLimits
  /** Disconnects a client that stops reading an export, in ms; default 60,000. */
  readonly stallTime?: number
  readonly workLimits?: ShareLimits
  readonly metrics?: HttpMetrics
  readonly servesMetrics?: boolean
  readonly operatorAccess?: OperatorPageAccess
  readonly providerEvents?: ProviderEventsEndpoint | readonly ProviderEventsEndpoint[] | undefined
  /** Signs people in by your application. Default: the console's own sign-in. */
  readonly authenticate?: AuthenticateHostUser | undefined
  readonly documents?: readonly ServedTextFile[]
  /** Answers AI assistants at `/mcp`: `mcpOverHttp` of `@posthorn/mcp`. Default: there is no such path. */
  readonly mcp?: McpHandler | undefined
  readonly mount?: readonly { readonly path: string; readonly handler: RequestHandler }[]
}

const standardUpload = 10 * 1024 * 1024
const standardImport = 200 * 1024 * 1024
const nobody: OperatorPageAccess = { loopback: false, hosts: [], isAdmin: () => false }

const standardBudget = ({ json, withAttachments, bulk }: RequestBodyLimits, maxUpload: number): BodyBudget => {
  const largest = Math.max(json, withAttachments, bulk, mostUploadBodyBytesFor(maxUpload))
  return bodyBudget({ total: 4 * largest, share: 2 * largest })
}

const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Concurrent callers share one check. */
const shared = (ready: () => Promise<boolean>) => {
  let looking: Promise<boolean> | undefined
  return () => {
    looking ??= ready()
      .catch(() => false)
      .finally(() => {
        looking = undefined
      })
    return looking
  }
}

/** By route id: paths contain email addresses. */
const observed = ({ id }: Route, metrics: HttpMetrics, log: Log): ((response: Response) => void) => {
  return (response) => {
    const started = performance.now()
    response.on('finish', () => {
      const seconds = (performance.now() - started) / 1000
      metrics.observe(id, response.statusCode, seconds)
      log('debug', 'Responded to a request', { route: id, status: response.statusCode, seconds })
    })
  }
}

type Steps = Pick<EndpointDeps, 'core'> & {
  readonly metrics: HttpMetrics
  readonly log: Log
  readonly watch: ReturnType<typeof storeOutageResponder>
  readonly deps: EndpointDeps
}

const answering = ({ core, metrics, log, watch, deps }: Steps, row: Route): EndpointHandler => {
  const observe = observed(row, metrics, log)
  const letRead = crossOriginHeaders(core, row)
  const answer = endpointHandler(deps, row)
  return async (request, response, params, isLegacy) => {
    observe(response)
    await letRead(request, response)
    watch(request, response)
    await answer(request, response, params, isLegacy)
  }
}

const allRows: readonly Route[] = [...routes, ...consoleApiRoutes]

/** The rows of a path, by HTTP method. */
type Place = Map<string, { readonly row: Route; readonly answer: EndpointHandler; readonly isLegacy: boolean }>

const placesOf = (steps: Steps) => {
  const places = pathTable<Place>(() => new Map())
  for (const row of allRows) {
    const answer = answering(steps, row)
    for (const path of pathsOfRoute(row))
      places.at(path).set(row.method.toUpperCase(), { row, answer, isLegacy: path !== row.path })
  }
  return places
}

const rowOf = (place: Place, method: string) => place.get(method === 'HEAD' ? 'GET' : method)

const methodsOf = (place: Place): string =>
  [...place.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    .sort()
    .join(', ')

/** Of the request's path, for `Allow` in every 405 (RFC 9110, section 15.5.6). */
const placeAsked = new WeakMap<Response, Place>()

const methodRefusal = (method: string, allow: string) =>
  blocked(`This path does not support ${method}. It supports ${allow}.`)

/** @throws Refusal `not-found` for an unknown path, `blocked` for a method that it lacks */
const answerAt = async (
  core: Core,
  at: RouteMatch<Place> | undefined,
  request: Request,
  response: Response,
): Promise<void> => {
  if (!at) throw notFound('Path')
  const { value: place, params } = at
  const { method, headers } = request
  placeAsked.set(response, place)
  request.params = params
  if (method === 'OPTIONS') {
    const asked = headers['access-control-request-method']?.toUpperCase() ?? ''
    return preflight(core, place.get(asked)?.row, request, response)
  }
  const found = rowOf(place, method)
  if (!found) throw methodRefusal(method, methodsOf(place))
  await found.answer(request, response, params, found.isLegacy)
}

/** For paths that are no rows. @throws Refusal `blocked` */
const refuseOtherMethods =
  (allow: string): RequestHandler =>
  ({ method }, response, next) => {
    if (`${allow}, OPTIONS`.split(', ').includes(method)) return next()
    response.set('Allow', allow)
    throw methodRefusal(method, allow)
  }

/** In the spec's failure envelope. */
const refusals =
  (log: Log): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return isAnsweredUnavailable(response) ? undefined : next(error)
    const { kind, message, id, ...others } = httpFailureOf(error, request, log)
    const body = failureEnvelope(kind, message, others)
    if (id !== undefined) response.set('X-Request-Id', id)
    if (kind === 'busy' && !response.hasHeader('Retry-After')) response.set('Retry-After', '60')
    if (error instanceof StoreUnavailable) response.set('Retry-After', String(storeRetrySeconds))
    const place = placeAsked.get(response)
    if (kind === 'blocked' && place) response.set('Allow', methodsOf(place))
    response.status(body.status).json(body)
  }

const bareApp = ({ trustProxy, connections }: ServerGuardOptions = {}): Express => {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  app.use(securityHeaders)
  app.listen = guardedListenOf(app, { trustProxy, connections })
  return app
}

type Readiness = {
  readonly isReachable: () => Promise<boolean>
  /** A reason other than store and mailer. */
  readonly notReady: () => string | undefined
}

const healthPages = (app: Express, { isReachable, notReady }: Readiness): void => {
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  app.get('/readyz', async (_request, response) => {
    const reason = notReady()
    const isReady = (await isReachable()) && reason === undefined
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready', ...(reason && { reason }) })
  })
}

export const metricsApp = ({
  metrics,
  ready,
  notReady = () => undefined,
  operatorAccess,
  log,
}: {
  readonly ready: () => Promise<boolean>
  readonly notReady?: Readiness['notReady']
  readonly metrics: HttpMetrics
  readonly operatorAccess: OperatorPageAccess
  readonly log: Log
}): Express => {
  const app = bareApp()
  healthPages(app, { isReachable: shared(ready), notReady })
  app.get('/metrics', operatorOnly(operatorAccess), metricsHandler(metrics))
  app.use((_request, _response, next) => next(notFound('Path')))
  app.use(refusals(log))
  return app
}

export const httpApp = ({
  core,
  publicUrl,
  log,
  ready = async () => true,
  rateLimits = {},
  trustProxy,
  connections,
  bodyLimits = standardBodyLimits,
  maxUpload = standardUpload,
  maxImport = standardImport,
  bodyBudget: budget = standardBudget(bodyLimits, maxUpload),
  answerLimits = standardResponseMemoryLimits,
  stallTime = standardResponseStallTime,
  workLimits = standardRequestWorkLimits,
  metrics = httpMetrics(),
  servesMetrics = true,
  operatorAccess = nobody,
  providerEvents,
  authenticate,
  documents = [],
  mcp,
  mount = [],
}: HttpAppOptions): Express => {
  const admitted = admissionControls({ core, rateLimits, bodyBudget: budget, answerLimits, workLimits, metrics })
  const limits = admitted.rate
  const app = bareApp({ trustProxy, connections })
  app.set('query parser', parseQueryString)

  const { notReady } = core
  const isReachable = shared(ready)
  const deps: EndpointDeps = {
    core,
    publicUrl,
    bodyLimits,
    maxUpload,
    maxImport,
    stallTime,
    admission: admitted,
    console: consoleAuthentication({ core, publicUrl, authenticate }),
    reading: ({ path }) => allRows.find((one) => one.method === 'get' && one.path === path),
  }
  const places = placesOf({ core, metrics, log, watch: storeOutageResponder(isReachable, log), deps })

  const admit = (at: RouteMatch<Place> | undefined, request: Request, response: Response, next: NextFunction) =>
    limits.gate(request, response, () => {
      const weight = at && rowOf(at.value, request.method)?.row.weight
      if (weight) limits.weigh(request, weight(request.query) - 1)
      limits.inTurn(request, response, next)
    })

  // These paths are the API's alone, so no other handler sees them.
  app.use((request, response, next) => {
    if (!/^\/(v1\/projectid|console\/api)\//i.test(request.path)) return next()
    const at = places.find(request.path)
    admit(at, request, response, () => void answerAt(core, at, request, response).catch(next))
  })
  healthPages(app, { isReachable, notReady })
  app.use((request, response, next) => admit(places.find(request.path), request, response, next))

  const operator = operatorOnly(operatorAccess)
  if (servesMetrics) app.get('/metrics', operator, metricsHandler(metrics))
  const operatorPaths = [...mount.map(({ path }) => path), ...(servesMetrics ? ['/metrics'] : [])]
  app.get(
    '/',
    frontPage({
      mount: mountOf(publicUrl),
      isReadyNow: async () => (await isReachable()) && notReady() === undefined,
      operatorPaths,
      maySee: maySeeOperatorPages(operatorAccess),
    }),
  )
  // At the first request: it takes longer than the rest of a start.
  const description = lazily(() => openApiDocument(routes, mountOf(publicUrl)))
  const descriptionBytes = lazily(() => Buffer.from(JSON.stringify(description())))
  app.get('/v1/openapi.json', (_request, response) => void response.type('json').send(descriptionBytes()))
  app.use('/docs', referencePages(routes, description, publicUrl))
  app.use('/console', consolePages(publicUrl))
  for (const { path, handler } of mount) app.use(path, operator, handler)
  for (const { path, type, text } of documents)
    app.get(path, (_request, response) => void response.type(type).send(text))
  for (const one of [providerEvents ?? []].flat()) app.use(providerEventsHandler(one, budget))
  if (mcp) mountMcpRoute(app, mcp, { core, admission: admitted, bodyLimits, description })
  app.use(trackingPages(core, log))
  app.use(recipientWebPages(core, log))
  app.use(reportPages(core, log))
  app.use(formPages(core, log, mountOf(publicUrl)))
  app.get('/gallery/:file', galleryFile(core, admitted.images))
  app.use('/gallery/icons', iconFiles())

  const read = ['/', '/healthz', '/readyz', '/v1/openapi.json', '/report', '/test-link', '/gallery/:file']
  app.all(read, refuseOtherMethods('GET, HEAD'))
  app.all(['/v1/verify', '/preferences', '/forms/:id'], refuseOtherMethods('GET, HEAD, POST'))
  app.use((request, response) => answerAt(core, places.find(request.path), request, response))
  app.use(refusals(log))
  return app
}
