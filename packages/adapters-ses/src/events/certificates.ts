import { type KeyObject, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { forbidden, unavailable } from '@posthorn/core/ports'
import { isOfEndpoint, issuerAddressOf, namesOfSns } from './trusted-url.js'

/** Fetches the body of an address that a stranger may have named. @throws Error where the answer is not a 2xx */
export type FetchBytes = (url: string) => Promise<Uint8Array>

export type SigningKeysOptions = {
  readonly fetchBytes: FetchBytes
  /** Epoch milliseconds. */
  readonly now: () => number
  /** PEM of the authorities that are trusted; those of Node unless given. */
  readonly roots?: readonly string[] | undefined
  /** The operator's own SNS, whose certificates are taken as they are. */
  readonly endpoint?: string | undefined
}

type Known = { readonly key: KeyObject; readonly from: number; readonly to: number }

/** Amazon changes its certificate now and then, and has one for each region. */
const mostKept = 20
/** Each has to be fetched once: whoever invents addresses gets no more of them fetched at the same time. */
const mostFetched = 4
/** Certificates between that of SNS and a root. */
const longestChain = 4

const pemShape = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a file: PEM, of which there may be several, or DER. */
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

/**
 * The keys of signing certificates. Each is fetched once, and is good while its whole chain is. The certificate names Amazon SNS and was
 * issued by an authority that Node trusts; Amazon's intermediate authorities, which the file may lack, are fetched from where it says.
 */
export const signingKeys = ({ fetchBytes, now, roots = rootCertificates, endpoint }: SigningKeysOptions) => {
  const kept = new Map<string, Known>()
  const fetching = new Map<string, Promise<Known>>()
  let authorities: readonly X509Certificate[] | undefined

  const fetched = async (url: string): Promise<readonly X509Certificate[]> =>
    certificatesIn(
      await fetchBytes(url).catch((error: unknown) => {
        throw unavailable(`The certificate at ${url} was not fetched: ${reasonOf(error)}`)
      }),
    )

  /** From the certificate to the root, both included. @throws Refusal `forbidden`, `unavailable` */
  const chainOf = async (leaf: X509Certificate, others: readonly X509Certificate[]): Promise<X509Certificate[]> => {
    authorities ??= roots.map((pem) => new X509Certificate(pem))
    const chain = [leaf]
    for (let last = leaf; chain.length <= longestChain; ) {
      const current = last
      const root = authorities.find((one) => isIssuedBy(current, one))
      if (root) return [...chain, root]
      const address = issuerAddressOf(current.infoAccess)
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
    const isOwn = isOfEndpoint(url, endpoint)
    if (!isOwn && !namesOfSns(url).some((name) => leaf.checkHost(name, { wildcards: false }) !== undefined))
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
    const asking = read(url).finally(() => fetching.delete(url))
    fetching.set(url, asking)
    return asking
  }

  /** @throws Refusal `forbidden` for what is no certificate of SNS or not good now, `unavailable` where it is not had */
  return async (url: string): Promise<KeyObject> => {
    const { key, from, to } = kept.get(url) ?? (await asked(url))
    if (now() < from || now() > to) throw forbidden('The signing certificate is not good at this time.')
    return key
  }
}
