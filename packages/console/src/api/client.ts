import { readResult, searchOf, transport } from '@posthorn/client/transport'
import { asApiError } from './errors.js'
import type {
  Call,
  Method,
  OperatorBody,
  OperatorPathOf,
  OperatorResponse,
  PathOf,
  ResponseOf,
  Scalar,
} from './types.js'

const mount = document.documentElement.dataset.mount ?? ''

export const consoleBase = `${mount}/console`
const apiBase = `${consoleBase}/api`

/** Nobody waits for retries here: queries repeat by themselves, and a person has a button. */
const send = transport({ baseUrl: apiBase, credentials: 'same-origin', retries: 0 })

/** 50 MB at 50 KB a second, in ms. */
const uploadTimeout = 1_000_000

type Sent = { readonly body?: unknown; readonly signal?: AbortSignal }

/** `path`: below the console's API. @throws PosthornError */
export const request = async (method: string, path: string, { body, signal }: Sent = {}): Promise<unknown> => {
  const timeout = body instanceof FormData ? uploadTimeout : undefined
  try {
    return await send({ method: method.toUpperCase(), path, body, signal, timeout }, readResult)
  } catch (error) {
    const { kind, code } = asApiError(error)
    // A wrong password or code; the session is still valid.
    const isProof = code === 'wrong-password' || code === 'wrong-code'
    if (kind === 'session' && !isProof) window.dispatchEvent(new Event(sessionEnded))
    throw error
  }
}

const filledPath = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed()))

type Place = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, Scalar>>
  readonly filter?: Readonly<Record<string, Scalar>>
}

const pathIn = (projectId: string, path: string, { params, query, filter }: Place = {}): string => {
  const search = searchOf({ ...query, filter }).toString()
  return `/projectId/${encodeURIComponent(projectId)}${filledPath(path, params)}${search && `?${search}`}`
}

export const urlOf = (...place: Parameters<typeof pathIn>): string => apiBase + pathIn(...place)

/** Calls a row under the session; path, body and result are the row's own types. @throws PosthornError */
export const call = async <M extends Method, const P extends PathOf<M>>(
  projectId: string,
  method: M,
  path: P,
  ...[given]: object extends Call<M, P> ? [Call<M, P>?] : [Call<M, P>]
): Promise<ResponseOf<M, P>> => {
  const { body, signal, ...place } = (given ?? {}) as Place & Sent
  return (await request(method, pathIn(projectId, path, place), { body, signal })) as ResponseOf<M, P>
}

/** The same for the rows of operators, which are in no project. @throws PosthornError */
export const callOperator = async <M extends Method, const P extends OperatorPathOf<M>>(
  method: M,
  path: P,
  { body, signal, params, query }: Omit<Place, 'filter'> & Sent & { readonly body?: OperatorBody<M, P> } = {},
): Promise<OperatorResponse<M, P>> => {
  const search = searchOf({ ...query }).toString()
  const at = `/operator${filledPath(path, params)}${search && `?${search}`}`
  return (await request(method, at, { body, signal })) as OperatorResponse<M, P>
}
/** A file that the server makes, as text. @throws PosthornError */
export const readFile = (projectId: string, path: string, { signal, ...place }: Place & Sent): Promise<string> =>
  send({ method: 'GET', path: pathIn(projectId, path, place), signal }, (response) => response.text())

/** @throws PosthornError */
export const uploadImport = async (projectId: string, file: File): Promise<ResponseOf<'post', '/imports'>> => {
  const body = new FormData()
  body.append('file', file, file.name)
  return (await request('post', pathIn(projectId, '/imports'), { body })) as ResponseOf<'post', '/imports'>
}

/** `folder`: an id; empty: the top level. @throws PosthornError */
export const uploadImage = async (
  projectId: string,
  file: File,
  folder = '',
): Promise<ResponseOf<'post', '/gallery/images'>> => {
  const body = new FormData()
  if (folder !== '') body.append('parentFolderId', folder)
  body.append('image', file, file.name)
  return (await request('post', pathIn(projectId, '/gallery/images'), { body })) as ResponseOf<
    'post',
    '/gallery/images'
  >
}

/** Where programs find the API, without a slash at the end. */
export const apiBaseUrl = (): string => window.location.origin + consoleBase.replace(/\/console$/, '')

/** The OpenAPI document. @throws PosthornError */
export const readApiDescription = (signal: AbortSignal): Promise<unknown> =>
  transport({ baseUrl: apiBaseUrl(), retries: 0 })({ method: 'GET', path: '/v1/openapi.json', signal }, (response) =>
    response.json(),
  )

/** Sent to `window` when a response says that the session has ended. */
export const sessionEnded = 'posthorn-session-ended'
/** Sent to `window` after signing in again: failed requests may be repeated. */
export const signedInAgain = 'posthorn-signed-in-again'
