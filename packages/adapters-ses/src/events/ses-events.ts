import { forbidden, type OwnChannel, unavailable } from '@posthorn/core/ports'
import { type OwnTopic, ownTopicIn } from '../own-accounts/own-topic.js'
import { type SigningKeysOptions, signingKeys } from './certificates.js'
import { clockError, type LandingOptions, landing, oldest } from './landing.js'
import { isSignedBy } from './signature.js'
import { readJson, SnsMessage } from './sns-message.js'
import { confirms, isCertificateUrl } from './trusted-url.js'

/** What is known of the accounts that projects send by. */
export type OwnTopics = {
  /** Whether the project has, or is setting up, an account of its own. */
  readonly isExpected: (projectId: string) => Promise<boolean>
  /** The AWS account that it sends by; undefined where it has none yet. @throws Error where that cannot be asked now */
  readonly accountOf: (projectId: string, region: string) => Promise<string | undefined>
}

export type SesEventsOptions = LandingOptions &
  Pick<SigningKeysOptions, 'fetchBytes' | 'roots' | 'endpoint'> & {
    /** The topics that are listened to; what comes from others is refused. */
    readonly topicArns: readonly string[]
    /** Has topics of projects' own accounts listened to: of their names, in their accounts. */
    readonly ownTopics?: OwnTopics | undefined
  }

const channelOf = ({ projectId, region }: OwnTopic): OwnChannel => ({ account: 'project', projectId, region })

/**
 * Takes what Amazon SNS posts of the events of mails: signed by Amazon, of a topic that is listened to, not older than an hour. A
 * message may come more than once.
 */
export const sesEvents = ({ topicArns, ownTopics, fetchBytes, roots, endpoint, ...options }: SesEventsOptions) => {
  const { log, now = Date.now } = options
  const keyAt = signingKeys({ fetchBytes, now, roots, endpoint })
  const land = landing(options)

  const foreign = () => forbidden('This topic is not listened to.')

  /** What costs nothing first; a project's own topic is answered, of those that are listened to. @throws Refusal `forbidden`, `unavailable` */
  const assertGenuine = async (message: SnsMessage): Promise<OwnTopic | undefined> => {
    const own = topicArns.includes(message.TopicArn) ? undefined : ownTopics && ownTopicIn(message.TopicArn)
    if (!own && !topicArns.includes(message.TopicArn)) throw foreign()
    const age = now() - Date.parse(message.Timestamp)
    if (!(age <= oldest && age >= -clockError)) throw forbidden('The message is too old.')
    if (!isCertificateUrl(message.SigningCertURL, endpoint)) throw forbidden('The signing certificate is not Amazon’s.')
    if (own && !(await ownTopics?.isExpected(own.projectId))) throw foreign()
    if (!isSignedBy(message, await keyAt(message.SigningCertURL))) throw forbidden('The signature does not fit.')
    return own
  }

  /** Whoever has another account than the project sends by may name a topic there as they like. @throws Refusal `forbidden`, `unavailable` */
  const assertOwnAccount = async ({ projectId, accountId, region }: OwnTopic): Promise<void> => {
    const known = await ownTopics?.accountOf(projectId, region).catch((error: unknown) => {
      log('warn', 'A project’s own account could not be asked for', { projectId, error })
      throw unavailable('The account of the topic cannot be looked up now.')
    })
    if (known !== accountId) throw foreign()
  }

  const confirm = async ({ SubscribeURL: url = '', TopicArn }: SnsMessage): Promise<void> => {
    if (!confirms(url, TopicArn, endpoint)) throw forbidden('The address that confirms is not Amazon’s.')
    await fetchBytes(url).catch((error: unknown) => {
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
      const own = await assertGenuine(message)
      // A topic is made before the project can name the role or key of its account. What it tells is judged when it does.
      if (message.Type === 'SubscriptionConfirmation') return confirm(message)
      if (own) await assertOwnAccount(own)
      if (message.Type === 'Notification') return land(message.MessageId, message.Message, own && channelOf(own))
      log('warn', 'Events of mails come no longer from this topic', { topic: message.TopicArn })
    },
  }
}
