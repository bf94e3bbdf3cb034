import { GetConfigurationSetEventDestinationsCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import { ownEventsName } from '@posthorn/core/ports'
import { isNamed } from '../identities/steps.js'
import { reported } from '../identities/tenants.js'
import { requestHandler } from '../request-handler.js'
import type { AwsOptions } from '../ses-client.js'
import { type OwnAccountsOptions, ownLimits, type SessionCredentials } from './credentials.js'
import { ownTopicIn } from './own-topic.js'

/** Mails wait for the first look: it takes no longer than this, in milliseconds. */
const lookLimits = { ...ownLimits, connections: 2, requestTimeout: 10_000 }
/** A topic has one subscription for each server; SNS gives a hundred at a time. */
const mostPages = 5

export type OwnEventsOptions = {
  readonly aws: OwnAccountsOptions['aws'] | undefined
  readonly sns: OwnAccountsOptions['sns'] | undefined
  readonly projectId: string
  readonly region: string
  /** Where this server takes events, as SNS is to post them: `https://mail.example.com/v1/ses/events`. */
  readonly eventsUrl: string
  readonly credentials: () => Promise<SessionCredentials>
}

/**
 * Whether the events of a project's own account come to this server in a region: a configuration set of the project's name publishes to
 * a topic of that name, and the topic's subscription to this server is confirmed.
 */
export const ownEvents = ({ projectId, region, eventsUrl, credentials, aws, sns }: OwnEventsOptions) => {
  const name = ownEventsName(projectId)
  const config = (given: AwsOptions | undefined) => ({
    ...given,
    region,
    credentials,
    maxAttempts: 2,
    requestHandler: requestHandler(lookLimits),
  })
  const clients = { ses: new SESv2Client(config(aws)), sns: new SNSClient(config(sns)) }
  const make = `Make it by the template /v1/ses/sending-events.json of this server, with ConfigurationSet=${name} and EventsUrl=${eventsUrl}`

  const isSubscribed = async (TopicArn: string): Promise<boolean> => {
    let NextToken: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await clients.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }))
      for (const { Endpoint, SubscriptionArn = '' } of answer.Subscriptions ?? [])
        if (Endpoint === eventsUrl && SubscriptionArn.startsWith('arn:')) return true
      NextToken = answer.NextToken
      if (NextToken === undefined) return false
    }
    return false
  }

  const looked = async (): Promise<string | undefined> => {
    const asked = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name })
    const { EventDestinations = [] } = await clients.ses.send(asked)
    const destinations = EventDestinations.flatMap(({ Enabled, SnsDestination, MatchingEventTypes = [] }) => {
      const topicArn = SnsDestination?.TopicArn ?? ''
      const topic = ownTopicIn(topicArn)
      return Enabled && topic?.projectId === projectId && topic.region === region
        ? [{ topicArn, types: MatchingEventTypes }]
        : []
    })
    const [topicArn] = destinations.map((one) => one.topicArn)
    if (topicArn === undefined)
      return `The configuration set ${name} publishes to no topic of that name in ${region}. ${make}.`
    const types = destinations.flatMap((one) => one.types)
    const missing = reported.filter((type) => !types.includes(type))
    if (missing.length > 0) return `The configuration set ${name} does not publish ${missing.join(', ')}. ${make}.`
    const isHeard = await isSubscribed(topicArn).catch((error: unknown) => {
      if (isNamed(error, 'NotFoundException') || isNamed(error, 'NotFound')) return false
      throw error
    })
    return isHeard
      ? undefined
      : `The topic ${topicArn} has no confirmed subscription of ${eventsUrl}. Subscribe it in Amazon SNS by https, or have its confirmation sent again.`
  }

  return {
    /** What goes by it is told of. */
    name,
    /** Why events do not come, and what to do about it in AWS; undefined where they do. @throws what AWS said that is no answer to that */
    problem: async (): Promise<string | undefined> => {
      try {
        return await looked()
      } catch (error) {
        if (isNamed(error, 'NotFoundException')) return `There is no configuration set ${name} in ${region}. ${make}.`
        if (
          isNamed(error, 'AccessDeniedException') ||
          isNamed(error, 'AuthorizationErrorException') ||
          isNamed(error, 'AuthorizationError')
        )
          return `Whether it is set up cannot be seen: allow ses:GetConfigurationSetEventDestinations and, on the topic ${name}, sns:ListSubscriptionsByTopic to the role or key of cloudConfig. ${make} where it is not.`
        throw error
      }
    },
    close: (): void => {
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}
export type OwnEvents = ReturnType<typeof ownEvents>

/** How old an answer may be, and how old at least before it is asked again in doubt, in milliseconds. */
const freshFor = 5 * 60_000
const askedAgainAfter = 5_000

/** Whether events come, as it was last seen: asked for once at first, and then beside the mails. */
export const ownEventsState = (events: OwnEvents, now: () => number) => {
  let known: { readonly come: boolean; readonly at: number } | undefined
  let asking: Promise<boolean> | undefined

  const ask = (): Promise<boolean> => {
    asking ??= events
      .problem()
      .then(
        (problem) => problem === undefined,
        () => known?.come ?? false,
      )
      .then((come) => {
        known = { come, at: now() }
        asking = undefined
        return come
      })
    return asking
  }

  return {
    /** Never throws; waits where nothing is known yet. */
    current: async (): Promise<boolean> => {
      if (!known) return ask()
      if (now() - known.at >= freshFor) void ask()
      return known.come
    },
    last: (): boolean => known?.come ?? false,
    /** A mail was refused, perhaps since the configuration set is gone: the next one waits for another look. */
    doubt: (): void => {
      if (known && now() - known.at >= askedAgainAfter) known = undefined
    },
    close: events.close,
  }
}
