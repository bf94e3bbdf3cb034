import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'

export type SigningCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export type SignedRequest = {
  readonly method: string
  /** As sent, without a query; AWS signs it encoded again. */
  readonly path: string
  /** By lower-case name; all are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyHash: string
}

export const sha256 = (text: string | Uint8Array): string => hash('sha256', text, 'hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** AWS Signature Version 4 (AWS IAM User Guide, "Create a signed AWS API request"). */
export const awsRequestSigner = (service: string, region: string) => {
  let known: { readonly secret: string; readonly day: string; readonly key: KeyObject } | undefined

  const keyFor = (secret: string, day: string): KeyObject => {
    if (known?.secret !== secret || known.day !== day) {
      const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer
      known = { secret, day, key: createSecretKey(key) }
    }
    return known.key
  }

  /** Returns the `Authorization` header; `at` is the `x-amz-date`. */
  return ({ method, path, headers, bodyHash }: SignedRequest, by: SigningCredentials, at: string): string => {
    const names = Object.keys(headers).sort()
    const signed = names.join(';')
    let canonical = `${method}\n${path.replaceAll('%', '%25')}\n\n`
    for (const name of names) canonical += `${name}:${headers[name]}\n`
    canonical += `\n${signed}\n${bodyHash}`
    const day = at.slice(0, 8)
    const scope = `${day}/${region}/${service}/aws4_request`
    const signature = createHmac('sha256', keyFor(by.secretAccessKey, day))
      .update(`AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`)
      .digest('hex')
    return `AWS4-HMAC-SHA256 Credential=${by.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
  }
}
