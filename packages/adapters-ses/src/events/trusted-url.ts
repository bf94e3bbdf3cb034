/**
 * Exactly an Amazon SNS host of one region: `sns.s3.amazonaws.com`, for example, is a bucket. The regions of China end with `.cn` (Amazon
 * SNS Developer Guide, "Verifying the signatures of Amazon SNS messages").
 */
const snsHost =
  /^sns\.(?:(?!cn-)[a-z]{2}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com|cn(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com\.cn)$/
const certificatePath = /^\/SimpleNotificationService-[\da-f]{8,64}\.pem$/
/** Hosts on which the authorities of Amazon's certificates publish their own: over http, because each certificate is signed. */
const authorityHost = /^[a-z\d-]{1,40}(?:\.[a-z\d-]{1,40})?\.(?:amazontrust|digicert)\.com$/

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

const hasNoExtras = ({ username, password, hash }: URL) => username === '' && password === '' && hash === ''

/** Whether a URL belongs to the operator's own SNS endpoint, `AWS_ENDPOINT_URL_SNS`. */
export const isOfEndpoint = (text: string, endpoint: string | undefined): boolean => {
  const url = parsed(text)
  return endpoint !== undefined && url !== undefined && hasNoExtras(url) && url.origin === parsed(endpoint)?.origin
}

/** Whether a URL belongs to Amazon SNS: https, the standard port, no user. */
const isOfAmazon = (text: string): boolean => {
  const url = parsed(text)
  return url?.protocol === 'https:' && url.port === '' && hasNoExtras(url) && snsHost.test(url.hostname)
}

/** Whether a URL leads to a certificate of SNS, or of `endpoint`. */
export const isCertificateUrl = (text: string, endpoint: string | undefined): boolean => {
  const { search = '', pathname = '' } = parsed(text) ?? {}
  if (search !== '') return false
  return isOfEndpoint(text, endpoint) ? pathname.endsWith('.pem') : isOfAmazon(text) && certificatePath.test(pathname)
}

/** Names that the certificate at this Amazon SNS URL may have: the global one, or the region's. */
export const namesOfSns = (certificateUrl: string): readonly string[] => {
  const { hostname } = new URL(certificateUrl)
  return [hostname, hostname.endsWith('.cn') ? 'sns.amazonaws.com.cn' : 'sns.amazonaws.com']
}

/** The issuer's URL named in a certificate; undefined if its host is not an authority's. */
export const issuerAddressOf = (infoAccess: string | undefined): string | undefined => {
  const [, address = ''] = /^CA Issuers - URI:(\S{1,200})$/m.exec(infoAccess ?? '') ?? []
  const url = parsed(address)
  return url && url.port === '' && hasNoExtras(url) && authorityHost.test(url.hostname) ? url.href : undefined
}

/** Whether the URL confirms a subscription to that topic and does nothing else. */
export const confirms = (text: string, topicArn: string, endpoint: string | undefined): boolean => {
  if (!isOfAmazon(text) && !isOfEndpoint(text, endpoint)) return false
  const { searchParams } = new URL(text)
  return searchParams.get('Action') === 'ConfirmSubscription' && searchParams.get('TopicArn') === topicArn
}
