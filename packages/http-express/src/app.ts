import type { Core, Log } from '@posthorn/core'
import { notFound } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import { admission } from './admission/admission.js'
import { type AnswerLimits, type BodyBudget, bodyBudget, standardAnswerLimits } from './admission/byte-budgets.js'
import { standardWorkLimits } from './admission/concurrency.js'
import type { ConnectionLimits } from './admission/connections.js'
import type { RateLimits, RequestLimits } from './admission/rate-limits.js'
import type { ShareLimits } from './admission/shares.js'
import { crossOrigin, preflight, securityHeaders } from './browser-headers.js'
import { type Endpoint, type EndpointDeps, endpoint, standardStallTime } from './endpoint.js'
import { failure, reasonOf } from './errors.js'
import { galleryFile } from './gallery-files.js'
import type { GuardOptions } from './http-server.js'
import { listenWith } from './http-server.js'
import { type HttpMetrics, httpMetrics, metricsPage } from './metrics.js'
import { openApiDocument } from './openapi/openapi.js'
import { maySeeOperatorPages, type OperatorAccess, operatorOnly } from './operator-access.js'
import { frontPage } from './pages/front-page.js'
import { recipientPages } from './pages/recipient-pages.js'
import { reportPages } from './pages/report-page.js'
import { trackingPages } from './pages/tracking-pages.js'
import { type ProviderEvents, providerEventsPage } from './provider-events.js'
import { referencePages } from './reference/reference.js'
import { type BodyLimits, mostUploadBytes, readQuery, standardBodyLimits } from './request.js'
import { expressPath, mountOf, pathsOf, type Route } from './route.js'
import {
  allowedMethods,
  byPath,
  knowMethods,
  type PathRows,
  type PathTable,
  pathTable,
  refuseOtherMethods,
  routersByResource,
} from './router.js'
import { routes } from './routes/index.js'
import { isAnsweredForStore, storeRetrySeconds, storeWatch } from './store-watch.js'

/** Below `/v1/`, for anybody. */
export type PublicDocument = { readonly path: string; readonly type: string; readonly text: string }

export type HttpAppOptions = {
  readonly core: Core
  readonly publicUrl: string
  readonly log: Log
  readonly ready?: () => Promise<boolean>
  readonly rateLimits?: Partial<RateLimits>
  readonly trustProxy?: number | readonly string[]
  readonly connections?: Partial<ConnectionLimits>
  readonly bodyLimits?: BodyLimits
  /** Bytes; default 10 MB. */
  readonly maxUpload?: number
  /** Default: two of the largest bodies per account, four in all. */
  readonly bodyBudget?: BodyBudget
  /** Images have a separate budget of the same size. */
  readonly answerLimits?: AnswerLimits
  /** Disconnects a client that stops reading an export, in ms; default 60,000. */
  readonly stallTime?: number
  /** Default `standardWorkLimits`. */
  readonly workLimits?: ShareLimits
  readonly metrics?: HttpMetrics
  readonly servesMetrics?: boolean
  readonly operatorAccess?: OperatorAccess
  /** Events that mail providers post. */
  readonly providerEvents?: ProviderEvents | readonly ProviderEvents[] | undefined
  readonly documents?: readonly PublicDocument[]
  readonly mount?: readonly { readonly path: string; readonly handler: RequestHandler }[]
}

const standardUpload = 10 * 1024 * 1024
const nobody: OperatorAccess = { loopback: false, hosts: [], isAdmin: () => false }

const standardBudget = ({ json, withAttachments }: BodyLimits, maxUpload: number): BodyBudget => {
  const largest = Math.max(json, withAttachments, mostUploadBytes(maxUpload))
  return bodyBudget({ total: 4 * largest, share: 2 * largest })
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

const weighed =
  (weight: NonNullable<Route['weight']>, limits: RequestLimits): RequestHandler =>
  (request, _response, next) => {
    limits.weigh(request, weight(request.query) - 1)
    next()
  }

const isOfProject = (path: string): boolean => /^\/v1\/projectid\//i.test(path)

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
  readonly watch: ReturnType<typeof storeWatch>
  readonly deps: EndpointDeps
}

const answering = ({ core, metrics, log, watch, deps }: Steps, row: Route, at: PathRows): Endpoint => {
  const know = knowMethods(at)
  const observe = observed(row, metrics, log)
  const letRead = crossOrigin(core, row)
  const answer = endpoint(deps, row)
  return async (request, response, params, isLegacy) => {
    know(response)
    observe(response)
    await letRead(request, response)
    watch(request, response)
    await answer(request, response, params, isLegacy)
  }
}

/** In the spec's failure envelope. */
const refusals =
  (log: Log): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return isAnsweredForStore(response) ? undefined : next(error)
    const { kind, message } = reasonOf(error, request, log)
    const body = failure(kind, message)
    if (kind === 'busy' && !response.hasHeader('Retry-After')) response.set('Retry-After', '60')
    if (error instanceof StoreUnavailable) response.set('Retry-After', String(storeRetrySeconds))
    const methods = allowedMethods(response.locals)
    if (kind === 'blocked' && methods !== undefined) response.set('Allow', methods)
    response.status(body.status).json(body)
  }

