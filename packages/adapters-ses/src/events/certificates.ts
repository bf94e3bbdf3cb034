import { type KeyObject, X509Certificate } from 'node:crypto'
import { forbidden, unavailable } from '@posthorn/core/ports'

/** Fetches a text from an address that a stranger may have named. @throws Error where the answer is not a 2xx */
export type FetchText = (url: string) => Promise<string>

type Known = { readonly key: KeyObject; readonly from: number; readonly to: number }

/** Amazon changes its certificate now and then, and has one for each region. */
const mostKept = 20
/** Each has to be fetched once: whoever invents addresses gets no more of them fetched at the same time. */
const mostFetched = 4

const read = (pem: string): Known => {
  try {
    const { publicKey, validFrom, validTo } = new X509Certificate(pem)
    if (publicKey.asymmetricKeyType === 'rsa')
      return { key: publicKey, from: Date.parse(validFrom), to: Date.parse(validTo) }
  } catch {
    // What cannot be read is no certificate.
  }
  throw forbidden('The signing certificate cannot be read.')
}

/** The keys of signing certificates, each fetched once and good for as long as its certificate says. */
export const signingKeys = (fetchText: FetchText, now: () => number) => {
  const kept = new Map<string, Known>()
  const fetching = new Map<string, Promise<Known>>()

  const fetched = async (url: string): Promise<Known> => {
    const pem = await fetchText(url).catch((error: unknown) => {
      throw unavailable(`The signing certificate was not fetched: ${error instanceof Error ? error.message : ''}`)
    })
    const known = read(pem)
    const [oldest] = kept.keys()
    if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest)
    kept.set(url, known)
    return known
  }

  const asked = (url: string): Promise<Known> => {
    const same = fetching.get(url)
    if (same) return same
    if (fetching.size >= mostFetched) throw unavailable('Too many signing certificates are being fetched.')
    const asking = fetched(url).finally(() => fetching.delete(url))
    fetching.set(url, asking)
    return asking
  }

  /** @throws Refusal `forbidden` for what is no certificate or not good now, `unavailable` where it is not had */
  return async (url: string): Promise<KeyObject> => {
    const { key, from, to } = kept.get(url) ?? (await asked(url))
    if (now() < from || now() > to) throw forbidden('The signing certificate is not good at this time.')
    return key
  }
}
