import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { tagsOf } from '../mail-tags.js'
import type { Answer, Exchange } from '../request-handler.js'
import { type SendEmailAsked, type SendEndpoint, sendEmailBody, sendEmailHeaders } from './send-request.js'
import { signer } from './signature-v4.js'

/** What SES refused, named as the SDK names it. */
class SesRefusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number }

  constructor(
    override readonly name: string,
    message: string,
    status: number,
  ) {
    super(message)
    this.$metadata = { httpStatusCode: status }
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** An answer's JSON; nothing where it has none, as of a proxy in between. */
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
  const type = answer.headers['x-amzn-errortype'] ?? textOf(fields.__type) ?? textOf(fields.code) ?? 'UnknownError'
  const name = (type.split(':')[0] ?? '').split('#').at(-1) ?? type
  const message = textOf(fields.message) ?? textOf(fields.Message) ?? `Amazon SES answered ${answer.status}.`
  return new SesRefusal(name, message, answer.status)
}

/**
 * SendEmail without the SDK's middleware, which takes seven times as long: the same request by the same connections, signed here. The
 * first mails go by the SDK, which finds the endpoint and the credentials; what it has found serves all others.
 * @throws NoAnswer, or an error with AWS's name for it
 */
export const leanSender = (
  client: SESv2Client,
  region: string,
  { exchange, sendEndpoint }: { readonly exchange: Exchange; readonly sendEndpoint: () => SendEndpoint | undefined },
) => {
  const sign = signer('ses', region)

  const bySdk = async ({ from, to, mime, configurationSet, tenant, ...mail }: SendEmailAsked): Promise<string> => {
    const { MessageId = '' } = await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Raw: { Data: Buffer.from(mime, 'latin1') } },
        EmailTags: tagsOf(mail),
        ConfigurationSetName: configurationSet,
        TenantName: tenant,
      }),
    )
    return MessageId
  }

  /** Answers the id that SES gives the mail. */
  return async (asked: SendEmailAsked): Promise<string> => {
    const endpoint = sendEndpoint()
    if (endpoint === undefined) return bySdk(asked)
    const credentials = await client.config.credentials()
    const body = sendEmailBody(asked)
    // The SDK finds out by its own calls how wrong this machine's clock is.
    const now = Date.now() + client.config.systemClockOffset
    const headers = sendEmailHeaders(endpoint, body, credentials, sign, now)
    const answer = await exchange({ ...endpoint, method: 'POST', headers, body })
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(answer)
    return textOf(fieldsOf(answer).MessageId) ?? ''
  }
}
