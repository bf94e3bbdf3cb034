import { randomUUID } from 'node:crypto'
import { type Log, Refusal, type RefusalKind } from '@posthorn/core'
import { notFound } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'

/** Refusals by the HTTP layer, before a use case runs. */
export type HttpKind = 'too-large' | 'head-too-large' | 'too-slow' | 'unexpected'

/** Status and name of every kind of refusal (gaps.md, "Error names and messages"). */
export const errors: Readonly<
  Record<RefusalKind | HttpKind, { readonly status: number; readonly name: string; readonly meaning: string }>
> = {
  invalid: {
    status: 400,
    name: 'VALIDATION_ERROR',
    meaning: 'The body or the query breaks a rule; every violation is in the message',
  },
  forbidden: {
    status: 403,
    name: 'AUTHORIZATION_ERROR',
    meaning:
      'Missing, unknown or revoked key, a key of another project, a wrong token, or an Origin that is not whitelisted',
  },
  'not-found': { status: 404, name: 'NOT_FOUND', meaning: 'No such record in this project, or no such path' },
  blocked: {
    status: 405,
    name: 'METHOD_NOT_ALLOWED',
    meaning:
      'A business rule stands in the way: in use, out of credit, a cap, a restriction, a suppressed address; or the path has no such method, and `Allow` lists those it has',
  },
  duplicate: {
    status: 409,
    name: 'CONFLICT',
    meaning:
      'It exists already; or the Idempotency-Key was used for another request, or for one that is still under way (then with Retry-After)',
  },
  'too-large': { status: 413, name: 'PAYLOAD_TOO_LARGE', meaning: 'The body is larger than the endpoint takes' },
  'head-too-large': {
    status: 431,
    name: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
    meaning: 'The address and the headers of the request are larger than 8 KB',
  },
  'too-slow': { status: 408, name: 'REQUEST_TIMEOUT', meaning: 'The body stopped coming, or came too slowly' },
  busy: {
    status: 429,
    name: 'TOO_MANY_REQUESTS',
    meaning:
      'More requests than the rate allows, more work at the same time, or work that takes too long; Retry-After says when to come back',
  },
  unexpected: {
    status: 500,
    name: 'INTERNAL_SERVER_ERROR',
    meaning: 'A fault of the server; the message carries the id under which the log has the detail',
  },
  unavailable: {
    status: 503,
    name: 'SERVICE_UNAVAILABLE',
    meaning:
      'Something outside did not answer as it should; where that is the database, Retry-After says when to try again',
  },
}

/** Errors that every endpoint may return: an unknown query key, a rate limit, a server fault, an unavailable store. */
export const alwaysPossible = ['invalid', 'busy', 'unexpected', 'unavailable'] as const

/** A refusal by the HTTP layer. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'

  constructor(
    readonly kind: HttpKind,
    message: string,
  ) {
    super(message)
  }
}

/** The spec's failure envelope. */
export const failure = (kind: RefusalKind | HttpKind, message: string) => {
  const { status, name } = errors[kind]
  return { status, error: { name, message } }
}

/** The message while the store does not answer. The request may have been carried out nevertheless. */
export const storeUnavailable = 'The database does not answer at the moment. Please try again in a few seconds.'

export type Reason = {
  readonly kind: RefusalKind | HttpKind
  readonly message: string
  /** The log has the detail under this id. */
  readonly id?: string
}

/** What a client may see of an error. An unexpected error is logged under an id, and the client gets only the id. */
export const reasonOf = (
  error: unknown,
  request: { readonly method: string; readonly path: string },
  log: Log,
): Reason => {
  if (error instanceof Refusal || error instanceof HttpRefusal) return error
  if (error instanceof StoreUnavailable) {
    log('error', 'The store did not answer a request', { method: request.method, path: request.path, error })
    return { kind: 'unavailable', message: storeUnavailable }
  }
  // Express throws it for a path with broken percent-encoding, which matches no endpoint.
  if (error instanceof URIError) return notFound('Path')
  const id = randomUUID()
  log('error', 'A request failed', { id, method: request.method, path: request.path, error })
  return { kind: 'unexpected', id, message: `Something went wrong on the server. Its log has the detail under ${id}.` }
}
