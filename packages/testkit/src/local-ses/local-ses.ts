import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { approvedAccount, type LocalAccount, type SendingAccount, sendingAccount } from './account.js'
import { type SigningCertificate, signingCertificate } from './certificate.js'
import { localSns } from './local-sns.js'
import { happenings, mailEvent, publishedType, type SentMail } from './mail-events.js'
import { operationAt } from './operations.js'
import { type LocalRegion, localRegion } from './region.js'
import { SesError } from './ses-error.js'
import { certificatePath, type SignatureVersion, type SnsMessage, type SnsType, snsMessage } from './sns-message.js'

/**
 * What to do instead of answering: refuse, break the connection before or after the request was carried out, or carry it out and
 * never say so.
 */
export type Fault = SesError | 'break-before' | 'break-after' | 'no-answer'

/** A call as it came in. */
export type LocalCall = { readonly operation: string; readonly region: string; readonly body: object }

export type LocalSesOptions = {
  /** Where it differs from an account with production access. */
  readonly account?: Partial<LocalAccount>
  /** The only access key that is taken; any is unless given. */
  readonly accessKeyId?: string
  readonly signatureVersion?: SignatureVersion
  readonly port?: number
  readonly now?: () => number
}

const readAll = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const answerJson = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** AWS Signature Version 4: who signs, and for which region. */
const credentialsIn = ({ headers: { authorization = '' } }: IncomingMessage) => {
  const [, key = '', region = ''] =
    /Credential=([^/,\s]+)\/\d{8}\/([a-z0-9-]+)\/ses\/aws4_request/.exec(authorization) ?? []
  return key === '' ? undefined : { key, region }
}

/**
 * Amazon SES as far as Posthorn uses it, on 127.0.0.1: the REST operations of its API v2 with their refusals, throttling and quotas,
 * and the events of mails, signed and posted as SNS does. The AWS SDK reaches it by `AWS_ENDPOINT_URL_SESV2`.
 */
export const localSes = async (options: LocalSesOptions = {}) => {
  const { accessKeyId, port = 0, now = Date.now } = options
  let account: LocalAccount = { ...approvedAccount, ...options.account }
  let version: SignatureVersion = options.signatureVersion ?? '1'
  let certificate: SigningCertificate | undefined
  let fault: (call: LocalCall) => Fault | undefined = () => undefined
  let base = ''
  const regions = new Map<string, { readonly stores: LocalRegion; readonly account: SendingAccount }>()
  const sent: SentMail[] = []
  const calls: LocalCall[] = []
  const signer = {
    base: () => base,
    version: () => version,
    now,
    /** Made when it is first asked for: a key takes a third of a second. */
    certificate: () => {
      certificate ??= signingCertificate({ now: new Date(now()) })
      return certificate
    },
  }
  const sns = localSns(signer)

  const regionOf = (name: string) => {
    const known = regions.get(name)
    if (known) return known
    const sending = sendingAccount(() => account, now)
    const made = { stores: localRegion(name, sending, () => account.productionAccess), account: sending }
    regions.set(name, made)
    return made
  }

  /** Tells what became of a mail to those who are to be told of it. */
  const publish = (mail: SentMail, eventType: string, detail: Readonly<Record<string, unknown>>): void => {
    const { configurationSets } = regionOf(mail.region).stores
    if (mail.configurationSet === undefined || !configurationSets.has(mail.configurationSet)) return
    for (const { types, topicArn } of configurationSets.destinations(mail.configurationSet))
      if (types.includes(publishedType(eventType))) sns.publish(topicArn, mailEvent(mail, eventType, detail, now()))
  }
  const taken = (mail: SentMail): void => {
    sent.push(mail)
    publish(mail, 'Send', {})
    for (const to of mail.to) for (const [type, detail] of happenings(to)) publish(mail, type, detail)
  }

  const called = (request: IncomingMessage, path: string, text: string) => {
    const credentials = credentialsIn(request)
    if (!credentials || (accessKeyId !== undefined && credentials.key !== accessKeyId))
      throw new SesError('UnrecognizedClientException', 'The security token included in the request is invalid.', 403)
    const found = operationAt(request.method ?? '', path)
    if (!found) throw new SesError('UnknownOperationException', 'There is no such operation.', 404)
    const body = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
    return { ...found, body, region: credentials.region }
  }

  const serveSes = (request: IncomingMessage, response: ServerResponse, path: string, text: string): void => {
    try {
      const { operation, parts, body, region } = called(request, path, text)
      const call = { operation: operation.name, region, body }
      calls.push(call)
      const trouble = fault(call)
      if (trouble instanceof SesError) throw trouble
      if (trouble === 'break-before') return void response.destroy()
      const { stores, account: sending } = regionOf(region)
      const answer = operation.run({ region: stores, account: sending, parts, body, sent: taken })
      if (trouble === 'break-after') return void response.destroy()
      if (trouble === 'no-answer') return
      answerJson(response, 200, answer)
    } catch (error) {
      if (!(error instanceof SesError)) throw error
      answerJson(response, error.status, { message: error.message }, { 'x-amzn-ErrorType': error.name })
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const text = await readAll(request)
    if (certificate && pathname === certificatePath(certificate)) return void response.end(certificate.pem)
    if (searchParams.get('Action') !== 'ConfirmSubscription') return serveSes(request, response, pathname, text)
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
    /** For `AWS_ENDPOINT_URL_SESV2` and `AWS_ENDPOINT_URL_SNS`. */
    url: base,
    /** Every mail that was taken, in order. */
    sent: sent as readonly SentMail[],
    /** Every call with credentials, in order, whatever became of it. */
    calls: calls as readonly LocalCall[],
    sns,
    /** How many connections came so far. */
    connections: (): number => connections,
    region: (name: string): LocalRegion => regionOf(name).stores,
    /** Changes the account, in every region. */
    change: (changes: Partial<LocalAccount>): void => {
      account = { ...account, ...changes }
    },
    /** Says what goes wrong from now on; the call is carried out where it says nothing. */
    failWith: (next: (call: LocalCall) => Fault | undefined): void => {
      fault = next
    },
    signWith: (next: { readonly version?: SignatureVersion; readonly certificate?: SigningCertificate }): void => {
      version = next.version ?? version
      certificate = next.certificate ?? certificate
    },
    /** Tells of a mail that was taken, as if it had happened now. */
    publish,
    /** A signed message, without posting it; `changes` are made before it is signed. */
    message: (type: SnsType, topicArn: string, message: string, changes: SnsMessage = {}): SnsMessage =>
      snsMessage(signer, type, topicArn, message, changes),
    close: async (): Promise<void> => {
      await sns.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
export type LocalSes = Awaited<ReturnType<typeof localSes>>
