import { type Api, endpoints } from './api.js'
import { downloadedFile, formOf } from './files.js'
import { type Page, pagesOf, type Query, searchOf } from './pages.js'
import { type RequestOptions, readResult, type Send, type TransportOptions, transport } from './transport.js'

export type PosthornOptions = Pick<TransportOptions, 'fetch' | 'timeout' | 'retries'> & {
  /** `https://mail.example.com`, with a path if the server has one. */
  readonly baseUrl: string
  readonly projectId: string
  /** Absent in browsers, where the page's Origin counts. */
  readonly apiKey?: string | undefined
}

/** The API of a project, as `resource.verb`. */
export interface Posthorn extends Api {}

/** For 200 MB at 200 KB a second, in ms. */
const uploadTimeout = 1_000_000

type Endpoint = readonly [
  method: string,
  path: string,
  ...flags: readonly ('body' | 'form' | 'query' | 'pages' | 'limit' | 'file' | 'effect')[],
]

/** @throws TypeError for an absent or empty value, which would name another record */
export const filledPath = (path: string, values: readonly unknown[]): string => {
  let count = 0
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[count++]
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty.`)
    return encodeURIComponent(value.toWellFormed())
  })
}

/** Arguments: path values, body, query, RequestOptions; only arguments that the endpoint has. */
const callOf = (send: Send, project: string, [method, path, ...flags]: Endpoint) => {
  const has = (flag: Endpoint[number]) => flags.some((one) => one === flag)
  const names = path.split('{').length - 1
  return (...given: readonly unknown[]): unknown => {
    const url = filledPath(path.startsWith('/v1/') ? path : `${project}${path}`, given)
    const rest = given.slice(names)
    const body = has('body') ? (rest.shift() ?? {}) : has('form') ? formOf(rest.shift() as object) : undefined
    const query = (has('query') ? rest.shift() : undefined) as Query | undefined
    const options = rest[0] as RequestOptions | undefined
    const call = <T>(search: URLSearchParams, read: (response: Response) => Promise<unknown>) =>
      send(
        {
          ...(has('form') && { timeout: uploadTimeout }),
          ...options,
          method,
          hasEffect: has('effect'),
          path: search.size === 0 ? url : `${url}?${search}`,
          body,
        },
        read,
      ) as Promise<T>
    if (has('pages')) return pagesOf({ ...query }, has('limit'), (search) => call<Page<unknown>>(search, readResult))
    return call(searchOf({ ...query }), has('file') ? downloadedFile : readResult)
  }
}

const apiOf = ({ baseUrl, projectId, apiKey, fetch, timeout, retries }: PosthornOptions): Posthorn => {
  const send = transport({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` },
    fetch,
    timeout,
    retries,
  })
  const project = `/v1/projectId/${encodeURIComponent(projectId)}`
  const resources = Object.entries(endpoints).map(([resource, verbs]) => [
    resource,
    Object.fromEntries(Object.entries(verbs).map(([verb, endpoint]) => [verb, callOf(send, project, endpoint)])),
  ])
  return Object.fromEntries(resources)
}

/**
 * The client of a project.
 *
 * ```ts
 * const posthorn = new Posthorn({ baseUrl: 'https://mail.example.com', projectId, apiKey })
 * await posthorn.contacts.create({ email: 'ada@example.com' })
 * ```
 */
export const Posthorn: new (options: PosthornOptions) => Posthorn = class {
  constructor(options: PosthornOptions) {
    Object.assign(this, apiOf(options))
  }
} as new (
  options: PosthornOptions,
) => Posthorn
