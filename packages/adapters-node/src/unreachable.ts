/** Why a request failed, for the user who gave the URL. Hides the original text, which may name internal addresses. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

const notTrusted = 'its certificate is not trusted'
const broken = 'it broke the connection'

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  ENODATA: 'its name has no address',
  EBADNAME: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ESERVFAIL: 'its name could not be looked up',
  EREFUSED: 'its name could not be looked up',
  EBADRESP: 'its name could not be looked up',
  ETIMEOUT: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: broken,
  EPIPE: broken,
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  ETIMEDOUT: 'it took too long to answer',
  ERR_INVALID_URL: 'its address cannot be read',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: notTrusted,
  SELF_SIGNED_CERT_IN_CHAIN: notTrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

export const unreachable = (error: unknown): Unreachable => {
  if (error instanceof Unreachable) return error
  const { code } = error as { readonly code?: unknown }
  return new Unreachable(reasons[String(code)] ?? 'the connection failed')
}
