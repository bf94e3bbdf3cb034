import { type Core, forbidden, type Log, Refusal, unavailable } from '@posthorn/core'
import { type FetchText, signingKeys } from './certificates.js'
import { type Consequence, consequenceOf, SesEvent } from './ses-event.js'
import { isSignedBy } from './signature.js'
import { readJson, SnsMessage } from './sns-message.js'
import { confirms, isCertificateUrl } from './trusted-url.js'

export type SesEventsOptions = {
  /** The topics that are listened to; what comes from others is refused. */
  readonly topicArns: readonly string[]
  readonly mailReports: Pick<Core['mailReports'], 'record' | 'sent'>
  /** Whether a message comes for the first time; its id is kept until then. */
  readonly isNew: (messageId: string, until: Date) => Promise<boolean>
  /** What was said to be new comes again, as it could not be recorded. */
  readonly forget: (messageId: string) => Promise<void>
  readonly fetchText: FetchText
  readonly log: Log
  /** Where SNS is, if not at Amazon: `AWS_ENDPOINT_URL_SNS`. */
  readonly endpoint?: string | undefined
  readonly now?: () => number
}

/** What SNS could not deliver it tries again for an hour; what is older was kept by somebody. */
const oldest = 60 * 60_000
const clockError = 15 * 60_000

/**
 * Takes what Amazon SNS posts of the events of mails: signed by Amazon, of a topic that is listened to, not older than an hour. A
 * message may come more than once.
 */
export const sesEvents = ({
  topicArns,
  mailReports,
  isNew,
  forget,
  fetchText,
  log,
  endpoint,
  now = Date.now,
}: SesEventsOptions) => {
  const keyAt = signingKeys(fetchText, now)

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

  const carryOut = async (consequence: Consequence, { eventType, mail: { messageId } }: SesEvent): Promise<void> => {
    if (consequence.kind === 'report') return mailReports.record(consequence.report)
    if (consequence.kind === 'sent') return mailReports.sent(consequence.taken)
    const { reason } = consequence
    if (reason !== undefined) log('warn', 'Amazon SES did not send a mail', { eventType, messageId, reason })
  }

  /** A mail that is not known here is another installation's, or was removed. */
  const unlessUnknown = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof Refusal && error.kind === 'not-found')) throw error
    }
  }

  const notified = async ({ Message, MessageId }: SnsMessage): Promise<void> => {
    const event = readJson(Message, SesEvent, 'The message')
    if (!(await isNew(MessageId, new Date(now() + oldest + clockError)))) return
    try {
      await unlessUnknown(carryOut(consequenceOf(event), event))
    } catch (error) {
      await forget(MessageId)
      throw error
    }
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
      if (message.Type === 'Notification') return notified(message)
      log('warn', 'Events of mails come no longer from this topic', { topic: message.TopicArn })
    },
  }
}