type Found = { readonly row: Route; readonly answer: Endpoint; readonly isLegacy: boolean }

/** A path table avoids Express's linear search. */
const ofProject =
  (table: PathTable<Found>, limits: RequestLimits): RequestHandler =>
  (request, response, next) => {
    const { path } = request
    const found = isOfProject(path) ? table.find(request.method, path) : undefined
    if (!found) return next()
    const { row, answer, isLegacy } = found.value
    const begin = () => {
      request.params = found.params
      answer(request, response, found.params, isLegacy).catch(next)
    }
    limits.gate(request, response, () => {
      if (row.weight) limits.weigh(request, row.weight(request.query) - 1)
      limits.inTurn(request, response, begin)
    })
  }

const bareApp = ({ trustProxy, connections }: GuardOptions = {}): Express => {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  app.use(securityHeaders)
  app.listen = listenWith(app, { trustProxy, connections })
  return app
}

type Readiness = {
  readonly ready: () => Promise<boolean>
  /** A reason other than store and mailer. */
  readonly notReady: () => string | undefined
}

/** Serves `/healthz` and `/readyz`; returns the readiness check. */
const healthPages = (app: Express, { ready, notReady }: Readiness): (() => Promise<boolean>) => {
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  const isReachable = shared(ready)
  app.get('/readyz', async (_request, response) => {
    const reason = notReady()
    const isReady = (await isReachable()) && reason === undefined
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready', ...(reason && { reason }) })
  })
  return isReachable
}

export const metricsApp = ({
  metrics,
  ready,
  notReady = () => undefined,
  operatorAccess,
  log,
}: Pick<Readiness, 'ready'> & {
  readonly notReady?: Readiness['notReady']
  readonly metrics: HttpMetrics
  readonly operatorAccess: OperatorAccess
  readonly log: Log
}): Express => {
  const app = bareApp()
  healthPages(app, { ready, notReady })
  app.get('/metrics', operatorOnly(operatorAccess), metricsPage(metrics))
  app.use((_request, _response, next) => next(notFound('Path')))
  app.use(refusals(log))
  return app
}

/** The API, its reference and its pages. */
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
  bodyBudget: budget = standardBudget(bodyLimits, maxUpload),
  answerLimits = standardAnswerLimits,
  stallTime = standardStallTime,
  workLimits = standardWorkLimits,
  metrics = httpMetrics(),
  servesMetrics = true,
  operatorAccess = nobody,
  providerEvents,
  documents = [],
  mount = [],
}: HttpAppOptions): Express => {
  const admitted = admission({ core, rateLimits, bodyBudget: budget, answerLimits, workLimits, metrics })
  const limits = admitted.rate
  const app = bareApp({ trustProxy, connections })
  app.set('query parser', readQuery)

  const table = pathTable<Found>()
  app.use(ofProject(table, limits))
  const { notReady } = core
  const isReachable = healthPages(app, { ready, notReady })
  app.use(limits.gate)
  for (const row of routes) if (row.weight) app[row.method](pathsOf(row).map(expressPath), weighed(row.weight, limits))
  app.use(limits.inTurn)

  const deps = { core, publicUrl, bodyLimits, maxUpload, stallTime, admission: admitted }
  const steps: Steps = { core, metrics, log, watch: storeWatch(isReachable, log), deps }
  const routers = routersByResource()
  for (const one of byPath(routes)) {
    const path = expressPath(one.path)
    const router = routers.of(path)
    const known = new Map<Route['method'], Found>()
    const know = knowMethods(one)
    router.all(path, (_request, response, next) => {
      know(response)
      next()
    })
    for (const row of one.rows) {
      const isLegacy = one.path !== row.path
      const answer = answering(steps, row, one)
      known.set(row.method, { row, answer, isLegacy })
      router.options(path, preflight(core, row))
      router[row.method](path, (request, response) =>
        answer(request, response, request.params as Readonly<Record<string, string>>, isLegacy),
      )
    }
    router.all(path, refuseOtherMethods(one))
    table.add(one.path, known)
  }
  const api = routers.handler((_request, _response, next) => next(notFound('Path')))
  // Only the API has paths below a project.
  app.use((request, response, next) => (isOfProject(request.path) ? api(request, response, next) : next()))

  const operator = operatorOnly(operatorAccess)
  if (servesMetrics) app.get('/metrics', operator, metricsPage(metrics))
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
  const description = openApiDocument(routes, mountOf(publicUrl))
  // All responses share these bytes.
  const descriptionBytes = Buffer.from(JSON.stringify(description))
  app.get('/v1/openapi.json', (_request, response) => void response.type('json').send(descriptionBytes))
  app.use('/docs', referencePages(routes, description, publicUrl))
  for (const { path, handler } of mount) app.use(path, operator, handler)
  for (const { path, type, text } of documents)
    app.get(path, (_request, response) => void response.type(type).send(text))
  for (const one of [providerEvents ?? []].flat()) app.use(providerEventsPage(one, budget))
  app.use(trackingPages(core, log))
  app.use(recipientPages(core, log))
  app.use(reportPages(core, log))
  app.get('/gallery/:file', galleryFile(core, admitted.images))

  app.use(api)
  app.use(refusals(log))
  return app
}
