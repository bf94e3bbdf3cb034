import { GetConfigurationSetEventDestinationsCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns'
import { type CloudWarning, ownCloudEventsName } from '@posthorn/core/ports/transport'
import { ownTopicOfArn } from '../events/ses-events.js'
import type { AwsOptions } from '../http/sdk-client.js'
import { sdkRequestHandler } from '../http/sdk-client.js'
import { isErrorNamed, sesReportedEventTypes } from '../identities/tenants.js'
import { type AwsSessionCredentials, type OwnAccountsOptions, ownAccountPoolLimits } from './credentials.js'

/** In ms: mails wait for the first check. */
const lookLimits = { ...ownAccountPoolLimits, connections: 2, requestTimeout: 10_000 }
/** A topic has one subscription per server; SNS lists 100 per page. */
const mostPages = 5

export type OwnEventsCheckOptions = {
  readonly aws: OwnAccountsOptions['aws'] | undefined
  readonly sns: OwnAccountsOptions['sns'] | undefined
  readonly projectId: string
  readonly region: string
  readonly eventsUrl: string
  readonly credentials: () => Promise<AwsSessionCredentials>
}

/**
 * Checks that a configuration set named after the project publishes to a topic of that name, whose subscription to this server is
 * confirmed.
 */
export const ownEventsCheck = ({ projectId, region, eventsUrl, credentials, aws, sns }: OwnEventsCheckOptions) => {
  const name = ownCloudEventsName(projectId)
  const config = (given: AwsOptions | undefined) => ({
    ...given,
    region,
    credentials,
    maxAttempts: 2,
    requestHandler: sdkRequestHandler(lookLimits),
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

  const found = (code: CloudWarning['code'], message: string, values: CloudWarning['values'] = {}): CloudWarning => ({
    code,
    message,
    values: { region, configurationSet: name, eventsUrl, ...values },
  })

  const looked = async (): Promise<CloudWarning | undefined> => {
    const asked = new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name })
    const { EventDestinations = [] } = await clients.ses.send(asked)
    const destinations = EventDestinations.flatMap(({ Enabled, SnsDestination, MatchingEventTypes = [] }) => {
      const topicArn = SnsDestination?.TopicArn ?? ''
      const topic = ownTopicOfArn(topicArn)
      return Enabled && topic?.projectId === projectId && topic.region === region
        ? [{ topicArn, types: MatchingEventTypes }]
        : []
    })
    const [topicArn] = destinations.map((one) => one.topicArn)
    if (topicArn === undefined)
      return found(
        'no-topic',
        `The configuration set ${name} publishes to no topic of that name in ${region}. ${make}.`,
      )
    const types = destinations.flatMap((one) => one.types)
    const missing = sesReportedEventTypes.filter((type) => !types.includes(type))
    if (missing.length > 0) {
      const events = missing.join(', ')
      const message = `The configuration set ${name} does not publish ${events}. ${make}.`
      return found('events-not-published', message, { events })
    }
    const isHeard = await isSubscribed(topicArn).catch((error: unknown) => {
      if (isErrorNamed(error, 'NotFoundException') || isErrorNamed(error, 'NotFound')) return false
      throw error
    })
    return isHeard
      ? undefined
      : found(
          'topic-not-subscribed',
          `The topic ${topicArn} has no confirmed subscription of ${eventsUrl}. Subscribe it in Amazon SNS by https, or have its confirmation sent again.`,
          { topic: topicArn },
        )
  }

  return {
    name,
    /** Why events do not arrive, with advice. @throws other errors of AWS */
    problem: async (): Promise<CloudWarning | undefined> => {
      try {
        return await looked()
      } catch (error) {
        if (isErrorNamed(error, 'NotFoundException'))
          return found('no-configuration-set', `There is no configuration set ${name} in ${region}. ${make}.`)
        if (
          isErrorNamed(error, 'AccessDeniedException') ||
          isErrorNamed(error, 'AuthorizationErrorException') ||
          isErrorNamed(error, 'AuthorizationError')
        )
          return found(
            'events-check-not-allowed',
            `The setup cannot be checked: allow ses:GetConfigurationSetEventDestinations and, on the topic ${name}, sns:ListSubscriptionsByTopic to the role or key of cloudConfig. ${make} where it is not.`,
          )
        throw error
      }
    },
    close: (): void => {
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}
export type OwnEventsCheck = ReturnType<typeof ownEventsCheck>

/** Cache time, and minimum age for an early recheck, in ms. */
const freshFor = 5 * 60_000
const askedAgainAfter = 5_000

/** The first check is awaited, later ones run in the background. */
export const cachedOwnEventsCheck = (events: OwnEventsCheck, now: () => number) => {
  let known: { readonly come: boolean; readonly at: number } | undefined
  let request: Promise<boolean> | undefined

  const ask = (): Promise<boolean> => {
    request ??= events
      .problem()
      .then(
        (problem) => problem === undefined,
        () => known?.come ?? false,
      )
      .then((come) => {
        known = { come, at: now() }
        request = undefined
        return come
      })
    return request
  }

  return {
    /** Never throws. */
    current: async (): Promise<boolean> => {
      if (!known) return ask()
      if (now() - known.at >= freshFor) void ask()
      return known.come
    },
    last: (): boolean => known?.come ?? false,
    /** The set may have been deleted: the next mail waits for a new check. */
    doubt: (): void => {
      if (known && now() - known.at >= askedAgainAfter) known = undefined
    },
    close: events.close,
  }
}
