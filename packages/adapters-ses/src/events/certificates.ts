import { type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { forbidden, unavailable } from '@posthorn/core/ports/runtime'
import { issuerCertificateUrl, isUrlOfSnsEndpoint, snsCertificateNamesOf } from './trusted-url.js'

/** @throws Error if the status is not 2xx */
export type FetchBytes = (url: string) => Promise<Uint8Array>

export type SnsSigningKeysOptions = {
  readonly fetchBytes: FetchBytes
  readonly now: () => number
  readonly roots?: readonly string[] | undefined
  /** The operator's SNS endpoint: its certificates are not checked. */
  readonly endpoint?: string | undefined
}

type Known = { readonly key: KeyObject; readonly from: number; readonly to: number }

/** Amazon rotates certificates and has one per region. */
const mostKept = 20
const mostFetched = 4
const longestChain = 4

const pemShape = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const certificatesIn = (bytes: Uint8Array): readonly X509Certificate[] => {
  try {
    const pem = Buffer.from(bytes).toString('latin1').match(pemShape)
    return pem ? pem.map((one) => new X509Certificate(one)) : [new X509Certificate(bytes)]
  } catch {
    return []
  }
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.issuer === issuer.subject && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : '')

/** Cached while the whole chain is valid. Fetches missing intermediate certificates from the issuer's URL. */
export const snsSigningKeys = ({ fetchBytes, now, roots = rootCertificates, endpoint }: SnsSigningKeysOptions) => {
  const kept = new Map<string, Known>()
  const fetching = new Map<string, Promise<Known>>()
  let authorities: readonly X509Certificate[] | undefined

  const fetched = async (url: string): Promise<readonly X509Certificate[]> =>
    certificatesIn(
      await fetchBytes(url).catch((error: unknown) => {
        throw unavailable(`The certificate at ${url} was not fetched: ${reasonOf(error)}`)
      }),
    )

  const chainOf = async (leaf: X509Certificate, others: readonly X509Certificate[]): Promise<X509Certificate[]> => {
    authorities ??= roots.map((pem) => new X509Certificate(pem))
    const chain = [leaf]
    for (let last = leaf; chain.length <= longestChain; ) {
      const current = last
      const root = authorities.find((one) => isIssuedBy(current, one))
      if (root) return [...chain, root]
      const address = issuerCertificateUrl(current.infoAccess)
      const candidates = [...others, ...(address === undefined ? [] : await fetched(address))]
      const issuer = candidates.find((one) => one.ca && isIssuedBy(current, one))
      if (!issuer) break
      chain.push(issuer)
      last = issuer
    }
    throw forbidden('The signing certificate was not issued by a known authority.')
  }

  const read = async (url: string): Promise<Known> => {
    const [leaf, ...others] = await fetched(url)
    if (leaf?.publicKey.asymmetricKeyType !== 'rsa') throw forbidden('The signing certificate cannot be read.')
    const isOwn = isUrlOfSnsEndpoint(url, endpoint)
    if (!isOwn && !snsCertificateNamesOf(url).some((name) => leaf.checkHost(name, { wildcards: false }) !== undefined))
      throw forbidden('The signing certificate does not name Amazon SNS.')
    const chain = isOwn ? [leaf] : await chainOf(leaf, others)
    const known = {
      key: leaf.publicKey,
      from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
      to: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
    }
    const [oldest] = kept.keys()
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
    kept.set(url, known)
    return known
  }

  const asked = (url: string): Promise<Known> => {
    const same = fetching.get(url)
    if (same) return same
    if (fetching.size >= mostFetched) throw unavailable('Too many signing certificates are being fetched.')
    const fetch = read(url).finally(() => fetching.delete(url))
    fetching.set(url, fetch)
    return fetch
  }

  /** @throws Refusal `forbidden` if the certificate is not SNS's or not valid, `unavailable` if it cannot be fetched */
  return async (url: string): Promise<KeyObject> => {
    const { key, from, to } = kept.get(url) ?? (await asked(url))
    if (now() < from || now() > to) throw forbidden('The signing certificate is not valid now.')
    return key
  }
}
