import { ApiError, errorOf } from './errors.js'
import type { Call, Method, PathOf, ResultOf } from './types.js'

const mount = document.documentElement.dataset.mount ?? ''

export const consoleBase = `${mount}/console`
export const apiBase = `${consoleBase}/api`

type Scalar = string | number | boolean | undefined

const queryText = (
  query: Readonly<Record<string, Scalar>> = {},
  filter: Readonly<Record<string, Scalar>> = {},
): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined) parameters.set(`filter[${name}]`, String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** In ms; a server that does not respond for so long counts as offline. */
const timeout = 30_000
/** 50 MB at 50 KB a second, in ms. */
const uploadTimeout = 1_000_000

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A wrong password or code of somebody whose session goes on. */
const isProof = ({ code }: ApiError): boolean => code === 'wrong-password' || code === 'wrong-code'

const resultIn = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'result' in body
    ? (body as { readonly result: unknown }).result
    : undefined

type Sent = {
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** @throws ApiError */
export const request = async (method: string, url: string, { body, signal, headers }: Sent = {}): Promise<unknown> => {
  const isFile = body instanceof FormData
  const ended = AbortSignal.timeout(isFile ? uploadTimeout : timeout)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: method.toUpperCase(),
      credentials: 'same-origin',
      signal: signal ? AbortSignal.any([signal, ended]) : ended,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiError('offline', '', 0, 'offline')
  }
  const answer = parsed(text)
  if (!response.ok) {
    const error = errorOf(response.status, answer, response.headers.get('retry-after'))
    if (error.kind === 'session' && !isProof(error)) window.dispatchEvent(new Event(sessionEnded))
    throw error
  }
  return resultIn(answer)
}

/** Fills `{id}` of a row's path. */
export const filledPath = (path: string, params: Readonly<Record<string, string>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed()))

export const urlOf = (
  projectId: string,
  path: string,
  params?: Readonly<Record<string, string>>,
  query?: Readonly<Record<string, Scalar>>,
  filter?: Readonly<Record<string, Scalar>>,
): string =>
  `${apiBase}/projectId/${encodeURIComponent(projectId)}${filledPath(path, params)}${queryText(query, filter)}`

/** Calls a row under the session; path, body and result are the row's own types. @throws ApiError */
export const call = async <M extends Method, const P extends PathOf<M>>(
  projectId: string,
  method: M,
  path: P,
  ...[given]: object extends Call<M, P> ? [Call<M, P>?] : [Call<M, P>]
): Promise<ResultOf<M, P>> => {
  const { params, query, filter, body, signal } = (given ?? {}) as {
    readonly params?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, Scalar>>
    readonly filter?: Readonly<Record<string, Scalar>>
    readonly body?: unknown
    readonly signal?: AbortSignal
  }
  const url = urlOf(projectId, path, params, query, filter)
  return (await request(method, url, { body, signal })) as ResultOf<M, P>
}

/** @throws ApiError */
export const uploadImport = async (projectId: string, file: File): Promise<ResultOf<'post', '/imports'>> => {
  const body = new FormData()
  body.append('file', file, file.name)
  return (await request('post', urlOf(projectId, '/imports'), { body })) as ResultOf<'post', '/imports'>
}

/** Sent to `window` when a response says that the session has ended. */
export const sessionEnded = 'posthorn-session-ended'
/** Sent to `window` after signing in again: what failed meanwhile may be repeated. */
export const signedInAgain = 'posthorn-signed-in-again'
