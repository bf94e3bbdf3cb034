export type Violation = {
  /** Path such as `groups[0].name`; empty for the whole request, and for rules that name no field. */
  readonly field: string
  readonly message: string
}

type Failure = {
  readonly message: string
  readonly status?: number
  readonly code?: string
  readonly violations?: readonly Violation[]
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** A call that failed. `message` is the server's sentence for people. */
export class PosthornError extends Error {
  override readonly name: string = 'PosthornError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** The API's name of the error, such as `VALIDATION_ERROR`; empty without one. */
  readonly code: string
  /** All invalid values, if the request was invalid. */
  readonly violations: readonly Violation[]
  /** For server errors: id of the entry in the server's log. */
  readonly requestId: string | undefined
  /** Seconds after which the server accepts the request again, if it said so. */
  readonly retryAfter: number | undefined

  constructor({ message, status = 0, code = '', violations = [], requestId, retryAfter, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.violations = violations
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

/** 400: the request is invalid; `violations` lists everything that is wrong. */
export class ValidationError extends PosthornError {
  override readonly name = 'ValidationError'
}

/** 401 or 403: the API key is missing, unknown, revoked, of another project, or lacks a scope; or the Origin is not whitelisted. */
export class AuthorizationError extends PosthornError {
  override readonly name = 'AuthorizationError'
}

/** 404: the project has no such record. */
export class NotFoundError extends PosthornError {
  override readonly name = 'NotFoundError'
}

/** 405: a rule forbids the operation, such as a suppressed address, a used-up limit, or a record in use. */
export class BlockedError extends PosthornError {
  override readonly name = 'BlockedError'
}

/** 409: the record exists already, or the idempotency key was used for another request. */
export class ConflictError extends PosthornError {
  override readonly name = 'ConflictError'
}

/** 413: the body is larger than the endpoint accepts. */
export class PayloadTooLargeError extends PosthornError {
  override readonly name = 'PayloadTooLargeError'
}

/** 429: too many requests, still after all retries. `retryAfter` says when to go on. */
export class RateLimitError extends PosthornError {
  override readonly name = 'RateLimitError'
}

/** 500 and above: the server failed; `requestId` finds the entry in its log. */
export class ServerError extends PosthornError {
  override readonly name = 'ServerError'
}

/** No response: the server cannot be reached, or the connection broke. The request may have been carried out. */
export class ConnectionError extends PosthornError {
  override readonly name = 'ConnectionError'
}

/** No response within `timeout`, or 408. The request may have been carried out. */
export class TimeoutError extends PosthornError {
  override readonly name = 'TimeoutError'
}

const classes: Readonly<Record<number, typeof PosthornError>> = {
  400: ValidationError,
  401: AuthorizationError,
  403: AuthorizationError,
  404: NotFoundError,
  405: BlockedError,
  408: TimeoutError,
  409: ConflictError,
  413: PayloadTooLargeError,
  429: RateLimitError,
}

type Json = Readonly<Record<string, unknown>>

const objectIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const violationsIn = (value: unknown): readonly Violation[] =>
  Array.isArray(value)
    ? value.map(objectIn).map(({ field, message }) => ({ field: textIn(field), message: textIn(message) }))
    : []

/** Seconds, or a date (RFC 9110, section 10.2.3). */
const secondsIn = (retryAfter: string | null): number | undefined => {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** `body` is the parsed JSON of a response that is no success, if it had any. */
export const errorOf = (status: number, body: unknown, headers: Headers): PosthornError => {
  const { name, code, message, violations } = objectIn(objectIn(body).error)
  const Kind = classes[status] ?? (status >= 500 ? ServerError : PosthornError)
  return new Kind({
    message: textIn(message) || `The server responded with status ${status} and no message.`,
    status,
    code: textIn(code) || textIn(name),
    violations: violationsIn(violations),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsIn(headers.get('retry-after')),
  })
}
