import type { ApiRequest, ApiResponse, PerformRequest } from '@posthorn/http-express'

export type StdioOptions = {
  /** Of a running Posthorn, without a trailing slash. */
  readonly url: string
  readonly apiKey: string
  readonly writes: boolean
}

/** In ms. */
const timeout = 60_000

const empty: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} }

const over =
  ({ url, apiKey }: StdioOptions): PerformRequest =>
  async ({ path, body, ...others }: ApiRequest): Promise<ApiResponse> => {
    const response = await fetch(`${url}${path}`, {
      ...others,
      headers: { ...others.headers, authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body }),
      // A redirect would carry the key elsewhere.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after') ?? undefined,
      body: response.body ?? empty,
    }
  }

type OwnKey = { readonly projectId: string; readonly scope: string }

const keyOf = async (perform: PerformRequest, url: string): Promise<OwnKey> => {
  const { status, body } = await perform({ method: 'GET', path: '/v1/api-key', headers: {} }).catch((error: Error) => {
    const { cause } = error
    throw new Error(`No response from ${url}: ${cause instanceof Error ? cause.message : error.message}. Check --url.`)
  })
  const { limitedText } = await import('./calls.js')
  const text = await limitedText(body)
  if (status === 403) throw new Error(`Posthorn at ${url} refuses the API key. Check POSTHORN_API_KEY.`)
  if (status !== 200 || text === undefined)
    throw new Error(`${url} responded with status ${status}: is Posthorn there? Check --url.`)
  const { result } = JSON.parse(text) as { readonly result: OwnKey }
  return result
}

/** Serves one assistant until input ends. @throws Error if Posthorn or the key does not work */
export const mcpOverStdio = async (options: StdioOptions): Promise<void> => {
  const [{ StdioServerTransport }, { mcpServer }] = await Promise.all([
    import('#sdk/server/stdio.js'),
    import('./server.js'),
  ])
  const perform = over(options)
  const { projectId, scope } = await keyOf(perform, options.url)
  const server = mcpServer({ projectId, scope, writes: options.writes, perform })
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}
