import { tagsOf } from '../mail-tags.js'
import { type Signer, type SigningCredentials, sha256 } from './signature-v4.js'

/** What SendEmail is asked: a mail of our own making, to one recipient. */
export type SendEmailAsked = {
  readonly from: string
  readonly to: string
  /** Latin-1: the bytes as they are to leave. */
  readonly mime: string
  readonly deliveryId: string
  readonly projectId: string
  readonly configurationSet?: string | undefined
  readonly tenant?: string | undefined
}

/** Where SendEmail is, as the SDK has found it. */
export type SendEndpoint = {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly path: string
}

const field = (name: string, value: unknown): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** The body of SendEmail (Amazon SES API v2 reference), with raw content: byte by byte what the SDK makes of it. */
export const sendEmailBody = ({ from, to, mime, configurationSet, tenant, ...mail }: SendEmailAsked): Buffer =>
  Buffer.from(
    `{"Content":{"Raw":{"Data":"${Buffer.from(mime, 'latin1').toString('base64')}"}}${field('FromEmailAddress', from)}${field(
      'Destination',
      { ToAddresses: [to] },
    )}${field('EmailTags', tagsOf(mail))}${field('ConfigurationSetName', configurationSet)}${field('TenantName', tenant)}}`,
  )

/** `20261122T093700Z` */
const amzDate = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')

const isStandard = ({ protocol, port }: SendEndpoint) =>
  port === undefined || port === (protocol === 'https:' ? 443 : 80)

/** The headers that the service asks for, signed: of the SDK's those that say something. */
export const sendEmailHeaders = (
  endpoint: SendEndpoint,
  body: Uint8Array,
  credentials: SigningCredentials,
  sign: Signer,
  now: number,
): Readonly<Record<string, string>> => {
  const { hostname, port, path } = endpoint
  const bodyHash = sha256(body)
  const at = amzDate(now)
  const headers = {
    'content-length': String(body.byteLength),
    'content-type': 'application/json',
    host: isStandard(endpoint) ? hostname : `${hostname}:${port}`,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': at,
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
  }
  return { ...headers, authorization: sign({ method: 'POST', path, headers, bodyHash }, credentials, at) }
}
