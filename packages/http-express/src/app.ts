import { type Core, type Log, notFound } from '@posthorn/core'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { crossOrigin, preflight } from './cross-origin.js'
import { bearerOf, endpoint } from './endpoint.js'
import { failure, HttpRefusal, reasonOf } from './errors.js'
import { galleryFile } from './gallery-files.js'
import { type HttpMetrics, httpMetrics } from './metrics.js'
import { openApiDocument } from './openapi.js'
import { recipientPages } from './pages/recipient-pages.js'
import { readQuery } from './query.js'
import { type RateLimit, rateLimiter } from './rate-limit.js'
import { referencePages } from './reference.js'
import { expressPath, pathsOf, type Route } from './route.js'
import { routes } from './routes/index.js'
import { securityHeaders } from './security-headers.js'

/** What `httpApp` is made of. */
export type HttpAppOptions = {
  readonly core: Core
  /** Where clients reach this server, without a slash at the end. */
  readonly publicUrl: string
  readonly log: Log
  /** Whether the store and the mailer can be reached. Everything is ready unless given. */
  readonly ready?: () => Promise<boolean>
  readonly rateLimit?: RateLimit
  /** The largest file that the gallery takes, in bytes; 10 MB unless given. */
  readonly maxUpload?: number
  readonly metrics?: HttpMetrics
  /** More to serve, each below its path: the outbox, say. */
  readonly mount?: readonly { readonly path: string; readonly handler: RequestHandler }[]
}

const standardUpload = 10 * 1024 * 1024
const standardRate: RateLimit = { perSecond: 100, burst: 200 }

const limited = (rate: RateLimit): RequestHandler => {
  const allow = rateLimiter(rate, Date.now)
  return (request, response, next) => {
    const { allowed, limit, remaining, resetSeconds, retrySeconds } = allow(bearerOf(request) ?? request.ip ?? '')
    response.set({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(resetSeconds),
    })
    if (allowed) return next()
    response.set('Retry-After', String(retrySeconds))
    next(new HttpRefusal('too-many', `Too many requests. Please try again in ${retrySeconds} s.`))
  }
}

/** Measures and logs by the row's id: paths hold addresses, which are nobody's business but the project's. */
const observed =
  ({ id }: Route, metrics: HttpMetrics, log: Log): RequestHandler =>
  (_request, response, next) => {
    const started = process.hrtime.bigint()
    response.on('finish', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      metrics.observe(id, response.statusCode, seconds)
      log('debug', 'A request was answered', { route: id, status: response.statusCode, seconds })
    })
    next()
  }

/** Every failure in the spec's envelope. */
const refusals =
  (log: Log): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return next(error)
    const { kind, message } = reasonOf(error, request, log)
    const body = failure(kind, message)
    response.status(body.status).json(body)
  }

/** Posthorn's API, its reference and its pages, as an Express application. */
export const httpApp = ({
  core,
  publicUrl,
  log,
  ready = async () => true,
  rateLimit = standardRate,
  maxUpload = standardUpload,
  metrics = httpMetrics(),
  mount = [],
}: HttpAppOptions): Express => {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', readQuery)
  app.use(securityHeaders)

  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }))
  app.get('/readyz', async (_request, response) => {
    const isReady = await ready().catch(() => false)
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready' })
  })
  app.get('/metrics', async (_request, response) => {
    response.set('Content-Type', metrics.registry.contentType).end(await metrics.registry.metrics())
  })
  const description = openApiDocument(routes)
  app.get('/v1/openapi.json', (_request, response) => void response.json(description))
  app.use('/docs', referencePages())
  for (const { path, handler } of mount) app.use(path, handler)
  app.use(recipientPages(core, log))
  app.get('/gallery/:file', galleryFile(core))

  app.use('/v1', limited(rateLimit))
  for (const row of routes)
    for (const path of pathsOf(row).map(expressPath)) {
      app.options(path, preflight(core, row))
      app[row.method](
        path,
        observed(row, metrics, log),
        crossOrigin(core, row),
        endpoint({ core, publicUrl, maxUpload }, row),
      )
    }

  app.use((_request, _response, next) => next(notFound('Path')))
  app.use(refusals(log))
  return app
}
