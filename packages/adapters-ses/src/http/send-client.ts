import { type HttpConnectionPool, httpConnectionPool } from './connection-pool.js'
import type { HttpResponse } from './response-reader.js'
import type { HttpConnectionPoolLimits } from './sdk-client.js'
import {
  type SesEndpoint,
  type SesRequestComposer,
  type SesSendEmailInput,
  sesRequestComposer,
} from './send-request.js'
import type { SigningCredentials } from './signature.js'

/** SES's error response, named as in the SDK. */
export class SesRefusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number | undefined }

  constructor(
    override readonly name: string,
    message: string,
    status: number | undefined,
  ) {
    super(message)
    this.$metadata = { httpStatusCode: status }
  }
}

/** From the SDK. Plain data. */
export type SesSendCredentials = {
  readonly endpoint: SesEndpoint
  readonly credentials: SigningCredentials
  /** In ms: how far this clock is behind AWS's. */
  readonly clockOffset: number
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Empty if the body is not JSON, for example a proxy's. */
const fieldsOf = ({ body }: HttpResponse): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** `Name:http://…` or `prefix#Name` (AWS JSON and REST-JSON protocols, "Operation error serialization"). */
const refusalOf = (response: HttpResponse): SesRefusal => {
  const fields = fieldsOf(response)
  const type =
    response.headers.get('x-amzn-errortype') ?? textOf(fields.__type) ?? textOf(fields.code) ?? 'UnknownError'
  const name = (type.split(':')[0] ?? '').split('#').at(-1) ?? type
  const message =
    textOf(fields.message) ?? textOf(fields.Message) ?? `Amazon SES responded with status ${response.status}.`
  return new SesRefusal(name, message, response.status)
}

type Connected = { readonly connections: HttpConnectionPool; readonly requestOf: SesRequestComposer }

/** SendEmail without the SDK, which takes ten times as long. */
export const sendEmailClient = (
  region: string,
  limits: HttpConnectionPoolLimits,
  access: () => SesSendCredentials | Promise<SesSendCredentials>,
) => {
  let connected: Connected | undefined

  return {
    /** Returns SES's message id. @throws NoAnswer, SesRefusal, errors of `access` */
    send: async (mail: SesSendEmailInput): Promise<string> => {
      const found = access()
      const { endpoint, credentials, clockOffset } = found instanceof Promise ? await found : found
      connected ??= {
        connections: httpConnectionPool(endpoint, limits),
        requestOf: sesRequestComposer(endpoint, region),
      }
      const { connections, requestOf } = connected
      const response = await connections.exchange((into) =>
        requestOf(mail, credentials, Date.now() + clockOffset, into),
      )
      if (response.status < 200 || response.status >= 300) throw refusalOf(response)
      return textOf(fieldsOf(response).MessageId) ?? ''
    },
    close: (): void => connected?.connections.close(),
  }
}
