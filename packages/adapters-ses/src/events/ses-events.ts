import { forbidden, unavailable } from '@posthorn/core/ports/runtime'
import { type OwnChannel, ownCloudEventsName } from '@posthorn/core/ports/transport'
import { type SnsSigningKeysOptions, snsSigningKeys } from './certificates.js'
import {
  type EventHandlerOptions,
  longestSnsMessageAge,
  sesEventHandler,
  toleratedSnsClockError,
} from './event-handler.js'
import { isSignedBy, SnsMessage, validatedJson } from './sns-message.js'
import { isCertificateUrl, isConfirmationUrl } from './trusted-url.js'

export type OwnTopic = { readonly projectId: string; readonly accountId: string; readonly region: string }

const form = /^arn:aws[a-z-]{0,20}:sns:([a-z0-9-]{1,40}):(\d{12}):([A-Za-z0-9_-]{1,100})$/
const prefix = ownCloudEventsName('')

/** The project that the topic's name claims; anyone can choose it. */
export const ownTopicOfArn = (topicArn: string): OwnTopic | undefined => {
  const [, region, accountId, name] = form.exec(topicArn) ?? []
  if (region === undefined || accountId === undefined || !name?.startsWith(prefix)) return undefined
  const projectId = name.slice(prefix.length)
  return projectId === '' ? undefined : { projectId, accountId, region }
}

export type OwnTopics = {
  /** Whether the project has an own account, or is setting one up. */
  readonly isExpected: (projectId: string) => Promise<boolean>
  /** The project's AWS account, if any. @throws Error if the lookup fails */
  readonly accountOf: (projectId: string, region: string) => Promise<string | undefined>
}

export type SesEventsOptions = EventHandlerOptions &
  Pick<SnsSigningKeysOptions, 'fetchBytes' | 'roots' | 'endpoint'> & {
    readonly topicArns: readonly string[]
    readonly ownTopics?: OwnTopics | undefined
  }

const channelOf = ({ projectId, region }: OwnTopic): OwnChannel => ({ account: 'project', projectId, region })

/** At most an hour old, of an accepted topic, signed by Amazon. Messages may repeat. */
export const sesEvents = ({ topicArns, ownTopics, fetchBytes, roots, endpoint, ...options }: SesEventsOptions) => {
  const { log, now = Date.now } = options
  const keyAt = snsSigningKeys({ fetchBytes, now, roots, endpoint })
  const handle = sesEventHandler(options)

  const foreign = () => forbidden('Messages of this topic are not accepted.')

  const assertGenuine = async (message: SnsMessage): Promise<OwnTopic | undefined> => {
    const own = topicArns.includes(message.TopicArn) ? undefined : ownTopics && ownTopicOfArn(message.TopicArn)
    if (!own && !topicArns.includes(message.TopicArn)) throw foreign()
    const age = now() - Date.parse(message.Timestamp)
    if (!(age <= longestSnsMessageAge && age >= -toleratedSnsClockError)) throw forbidden('The message is too old.')
    if (!isCertificateUrl(message.SigningCertURL, endpoint)) throw forbidden('The signing certificate is not Amazon’s.')
    if (own && !(await ownTopics?.isExpected(own.projectId))) throw foreign()
    if (!isSignedBy(message, await keyAt(message.SigningCertURL))) throw forbidden('The signature is invalid.')
    return own
  }

  /** The owner of any AWS account can give a topic that name. */
  const assertOwnAccount = async ({ projectId, accountId, region }: OwnTopic): Promise<void> => {
    const known = await ownTopics?.accountOf(projectId, region).catch((error: unknown) => {
      log('warn', 'The lookup of a project’s own account failed', { projectId, error })
      throw unavailable('The account of the topic cannot be looked up now.')
    })
    if (known !== accountId) throw foreign()
  }

  const confirm = async ({ SubscribeURL: url = '', TopicArn }: SnsMessage): Promise<void> => {
    if (!isConfirmationUrl(url, TopicArn, endpoint)) throw forbidden('The confirmation URL is not Amazon’s.')
    await fetchBytes(url).catch((error: unknown) => {
      log('error', 'A subscription could not be confirmed', { topic: TopicArn, error })
      throw unavailable('The subscription could not be confirmed.')
    })
    log('info', 'The subscription to mail events is confirmed', { topic: TopicArn })
  }

  return {
    /** @throws Refusal `invalid` for a malformed message, `forbidden` for a forged one, `unavailable` if SNS should retry */
    receive: async (body: Uint8Array): Promise<void> => {
      const message = validatedJson(Buffer.from(body).toString('utf8'), SnsMessage, 'The body')
      const own = await assertGenuine(message)
      // The topic exists before the project can name its role or key. Events are checked when they arrive.
      if (message.Type === 'SubscriptionConfirmation') return confirm(message)
      if (own) await assertOwnAccount(own)
      if (message.Type === 'Notification') return handle(message.MessageId, message.Message, own && channelOf(own))
      log('warn', 'The subscription to mail events has ended', { topic: message.TopicArn })
    },
  }
}
