import type { Express } from 'express'
import { httpErrorsByKind } from './errors.js'
import { downloadTypesOf, readDownload } from './response.js'
import { type Route, takesIdempotencyKey } from './route.js'
import { type OperationId, type OperationResult, routes } from './routes/index.js'

export type TestHttpRequest = {
  readonly params?: Readonly<Record<string, string>>
  /** As in the URL, such as `filter[name]`. */
  readonly query?: Readonly<Record<string, string>>
  /** JSON; strings unchanged, FormData as multipart. */
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** 0 is the row's path, 1 the first of `alsoAt`. */
  readonly spelling?: number
}

/** `result` on success, `error` on failure. */
export type TestHttpResponse<R = unknown> = {
  readonly status: number
  readonly result: R
  readonly error: { readonly name: string; readonly message: string } | undefined
  readonly headers: Headers
}

const urlOf = (row: Route, { params = {}, query = {}, spelling = 0 }: TestHttpRequest): string => {
  const path = spelling === 0 ? row.path : row.alsoAt?.[spelling - 1]
  if (path === undefined) throw new Error(`${row.id} has no spelling ${spelling}`)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}

const sentAs = (body: unknown): string | FormData =>
  typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body)

const answerOf = async ({ success: [status, view] }: Route, response: Response): Promise<unknown> => {
  const fileTypes = downloadTypesOf(view)
  if (fileTypes.length === 0 || response.status !== status) return response.json()
  const seen = response.headers.get('content-type') ?? ''
  if (!fileTypes.some((type) => seen.startsWith(type)))
    throw new Error(`A file of ${fileTypes.join(', ')} came as ${seen}`)
  return { status, result: await readDownload(response) }
}

const assertPromised = (row: Route, status: number, text: unknown): void => {
  const [success, view] = row.success
  const kinds = [
    ...row.fails,
    ...(takesIdempotencyKey(row) ? (['duplicate'] as const) : []),
    'invalid',
    'busy',
    ...(row.body ? (['too-large', 'too-slow'] as const) : []),
  ] as const
  const promised = [success, ...kinds.map((kind) => httpErrorsByKind[kind].status)]
  if (!promised.includes(status))
    throw new Error(`${row.id} answered ${status}, which its row does not promise: ${JSON.stringify(text)}`)
  if (status !== success) return
  const { result } = text as { result: unknown }
  const seen = view.safeParse(result)
  if (!seen.success) throw new Error(`${row.id} answered what its view does not fit: ${seen.error.message}`)
  if (JSON.stringify(sorted(seen.data)) !== JSON.stringify(sorted(result)))
    throw new Error(`${row.id} answered fields that its view does not name: ${JSON.stringify(result)}`)
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

/** By operation id. Fails on undocumented responses. */
export const testClient = async (app: Express) => {
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const base = `http://127.0.0.1:${port}`

  return {
    base,
    call: async <I extends OperationId>(
      id: I,
      asked: TestHttpRequest = {},
    ): Promise<TestHttpResponse<OperationResult<I>>> => {
      const row = routes.find((one) => one.id === id)
      if (!row) throw new Error(`There is no endpoint ${id}`)
      const { body, key, headers = {} } = asked
      const response = await fetch(`${base}${urlOf(row, asked)}`, {
        method: row.method.toUpperCase(),
        headers: {
          ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
          ...(key && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body !== undefined && { body: sentAs(body) }),
      })
      const text = (await answerOf(row, response)) as Pick<
        TestHttpResponse<OperationResult<I>>,
        'status' | 'result' | 'error'
      >
      if (text.status !== response.status) throw new Error(`${id} says ${text.status} and answers ${response.status}`)
      assertPromised(row, response.status, text)
      return { status: response.status, result: text.result, error: text.error, headers: response.headers }
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
export type TestClient = Awaited<ReturnType<typeof testClient>>
