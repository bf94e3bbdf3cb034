import { awsRequestSigner, type SigningCredentials, sha256 } from './signature.js'

/** SES allows letters, digits, `_` and `-`, and 256 of them in a tag's value. */
export type SesTaggedMail = { readonly deliveryId: string; readonly projectId: string }

const delivery = 'posthorn-delivery'
const project = 'posthorn-project'
const longestValue = 256

type Tag = { readonly Name: string; readonly Value: string }

/** In base64url over several tags: the id contains an address or contact id. */
export const deliveryTags = ({ deliveryId, projectId }: SesTaggedMail): Tag[] => {
  const text = Buffer.from(deliveryId).toString('base64url')
  const pieces = Array.from({ length: Math.ceil(text.length / longestValue) }, (_, i) =>
    text.slice(i * longestValue, (i + 1) * longestValue),
  )
  return [
    { Name: project, Value: projectId },
    ...pieces.map((Value, i) => ({ Name: i === 0 ? delivery : `${delivery}-${i + 1}`, Value })),
  ]
}

export const deliveryIdInTags = (tags: Readonly<Record<string, readonly string[]>>): string | undefined => {
  const pieces: string[] = []
  for (let name = delivery; ; name = `${delivery}-${pieces.length + 1}`) {
    const piece = Object.hasOwn(tags, name) ? tags[name]?.[0] : undefined
    if (piece === undefined) break
    pieces.push(piece)
  }
  return pieces.length === 0 ? undefined : Buffer.from(pieces.join(''), 'base64url').toString('utf8')
}

/** Each request is written before the buffer's next use. */
export type SendRequestBuffer = {
  readonly atLeast: (size: number) => Buffer
}

/** In bytes: most mails are smaller. */
const largestKept = 128 * 1024
const smallest = 32 * 1024

export const sendRequestBuffer = (): SendRequestBuffer => {
  let kept: Buffer | undefined
  return {
    atLeast: (size) => {
      if (size > largestKept) return Buffer.allocUnsafeSlow(size)
      if (kept === undefined || kept.length < size)
        kept = Buffer.allocUnsafeSlow(Math.max(smallest, size + (size >> 2)))
      return kept
    },
  }
}

export type SesSendEmailInput = {
  readonly from: string
  readonly to: string
  /** Latin-1: one character per byte. */
  readonly mime: string
  readonly deliveryId: string
  readonly projectId: string
  readonly configurationSet?: string | undefined
  readonly tenant?: string | undefined
}

/** As the SDK resolved it. Plain data. */
export type SesEndpoint = {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly path: string
}

const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

const beforeMime = '{"Content":{"Raw":{"Data":"'

const afterMime = ({ from, to, configurationSet, tenant, ...mail }: SesSendEmailInput): string =>
  `"}},"FromEmailAddress":${JSON.stringify(from)},"Destination":{"ToAddresses":[${JSON.stringify(to)}]},"EmailTags":${JSON.stringify(
    deliveryTags(mail),
  )}${field('ConfigurationSetName', configurationSet)}${field('TenantName', tenant)}}`

/** `20261122T093700Z` */
const amzDate = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '')

const isStandard = ({ protocol, port }: SesEndpoint) =>
  port === undefined || port === (protocol === 'https:' ? 443 : 80)

/** Line breaks in keys or tokens would inject headers. */
const inOneLine = (text: string): string => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e) throw new Error('The AWS credentials contain characters that no header may have.')
  }
  return text
}

/** Bytes for the head, which is written after the body. */
const headRoom = 4096

/** Amazon SES API v2 reference: raw content, with the SDK's body and required headers. */
export const sesRequestComposer = (endpoint: SesEndpoint, region: string) => {
  const { hostname, port, path } = endpoint
  const host = isStandard(endpoint) ? hostname : `${hostname}:${port}`
  const sign = awsRequestSigner('ses', region)
  const mimeBytes = sendRequestBuffer()
  let second = Number.NaN
  let at = ''

  const base64Of = (mime: string): string => {
    const bytes = mimeBytes.atLeast(mime.length)
    return bytes.toString('base64', 0, bytes.write(mime, 0, 'latin1'))
  }

  /** `now` is AWS time in ms. Valid until `into` is reused. */
  return (mail: SesSendEmailInput, by: SigningCredentials, now: number, into: SendRequestBuffer): Buffer => {
    const [mime, after] = [base64Of(mail.mime), afterMime(mail)]
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
export type SesRequestComposer = ReturnType<typeof sesRequestComposer>
