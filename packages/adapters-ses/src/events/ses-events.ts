import { forbidden, unavailable } from '@posthorn/core/ports'
import { type FetchText, signingKeys } from './certificates.js'
import { clockError, type LandingOptions, landing, oldest } from './landing.js'
import { isSignedBy } from './signature.js'
import { readJson, SnsMessage } from './sns-message.js'
import { confirms, isCertificateUrl } from './trusted-url.js'

export type SesEventsOptions = LandingOptions & {
  /** The topics that are listened to; what comes from others is refused. */
  readonly topicArns: readonly string[]
  readonly fetchText: FetchText
  /** Where SNS is, if not at Amazon: `AWS_ENDPOINT_URL_SNS`. */
  readonly endpoint?: string | undefined
}

/**
 * Takes what Amazon SNS posts of the events of mails: signed by Amazon, of a topic that is listened to, not older than an hour. A
 * message may come more than once.
 */
export const sesEvents = ({ topicArns, fetchText, endpoint, ...options }: SesEventsOptions) => {
  const { log, now = Date.now } = options
  const keyAt = signingKeys(fetchText, now)
  const land = landing(options)

  /** What costs nothing first. @throws Refusal `forbidden`, `unavailable` */
  const assertGenuine = async (message: SnsMessage): Promise<void> => {
    if (!topicArns.includes(message.TopicArn)) throw forbidden('This topic is not listened to.')
    const age = now() - Date.parse(message.Timestamp)
    if (!(age <= oldest && age >= -clockError)) throw forbidden('The message is too old.')
    if (!isCertificateUrl(message.SigningCertURL, endpoint)) throw forbidden('The signing certificate is not Amazon’s.')
    if (!isSignedBy(message, await keyAt(message.SigningCertURL))) throw forbidden('The signature does not fit.')
  }

  const confirm = async ({ SubscribeURL: url = '', TopicArn }: SnsMessage): Promise<void> => {
    if (!confirms(url, TopicArn, endpoint)) throw forbidden('The address that confirms is not Amazon’s.')
    await fetchText(url).catch((error: unknown) => {
      log('error', 'A subscription could not be confirmed', { topic: TopicArn, error })
      throw unavailable('The subscription could not be confirmed.')
    })
    log('info', 'Events of mails come from this topic now', { topic: TopicArn })
  }

  return {
    /**
     * Takes one posted body.
     * @throws Refusal `invalid` for what is no message, `forbidden` for one that is not genuine, `unavailable` where it should come again
     */
    receive: async (body: Uint8Array): Promise<void> => {
      const message = readJson(Buffer.from(body).toString('utf8'), SnsMessage, 'The body')
      await assertGenuine(message)
      if (message.Type === 'SubscriptionConfirmation') return confirm(message)
      if (message.Type === 'Notification') return land(message.MessageId, message.Message)
      log('warn', 'Events of mails come no longer from this topic', { topic: message.TopicArn })
    },
  }
}
