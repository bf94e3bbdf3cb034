import { tagsOf } from '../mail-tags.js'
import { type RequestBytes, requestBytes } from './request-bytes.js'
import { type SigningCredentials, sha256, signer } from './signature-v4.js'

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

/** Where SendEmail is, as the SDK has found it. Plain data. */
export type SendEndpoint = {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly path: string
}

const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

const beforeMime = '{"Content":{"Raw":{"Data":"'

const afterMime = ({ from, to, configurationSet, tenant, ...mail }: SendEmailAsked): string =>
  `"}},"FromEmailAddress":${JSON.stringify(from)},"Destination":{"ToAddresses":[${JSON.stringify(to)}]},"EmailTags":${JSON.stringify(
    tagsOf(mail),
  )}${field('ConfigurationSetName', configurationSet)}${field('TenantName', tenant)}}`

/** `20261122T093700Z` */
const amzDate = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')

const isStandard = ({ protocol, port }: SendEndpoint) =>
  port === undefined || port === (protocol === 'https:' ? 443 : 80)

/** What ends a line would begin a header of its own; keys and tokens were written by others. */
const inOneLine = (text: string): string => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e) throw new Error('The AWS credentials have characters that no header takes.')
  }
  return text
}

/** So much is left for the head before the body, which is made first; larger ones, by long session tokens, are joined to it. */
const headRoom = 4096

/**
 * Makes requests of SendEmail (Amazon SES API v2 reference), with raw content, as they leave: the body byte by byte what the SDK makes of
 * it, and of the SDK's headers those that the service asks for, signed.
 */
export const sendRequests = (endpoint: SendEndpoint, region: string) => {
  const { hostname, port, path } = endpoint
  const host = isStandard(endpoint) ? hostname : `${hostname}:${port}`
  const sign = signer('ses', region)
  const mimeBytes = requestBytes()
  /** The second that it was last, and how it is written. */
  let second = Number.NaN
  let at = ''

  const base64Of = (mime: string): string => {
    const bytes = mimeBytes.atLeast(mime.length)
    return bytes.toString('base64', 0, bytes.write(mime, 0, 'latin1'))
  }

  /** `now` in milliseconds, on the clock of AWS. It stands in the given bytes until they are used again. */
  return (asked: SendEmailAsked, by: SigningCredentials, now: number, into: RequestBytes): Buffer => {
    const [mime, after] = [base64Of(asked.mime), afterMime(asked)]
    const bytes = into.atLeast(headRoom + beforeMime.length + mime.length + 3 * after.length)
    let end = headRoom + bytes.write(beforeMime, headRoom, 'latin1')
    end += bytes.write(mime, end, 'latin1')
    end += bytes.write(after, end, 'utf8')
    if (Math.floor(now / 1000) !== second) [second, at] = [Math.floor(now / 1000), amzDate(now)]
    const bodyHash = sha256(bytes.subarray(headRoom, end))
    const headers = {
      'content-length': String(end - headRoom),
      'content-type': 'application/json',
      host,
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': at,
      ...(by.sessionToken !== undefined && { 'x-amz-security-token': inOneLine(by.sessionToken) }),
    }
    let head = `POST ${path} HTTP/1.1\r\nauthorization: ${inOneLine(sign({ method: 'POST', path, headers, bodyHash }, by, at))}\r\n`
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
    head += '\r\n'
    if (head.length > headRoom) return Buffer.concat([Buffer.from(head, 'latin1'), bytes.subarray(headRoom, end)])
    bytes.write(head, headRoom - head.length, 'latin1')
    return bytes.subarray(headRoom - head.length, end)
  }
}
export type SendRequests = ReturnType<typeof sendRequests>
