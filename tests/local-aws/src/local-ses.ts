import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LocalAccount } from './account.js'
import { type AwsAccount, type AwsAccountOptions, awsAccount, type Session } from './aws-account.js'
import { rsaKeys, type SigningCertificate, signingCertificate } from './certificate.js'
import { localSns } from './local-sns.js'
import { happenings, mailEvent, publishedType, type SentMail } from './mail-events.js'
import { operationAt } from './operations.js'
import { queryAnswer, queryError, queryOperations } from './query-operations.js'
import { queueOperations } from './queues.js'
import type { LocalRegion } from './region.js'
import { SesError } from './ses-error.js'
import { assertSigned, type Signer, signerOf } from './signature-v4.js'
import { certificatePath, type SignatureVersion, type SnsMessage, type SnsType, snsMessage } from './sns-message.js'

/**
 * How a call fails: with a refusal, with a connection that breaks before or after the call was executed, or with no response after the
 * execution.
 */
export type Fault = SesError | 'break-before' | 'break-after' | 'no-answer'

export type LocalCall = {
  readonly operation: string
  readonly region: string
  readonly body: object
  readonly accountId: string
}

export type LocalSesOptions = {
  /** Changes to the default, an account with production access. */
  readonly account?: Partial<LocalAccount>
  /** The only accepted access key; if absent, any is accepted. */
  readonly accessKeyId?: string
  readonly signatureVersion?: SignatureVersion
  /** Addresses that bounce, besides the mailbox simulator's. */
  readonly bounces?: (address: string) => boolean
  readonly port?: number
  readonly now?: () => number
}

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

type Answer = { readonly status: number; readonly type: string; readonly body: string; readonly error?: string }

const json = (body: object, status = 200, error?: string): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
  ...(error !== undefined && { error }),
})

/** A refusal in the protocol of the service. */
const refusal = (service: string, error: SesError): Answer => {
  if (service === 'ses') return json({ message: error.message }, error.status, error.name)
  if (service === 'sqs')
    return json({ __type: `com.amazonaws.sqs#${error.name}`, message: error.message }, error.status)
  return { status: error.status, type: 'text/xml', body: queryError(error) }
}

const bodyOf = (text: string) => (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>

type Asked = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly text: string
  readonly account: AwsAccount
  readonly region: string
}

const ownAccountId = '123456789012'

/** With which the SNS of every instance in this process signs. */
let snsKeys: ReturnType<typeof rsaKeys> | undefined

/**
 * Amazon SES as far as Posthorn uses it, on 127.0.0.1: the REST operations of API v2 with refusals, throttling and quotas, and events that
 * are signed and posted as by SNS, or put into queues. It includes the necessary parts of STS, SNS, SQS and IAM, and supports several
 * accounts. The AWS SDK uses it by `AWS_ENDPOINT_URL_SESV2` and similar variables, or by `AWS_ENDPOINT_URL`.
 */
