/**
 * Exactly a region's SNS host (`sns.s3.amazonaws.com` is a bucket); `.cn` in China (Amazon SNS Developer Guide, "Verifying the signatures
 * of Amazon SNS messages").
 */
const snsHost =
  /^sns\.(?:(?!cn-)[a-z]{2}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com|cn(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com\.cn)$/
const certificatePath = /^\/SimpleNotificationService-[\da-f]{8,64}\.pem$/
/** Where the authorities of Amazon's certificates publish their own: over http, because each certificate is signed. */
const authorityHost = /^[a-z\d-]{1,40}(?:\.[a-z\d-]{1,40})?\.(?:amazontrust|digicert)\.com$/

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

const hasNoExtras = ({ username, password, hash }: URL) => username === '' && password === '' && hash === ''

/** The operator's own SNS endpoint, `AWS_ENDPOINT_URL_SNS`. */
export const isUrlOfSnsEndpoint = (text: string, endpoint: string | undefined): boolean => {
  const url = parsed(text)
  return endpoint !== undefined && url !== undefined && hasNoExtras(url) && url.origin === parsed(endpoint)?.origin
}

const isOfAmazon = (text: string): boolean => {
  const url = parsed(text)
  return url?.protocol === 'https:' && url.port === '' && hasNoExtras(url) && snsHost.test(url.hostname)
}

export const isCertificateUrl = (text: string, endpoint: string | undefined): boolean => {
  const { search = '', pathname = '' } = parsed(text) ?? {}
  if (search !== '') return false
  return isUrlOfSnsEndpoint(text, endpoint)
    ? pathname.endsWith('.pem')
    : isOfAmazon(text) && certificatePath.test(pathname)
}

/** The region's host or the global one. */
export const snsCertificateNamesOf = (certificateUrl: string): readonly string[] => {
  const { hostname } = new URL(certificateUrl)
  return [hostname, hostname.endsWith('.cn') ? 'sns.amazonaws.com.cn' : 'sns.amazonaws.com']
}

/** The issuer's URL named in a certificate, if its host is a known authority's. */
export const issuerCertificateUrl = (infoAccess: string | undefined): string | undefined => {
  const [, address = ''] = /^CA Issuers - URI:(\S{1,200})$/m.exec(infoAccess ?? '') ?? []
  const url = parsed(address)
  return url && url.port === '' && hasNoExtras(url) && authorityHost.test(url.hostname) ? url.href : undefined
}

export const isConfirmationUrl = (text: string, topicArn: string, endpoint: string | undefined): boolean => {
  if (!isOfAmazon(text) && !isUrlOfSnsEndpoint(text, endpoint)) return false
  const { searchParams } = new URL(text)
  return searchParams.get('Action') === 'ConfirmSubscription' && searchParams.get('TopicArn') === topicArn
}
