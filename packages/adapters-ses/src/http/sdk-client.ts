import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { SESv2Client, type SESv2ClientConfig } from '@aws-sdk/client-sesv2'
import { largestResponse, NoAnswer } from './response-reader.js'

type Handler = SESv2Client['config']['requestHandler']
type Request = Parameters<Handler['handle']>[0]

export type HttpConnectionPoolLimits = {
  readonly connections: number
  /** In ms. */
  readonly connectTimeout: number
  /** In ms, after getting a connection. */
  readonly requestTimeout: number
}

export const standardConnectionPoolLimits: HttpConnectionPoolLimits = {
  connections: 50,
  connectTimeout: 5_000,
  requestTimeout: 60_000,
}

const bytesOf = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestResponse) throw new Error(`The response has more than ${largestResponse} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const flatHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )

const pathOf = ({ path, query }: Request): string => {
  const pairs = Object.entries<string | string[] | null>(query ?? {}).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

const limitedInTime = (request: ClientRequest, { connectTimeout, requestTimeout }: HttpConnectionPoolLimits): void => {
  let timer: NodeJS.Timeout | undefined
  const within = (time: number, what: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => request.destroy(new Error(what)), time)
  }
  const onConnect = () => within(requestTimeout, `No response within ${requestTimeout} ms.`)
  request.once('socket', (socket) => {
    if (!socket.connecting) return onConnect()
    within(connectTimeout, `No connection within ${connectTimeout} ms.`)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', onConnect)
  })
  request.once('close', () => clearTimeout(timer))
}

/** Several requests may share a signal. */
const abortWith = (request: ClientRequest, options: object | undefined): void => {
  const { abortSignal: signal } = (options ?? {}) as { readonly abortSignal?: AbortSignal }
  if (signal === undefined) return
  const abort = () => void request.destroy(new Error('The request was aborted.'))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  request.once('close', () => signal.removeEventListener('abort', abort))
}

type Outgoing = {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string | undefined
}
type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}
type Exchange = (request: Outgoing, options?: object) => Promise<HttpResponse>

/** Unlike the SDK's handler, reports whether a failed request was written. */
const connectionsWithin = (limits: HttpConnectionPoolLimits) => {
  const agentOptions = { keepAlive: true, maxSockets: limits.connections, maxFreeSockets: limits.connections }
  const [plain, secure] = [new HttpAgent(agentOptions), new HttpsAgent(agentOptions)]

  const exchange: Exchange = ({ protocol, hostname, body, ...request }, options) =>
    new Promise((resolve, reject) => {
      const isSecure = protocol === 'https:'
      let written = false
      const failed = (error: Error) => reject(new NoAnswer(error.message, written))
      const host = hostname.replace(/^\[(.*)\]$/, '$1')
      const sending = (isSecure ? httpsRequest : httpRequest)(
        { ...request, agent: isSecure ? secure : plain, host },
        (response) => {
          bytesOf(response).then(
            (bytes) => resolve({ status: response.statusCode ?? 0, headers: flatHeaders(response), body: bytes }),
            (error: unknown) => {
              sending.destroy()
              failed(error instanceof Error ? error : new Error(String(error)))
            },
          )
        },
      )
      sending.once('finish', () => {
        written = true
      })
      sending.once('error', failed)
      limitedInTime(sending, limits)
      abortWith(sending, options)
      sending.end(body)
    })

  return {
    exchange,
    destroy: (): void => {
      plain.destroy()
      secure.destroy()
    },
  }
}

const outgoing = (request: Request): Outgoing => ({
  protocol: request.protocol,
  hostname: request.hostname,
  port: request.port,
  method: request.method,
  path: pathOf(request),
  headers: request.headers,
  body: request.body as Uint8Array | string | undefined,
})

/**
 * For SDK clients of all services.
 * @throws NoAnswer
 */
export const sdkRequestHandler = (limits: HttpConnectionPoolLimits = standardConnectionPoolLimits): Handler => {
  const { exchange, destroy } = connectionsWithin(limits)
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: async (request, options) => {
      const { status, headers, body } = await exchange(outgoing(request), options)
      return { response: { statusCode: status, headers, body } }
    },
    destroy,
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  }
}

/** Default: `AWS_ENDPOINT_URL_SESV2` and the SDK's credential chain. */
export type AwsOptions = Pick<SESv2ClientConfig, 'endpoint' | 'credentials'>

export type SesOptions = {
  readonly aws?: AwsOptions
  /** Default: 50 connections, 5 s to connect, 60 s for a response. */
  readonly limits?: Partial<HttpConnectionPoolLimits>
}

/** Never retries by default: the engine schedules retries. */
export const sesClient = (region: string, { aws = {}, limits = {} }: SesOptions, maxAttempts = 1): SESv2Client =>
  new SESv2Client({
    ...aws,
    region,
    maxAttempts,
    requestHandler: sdkRequestHandler({ ...standardConnectionPoolLimits, ...limits }),
  })
