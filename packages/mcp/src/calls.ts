import type { ApiRequest, ApiResponse, PerformRequest } from '@posthorn/http-express'
import { type CallToolResult, ErrorCode, McpError } from '#sdk/types.js'
import type { ApiTool } from './tools.js'

type Arguments = Readonly<Record<string, unknown>>

const wrong = (message: string) => new McpError(ErrorCode.InvalidParams, message)

const textOf = (name: string, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw wrong(`${name} must be a text, a number or a boolean.`)
}

const pathOf = ({ path }: ApiTool, projectId: string, given: Arguments): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = name === 'projectId' ? projectId : textOf(name, given[name])
    // Dots would be resolved as a path.
    if (text === '' || text === '.' || text === '..') throw wrong(`${name} must be the value of one path segment.`)
    return encodeURIComponent(text)
  })

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const searchOf = (query: readonly (readonly [string, unknown])[]): string => {
  const search = new URLSearchParams()
  for (const [name, value] of query) {
    if (name !== 'filter') search.append(name, textOf(name, value))
    else if (!isObject(value)) throw wrong('filter must be an object.')
    else for (const [field, one] of Object.entries(value)) search.append(`filter[${field}]`, textOf(field, one))
  }
  return search.size === 0 ? '' : `?${search.toString()}`
}

const keyPattern = /^[\x21-\x7e]{1,255}$/

/** The API checks the values. @throws McpError for unknown or missing arguments */
export const apiRequestOf = (api: ApiTool, projectId: string, given: Arguments): ApiRequest => {
  const { tool, method, place, required, hasBody } = api
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const unknown = entries.find(([name]) => !place.has(name))
  if (unknown) {
    const all = [...place.keys()].join(', ') || 'none'
    throw wrong(`${tool.name} has no argument ${JSON.stringify(unknown[0].slice(0, 100))}. Its arguments: ${all}.`)
  }
  const missing = required.filter((name) => given[name] === undefined)
  if (missing.length > 0) throw wrong(`${tool.name} needs ${missing.join(', ')}.`)
  const at = (where: string) => entries.filter(([name]) => place.get(name) === where)
  const [whole] = at('whole body')
  const body = whole ? whole[1] : Object.fromEntries(at('body'))
  const [key] = at('idempotency key')
  if (key && !(typeof key[1] === 'string' && keyPattern.test(key[1])))
    throw wrong('idempotencyKey must be 1 to 255 visible ASCII characters.')
  return {
    method,
    path: `${pathOf(api, projectId, given)}${searchOf(at('query'))}`,
    headers: {
      accept: 'application/json',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': String(key[1]) }),
    },
    ...(hasBody && { body: JSON.stringify(body) }),
  }
}

/** Bytes of a response. Larger ones would fill the assistant's context. */
export const largestResult = 256 * 1024

/** Undefined if it is longer; then the rest is not read. */
export const limitedText = async (body: AsyncIterable<Uint8Array>): Promise<string | undefined> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > largestResult) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failed = (message: string, details?: Arguments): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: message }],
  ...(details && { structuredContent: details }),
})

const tooLarge = `The result is larger than ${largestResult / 1024} kB. Ask for less: a page with limit and skip, a filter, or one record by its id.`

/** The assistant reads the message of a result with `isError`. */
export const callTool = async (
  perform: PerformRequest,
  api: ApiTool,
  projectId: string,
  given: Arguments,
): Promise<CallToolResult> => {
  const request = apiRequestOf(api, projectId, given)
  let response: ApiResponse
  let text: string | undefined
  try {
    response = await perform(request)
    text = await limitedText(response.body)
  } catch (error) {
    const effect = api.changes ? ' It may have been carried out; check before you repeat it.' : ''
    return failed(`No response from Posthorn: ${error instanceof Error ? error.message : String(error)}.${effect}`)
  }
  if (text === undefined) return failed(api.changes ? `It was carried out, but not shown. ${tooLarge}` : tooLarge)
  const { status, retryAfter } = response
  const envelope = parsed(text)
  if (status >= 400 && isObject(envelope) && isObject(envelope.error)) {
    const { error } = envelope
    const wait = retryAfter === undefined ? '' : ` Retry after ${retryAfter} s.`
    return failed(`${String(error.name)}: ${String(error.message)}${wait}`, { status, error })
  }
  if (status >= 400 || !isObject(envelope) || !('result' in envelope))
    return failed(`The response with status ${status} is not one of Posthorn’s API. Check the URL.`)
  const { result } = envelope
  return {
    content: [{ type: 'text', text: JSON.stringify(result) }],
    structuredContent: isObject(result) ? { ...result } : { result },
  }
}
