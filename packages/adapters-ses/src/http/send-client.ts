import { type ConnectionPool, connectionPool } from './connection-pool.js'
import type { Answer } from './response-reader.js'
import type { ConnectionLimits } from './sdk-client.js'
import {
  type SendEmailInput,
  type SendEndpoint,
  type SendRequestComposer,
  sendRequestComposer,
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

/** As the SDK found them. Plain data. */
export type SendAccess = {
  readonly endpoint: SendEndpoint
  readonly credentials: SigningCredentials
  /** How far this clock is behind AWS's, in ms. */
  readonly clockOffset: number
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Empty if the body is not JSON, for example a proxy's. */
const fieldsOf = ({ body }: Answer): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

/** `Name:http://…` or `prefix#Name` (AWS JSON and REST-JSON protocols, "Operation error serialization"). */
const refusalOf = (answer: Answer): SesRefusal => {
  const fields = fieldsOf(answer)
  const type = answer.headers.get('x-amzn-errortype') ?? textOf(fields.__type) ?? textOf(fields.code) ?? 'UnknownError'
  const name = (type.split(':')[0] ?? '').split('#').at(-1) ?? type
  const message = textOf(fields.message) ?? textOf(fields.Message) ?? `Amazon SES responded with status ${answer.status}.`
  return new SesRefusal(name, message, answer.status)
}

type Way = { readonly connections: ConnectionPool; readonly requestOf: SendRequestComposer }

/** SendEmail without the SDK, which takes ten times as long. */
export const sendEmailClient = (
  region: string,
  limits: ConnectionLimits,
  access: () => SendAccess | Promise<SendAccess>,
) => {
  let way: Way | undefined

  return {
    /**
     * Returns SES's message id.
     * @throws NoAnswer, SesRefusal, errors of `access`
     */
    send: async (asked: SendEmailInput): Promise<string> => {
      const found = access()
      const { endpoint, credentials, clockOffset } = found instanceof Promise ? await found : found
      way ??= { connections: connectionPool(endpoint, limits), requestOf: sendRequestComposer(endpoint, region) }
      const { connections, requestOf } = way
      const answer = await connections.exchange((into) => requestOf(asked, credentials, Date.now() + clockOffset, into))
      if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer)
      return textOf(fieldsOf(answer).MessageId) ?? ''
    },
    close: (): void => way?.connections.close(),
  }
}
