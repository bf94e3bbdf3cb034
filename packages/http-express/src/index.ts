export { type BodyBudget, type BodyBudgetOptions, bodyBudget } from './admission/byte-budgets.js'
export { connectionLimits, type HttpConnectionLimits } from './admission/connections.js'
export { type RateLimits, standardRateLimits } from './admission/rate-limits.js'
export { type HttpAppOptions, httpApp, metricsApp, type ServedTextFile } from './app.js'
export type { AuthenticateHostUser, HostUser } from './console/console-access.js'
export type { ConsoleEndpoint } from './console/rows.js'
export { failureEnvelope, httpErrorsByKind } from './errors.js'
export {
  applyHttpMessageClasses,
  guardServer,
  type HttpMessageClasses,
  type ServerGuardOptions,
  serverOptions,
} from './http-server.js'
export type { ApiRequest, ApiResponse, PerformRequest } from './in-process.js'
export type { McpExchange, McpHandler } from './mcp.js'
export { type HttpMetrics, httpMetrics, registerSendRateGauges } from './metrics.js'
export { openApiDocument } from './openapi/openapi.js'
export { errorsDocument, routesDocument } from './openapi/routes-document.js'
export type { OperatorPageAccess } from './operator-access.js'
export { isLoopback } from './operator-access.js'
export type { ProviderEventsEndpoint } from './provider-events.js'
export { type RequestBodyLimits, standardBodyLimits } from './request.js'
export { keyScopesOfRoute, pathsOfRoute, type Route, type TypedRoute } from './route.js'
export { type ApiRoute, type OperationId, type OperationResult, routes } from './routes/index.js'
