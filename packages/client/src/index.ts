export type * from './api.js'
export {
  AuthorizationError,
  BlockedError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PayloadTooLargeError,
  PosthornError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
  type Violation,
} from './errors.js'
export type { DownloadedFile, FileInput } from './files.js'
export type { Page, Pages } from './pages.js'
export { Posthorn, type PosthornOptions } from './posthorn.js'
export type { RequestOptions } from './transport.js'
export {
  type ReceivedEvent,
  type ReceivedWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from './webhooks.js'