export const localSes = async (options: LocalSesOptions = {}) => {
  const { accessKeyId, port = 0, now = Date.now } = options
  const own = awsAccount({ id: ownAccountId, account: options.account }, now)
  const accounts = new Map<string, AwsAccount>([[own.id, own]])
  const sessions = new Map<string, Session>()
  let version: SignatureVersion = options.signatureVersion ?? '1'
  let certificate: SigningCertificate | undefined
  let fault: (call: LocalCall) => Fault | undefined = () => undefined
  let base = ''
  let closing = false
  const sent: SentMail[] = []
  const calls: LocalCall[] = []
  const signer = {
    base: () => base,
    version: () => version,
    now,
    certificate: () => {
      snsKeys ??= rsaKeys()
      certificate ??= signingCertificate({ now: new Date(now()), keys: snsKeys })
      return certificate
    },
  }
  const sns = localSns(signer)

  const accountOf = ({ accountId = ownAccountId }: SentMail): AwsAccount => accounts.get(accountId) ?? own

  /** Publishes an event of a mail to the destinations of its configuration set. */
  const publish = (mail: SentMail, eventType: string, detail: Readonly<Record<string, unknown>>): void => {
    const { configurationSets } = accountOf(mail).region(mail.region)
    if (mail.configurationSet === undefined || !configurationSets.has(mail.configurationSet)) return
    for (const { types, topicArn } of configurationSets.destinations(mail.configurationSet))
      if (types.includes(publishedType(eventType))) sns.publish(topicArn, mailEvent(mail, eventType, detail, now()))
  }
  const taken = (mail: SentMail): void => {
    sent.push(mail)
    publish(mail, 'Send', {})
    for (const to of mail.to) for (const [type, detail] of happenings(to, options.bounces)) publish(mail, type, detail)
  }

  const unknownKey = () =>
    new SesError('UnrecognizedClientException', 'The security token included in the request is invalid.', 403)

  /** The account whose credentials signed the request. @throws SesError */
  const opened = (request: IncomingMessage, body: Buffer, signer: Signer | undefined): AwsAccount => {
    if (!signer) throw unknownKey()
    const session = sessions.get(signer.key)
    if (session) {
      if (request.headers['x-amz-security-token'] !== session.sessionToken) throw unknownKey()
      if (session.expiresAt <= now())
        throw new SesError('ExpiredTokenException', 'The security token included in the request is expired', 403)
      assertSigned(request, body, signer, session.secretAccessKey)
      return session.account
    }
    const other = [...accounts.values()].find((one) => one.accessKeyId === signer.key)
    if (other?.secretAccessKey !== undefined) assertSigned(request, body, signer, other.secretAccessKey)
    if (other) return other
    if (signer.key.startsWith('ASIA') || (accessKeyId !== undefined && signer.key !== accessKeyId)) throw unknownKey()
    return own
  }

  /** Records the call, and returns its scripted fault. @throws SesError if the fault is a refusal */
  const troubleOf = (call: LocalCall): Exclude<Fault, SesError> | undefined => {
    calls.push(call)
    const trouble = fault(call)
    if (trouble instanceof SesError) throw trouble
    return trouble
  }

  const sesAnswer = ({ request, response, path, text, account, region }: Asked): Answer | undefined => {
    const found = operationAt(request.method ?? '', path)
    if (!found) throw new SesError('UnknownOperationException', 'There is no such operation.', 404)
    const { operation, parts } = found
    const body = bodyOf(text)
    const trouble = troubleOf({ operation: operation.name, region, body, accountId: account.id })
    if (trouble === 'break-before') return void response.destroy()
    const { stores, sending } = account.regionOf(region)
    const answer = operation.run({ region: stores, account: sending, parts, body, sent: taken })
    if (trouble === 'break-after') return void response.destroy()
    return trouble === 'no-answer' ? undefined : json(answer)
  }

  const queueAnswer = async ({ request, response, text, account, region }: Asked): Promise<Answer | undefined> => {
    const name = String(request.headers['x-amz-target']).replace(/^AmazonSQS\./, '')
    const operation = Object.hasOwn(queueOperations, name) ? queueOperations[name] : undefined
    if (!operation) throw new SesError('UnknownOperationException', 'There is no such operation.', 404)
    const body = bodyOf(text)
    if (troubleOf({ operation: name, region, body, accountId: account.id })) return void response.destroy()
    const isOver = () => response.destroyed || closing
    return json(await operation({ account, region, base, body, isOver }))
  }

  const queryAnswered = ({ response, text, account, region }: Asked): Answer | undefined => {
    const given = new URLSearchParams(text)
    const name = given.get('Action') ?? ''
    const operation = Object.hasOwn(queryOperations, name) ? queryOperations[name] : undefined
    if (!operation) throw new SesError('InvalidAction', 'There is no such action.', 400)
    if (troubleOf({ operation: name, region, body: Object.fromEntries(given), accountId: account.id }))
      return void response.destroy()
    const open = (session: Session) => void sessions.set(session.accessKeyId, session)
    const result = operation({ account, region, given, accounts: [...accounts.values()], sns, now, opened: open })
    return { status: 200, type: 'text/xml', body: queryAnswer(name, result) }
  }

  const services: Readonly<Record<string, (asked: Asked) => Answer | undefined | Promise<Answer | undefined>>> = {
    ses: sesAnswer,
    sqs: queueAnswer,
    sts: queryAnswered,
    sns: queryAnswered,
    iam: queryAnswered,
  }

  const serveAws = async (request: IncomingMessage, response: ServerResponse, path: string, body: Buffer) => {
    const signer = signerOf(request)
    const { service = 'ses', region = '' } = signer ?? {}
    const answered = async () => {
      const account = opened(request, body, signer)
      return services[service]?.({ request, response, path, text: body.toString('utf8'), account, region })
    }
    const answer = await answered().catch((error: unknown) => {
      if (error instanceof SesError) return refusal(service, error)
      throw error
    })
    if (!answer) return
    const headers = {
      'content-type': answer.type,
      ...(answer.error !== undefined && { 'x-amzn-ErrorType': answer.error }),
    }
    response.writeHead(answer.status, headers).end(answer.body)
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const body = await readAll(request)
    if (certificate && pathname === certificatePath(certificate)) return void response.end(certificate.pem)
    if (searchParams.get('Action') !== 'ConfirmSubscription') return serveAws(request, response, pathname, body)
    const known = sns.confirm(searchParams.get('TopicArn') ?? '', searchParams.get('Token') ?? '')
    response.writeHead(known ? 200 : 404).end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    /** The value for `AWS_ENDPOINT_URL_SESV2`, `AWS_ENDPOINT_URL_SNS` and similar variables. */
    url: base,
    /** Every accepted mail, in order. */
    sent: sent as readonly SentMail[],
    /** Every call with credentials, whatever its result, in order. */
    calls: calls as readonly LocalCall[],
    sns,
    /** The number of connections so far. */
    connections: (): number => connections,
    /** The default account: it accepts all access keys that belong to no other account. */
    own,
    region: (name: string): LocalRegion => own.region(name),
    /** Changes the account in every region. */
    change: (changes: Partial<LocalAccount>): void => own.change(changes),
    /** Adds an account with its own access key, roles, identities and quotas. */
    addAccount: (other: AwsAccountOptions): AwsAccount => {
      const made = awsAccount(other, now)
      accounts.set(made.id, made)
      return made
    },
    /** Sets which calls fail from now on; a call is executed if the function returns undefined. */
    failWith: (next: (call: LocalCall) => Fault | undefined): void => {
      fault = next
    },
    signWith: (next: { readonly version?: SignatureVersion; readonly certificate?: SigningCertificate }): void => {
      version = next.version ?? version
      certificate = next.certificate ?? certificate
    },
    /** Publishes an event of an accepted mail, with the current time. */
    publish,
    /** A signed message that is not posted; `changes` apply before signing. */
    message: (type: SnsType, topicArn: string, message: string, changes: SnsMessage = {}): SnsMessage =>
      snsMessage(signer, type, topicArn, message, changes),
    close: async (): Promise<void> => {
      closing = true
      await sns.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
export type LocalSes = Awaited<ReturnType<typeof localSes>>
