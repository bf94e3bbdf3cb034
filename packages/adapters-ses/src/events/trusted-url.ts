/** A host of Amazon SNS: of one region, and nothing before or behind it. */
const snsHost = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/**
 * Whether an address is one of Amazon SNS: by https, on its standard port, without a user; or of `endpoint`, where the operator has
 * SNS elsewhere.
 */
const isOfSns = (text: string, endpoint: string | undefined): boolean => {
  const url = parsed(text)
  if (url === undefined) return false
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false
  if (endpoint !== undefined && url.origin === parsed(endpoint)?.origin) return true
  return url.protocol === 'https:' && url.port === '' && snsHost.test(url.hostname)
}

/** Whether it leads to a certificate of SNS. */
export const isCertificateUrl = (text: string, endpoint: string | undefined): boolean =>
  isOfSns(text, endpoint) && new URL(text).search === '' && new URL(text).pathname.endsWith('.pem')

/** Whether it confirms a subscription to that topic, and does nothing else. */
export const confirms = (text: string, topicArn: string, endpoint: string | undefined): boolean => {
  if (!isOfSns(text, endpoint)) return false
  const { searchParams } = new URL(text)
  return searchParams.get('Action') === 'ConfirmSubscription' && searchParams.get('TopicArn') === topicArn
}
