import { randomUUID } from 'node:crypto'
import { type Log, Refusal, type RefusalKind } from '@posthorn/core'
import { type InvalidInputField, notFound } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'

/** By the HTTP layer, before a use case runs. */
export type HttpRefusalKind = 'too-large' | 'head-too-large' | 'too-slow' | 'unexpected'

/** gaps.md, "Error names and messages". */
export const httpErrorsByKind: Readonly<
  Record<RefusalKind | HttpRefusalKind, { readonly status: number; readonly name: string; readonly meaning: string }>
> = {
  invalid: {
    status: 400,
    name: 'VALIDATION_ERROR',
    meaning: 'The body or the query is invalid; the message lists every violation',
  },
  forbidden: {
    status: 403,
    name: 'AUTHORIZATION_ERROR',
    meaning:
      'Missing, unknown or revoked key, a key of another project, a wrong token, or an Origin that is not whitelisted',
  },
  unauthenticated: {
    status: 401,
    name: 'AUTHENTICATION_ERROR',
    meaning:
      'Only from the console’s API: nobody is signed in, or the sign-in failed; `code` is `second-factor-required` if only the code is missing',
  },
  'not-found': { status: 404, name: 'NOT_FOUND', meaning: 'No such record in this project, or no such path' },
  blocked: {
    status: 405,
    name: 'METHOD_NOT_ALLOWED',
    meaning:
      'A rule forbids the operation: the record is in use, credit or a limit is used up, the project is restricted, or the address is suppressed. Or the path does not support the method; `Allow` lists the methods it supports',
  },
  duplicate: {
    status: 409,
    name: 'CONFLICT',
    meaning:
      'The record already exists; or the Idempotency-Key was used for another request, or its first request is still running (then with Retry-After)',
  },
  'too-large': { status: 413, name: 'PAYLOAD_TOO_LARGE', meaning: 'The body is larger than the endpoint accepts' },
  'head-too-large': {
    status: 431,
    name: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
    meaning: 'The URL and the headers of the request are larger than 8 KB',
  },
  'too-slow': { status: 408, name: 'REQUEST_TIMEOUT', meaning: 'The body arrived too slowly, or stopped arriving' },
  busy: {
    status: 429,
    name: 'TOO_MANY_REQUESTS',
    meaning:
      'Too many requests, too many at the same time, or a request that takes too long; Retry-After says when to retry',
  },
  unexpected: {
    status: 500,
    name: 'INTERNAL_SERVER_ERROR',
    meaning: 'An error of the server; the message contains the id of the log entry with the details',
  },
  unavailable: {
    status: 503,
    name: 'SERVICE_UNAVAILABLE',
    meaning:
      'The database or another service did not respond as expected; if it was the database, Retry-After says when to retry',
  },
}

export const alwaysPossibleErrors = ['invalid', 'busy', 'unexpected', 'unavailable'] as const

export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'

  constructor(
    readonly kind: HttpRefusalKind,
    message: string,
  ) {
    super(message)
  }
}

/** The spec's failure envelope; what is for programs stands beside the message (gaps.md, "Errors"). */
export const failureEnvelope = (
  kind: RefusalKind | HttpRefusalKind,
  message: string,
  { code, violations }: Pick<HttpFailure, 'code' | 'violations'> = {},
) => {
  const { status, name } = httpErrorsByKind[kind]
  return { status, error: { name, message, ...(code !== undefined && { code }), ...(violations && { violations }) } }
}

/** The request may have been carried out nevertheless. */
export const storeUnavailableMessage = 'The database does not respond. Retry in a few seconds.'

export type HttpFailure = {
  readonly kind: RefusalKind | HttpRefusalKind
  readonly message: string
  /** For programs. */
  readonly code?: string | undefined
  /** Of an invalid request. */
  readonly violations?: readonly InvalidInputField[] | undefined
  /** The log entry's id. */
  readonly id?: string
}

/** Of an unexpected error only the id of its log entry. */
export const httpFailureOf = (
  error: unknown,
  request: { readonly method: string; readonly path: string },
  log: Log,
): HttpFailure => {
  if (error instanceof Refusal || error instanceof HttpRefusal) return error
  if (error instanceof StoreUnavailable) {
    log('error', 'The store did not respond to a request', { method: request.method, path: request.path, error })
    return { kind: 'unavailable', message: storeUnavailableMessage }
  }
  // Express throws it for broken percent-encoding.
  if (error instanceof URIError) return notFound('Path')
  const id = randomUUID()
  log('error', 'A request failed', { id, method: request.method, path: request.path, error })
  return {
    kind: 'unexpected',
    id,
    message: `Something went wrong on the server. The details are in its log under ${id}.`,
  }
}
