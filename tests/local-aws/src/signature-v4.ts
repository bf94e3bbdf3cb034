import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SesError } from './ses-error.js'

/** The signer and scope of a request (AWS Signature Version 4). */
export type Signer = {
  readonly key: string
  readonly day: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]+)$/

export const signerOf = ({ headers: { authorization = '' } }: IncomingMessage): Signer | undefined => {
  const [, key, day, region, service, signedHeaders, signature] = form.exec(authorization) ?? []
  if (!(key && day && region && service && signedHeaders && signature)) return undefined
  return { key, day, region, service, signedHeaders: signedHeaders.split(';'), signature }
}

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

const canonicalQuery = (search: URLSearchParams): string =>
  [...search]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&')

/** @throws SesError if the secret does not produce the signature */
export const assertSigned = (
  { method = '', url = '/', headers }: IncomingMessage,
  body: Uint8Array,
  { day, region, service, signedHeaders, signature }: Signer,
  secret: string,
): void => {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const canonical = [
    method,
    pathname.split('/').map(encodeURIComponent).join('/'),
    canonicalQuery(searchParams),
    ...signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signedHeaders.join(';'),
    sha256(body),
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const toSign = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonical)}`
  const key = ['aws4_request', service, region, day].reduceRight(
    (last: string | Buffer, part) => hmac(last, part),
    `AWS4${secret}`,
  )
  if (hmac(key, toSign).toString('hex') !== signature)
    throw new SesError(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
      403,
    )
}
