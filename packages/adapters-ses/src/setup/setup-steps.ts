import {
  CreatePolicyCommand,
  CreatePolicyVersionCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  IAMClient,
} from '@aws-sdk/client-iam'
import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  GetConfigurationSetEventDestinationsCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import {
  CreateTopicCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { STSClient } from '@aws-sdk/client-sts'
import { type AwsOptions, sdkRequestHandler, standardConnectionPoolLimits } from '../http/sdk-client.js'
import { isErrorNamed, sesReportedEventTypes, unlessThere } from '../identities/tenants.js'
import { type PolicyDocument, queuePolicy, serverIamPolicy, topicPolicy } from './policies.js'

/** Besides sending, AWS allows about one call per second; the steps are idempotent. */
const attempts = 6
const limits = { ...standardConnectionPoolLimits, connections: 2 }

export const setupClients = (region: string, aws: AwsOptions = {}) => {
  const config = () => ({ ...aws, region, maxAttempts: attempts, requestHandler: sdkRequestHandler(limits) })
  const clients = {
    ses: new SESv2Client(config()),
    sns: new SNSClient(config()),
    sqs: new SQSClient(config()),
    sts: new STSClient(config()),
    iam: new IAMClient(config()),
  }
  return {
    ...clients,
    close: (): void => {
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}
export type SetupClients = ReturnType<typeof setupClients>

/** Checks and creates one resource; both are idempotent. */
export type SesSetupStep = {
  readonly what: string
  readonly makes: string
  readonly isThere: () => Promise<boolean>
  readonly make: () => Promise<void>
}

export type SetupPlan = {
  readonly region: string
  readonly accountId: string
  readonly topicArn: string
  readonly configurationSet: string
  readonly endpoint?: string | undefined
  readonly queueName?: string | undefined
}

const notThere = new Set([
  'AWS.SimpleQueueService.NonExistentQueue',
  'NoSuchEntityException',
  'NoSuchEntity',
  'NotFoundException',
  'NotFound',
  'QueueDoesNotExist',
])

/** Undefined if the resource does not exist; each service has another error name for that. */
export const undefinedIfNotFound = async <T>(request: Promise<T>): Promise<T | undefined> => {
  try {
    return await request
  } catch (error) {
    if (error instanceof Error && notThere.has(error.name)) return undefined
    throw error
  }
}

const isPolicy = (text: string | undefined, wanted: PolicyDocument): boolean => {
  try {
    return text !== undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(wanted)
  } catch {
    return false
  }
}

const partitionOf = (topicArn: string) => topicArn.split(':')[1]
const nameIn = (arn: string) => arn.split(':').at(-1) ?? ''

export const queueArnOf = ({ topicArn, region, accountId, queueName }: SetupPlan): string | undefined =>
  queueName === undefined ? undefined : `arn:${partitionOf(topicArn)}:sqs:${region}:${accountId}:${queueName}`

export const snsSubscriptionsOf = async ({ sns }: SetupClients, TopicArn: string) => {
  const { Subscriptions = [] } =
    (await undefinedIfNotFound(sns.send(new ListSubscriptionsByTopicCommand({ TopicArn })))) ?? {}
  return Subscriptions.map(({ Endpoint = '', SubscriptionArn = '' }) => ({
    endpoint: Endpoint,
    confirmed: SubscriptionArn.startsWith('arn:'),
  }))
}

export const isSnsSubscriptionConfirmed = async (clients: SetupClients, plan: SetupPlan): Promise<boolean> => {
  const endpoint = queueArnOf(plan) ?? plan.endpoint
  return (await snsSubscriptionsOf(clients, plan.topicArn)).some((one) => one.confirmed && one.endpoint === endpoint)
}

const topicStep = ({ sns }: SetupClients, { topicArn, accountId }: SetupPlan): SesSetupStep => {
  const policy = topicPolicy(topicArn, accountId)
  return {
    what: 'topic',
    makes: `the topic ${nameIn(topicArn)} of Amazon SNS: only Amazon SES of this account publishes to it, with signature version 2`,
    isThere: async () => {
      const { Attributes = {} } =
        (await undefinedIfNotFound(sns.send(new GetTopicAttributesCommand({ TopicArn: topicArn })))) ?? {}
      return Attributes.SignatureVersion === '2' && isPolicy(Attributes.Policy, policy)
    },
    make: async () => {
      await sns.send(new CreateTopicCommand({ Name: nameIn(topicArn) }))
      for (const [AttributeName, AttributeValue] of [
        ['Policy', JSON.stringify(policy)],
        ['SignatureVersion', '2'],
      ])
        await sns.send(new SetTopicAttributesCommand({ TopicArn: topicArn, AttributeName, AttributeValue }))
    },
  }
}

const setStep = ({ ses }: SetupClients, { topicArn, configurationSet }: SetupPlan): SesSetupStep => {
  const ConfigurationSetName = configurationSet
  return {
    what: 'configuration set',
    makes: `the configuration set ${configurationSet} of Amazon SES, which publishes ${sesReportedEventTypes.join(', ')} to the topic`,
    isThere: async () => {
      const request = ses.send(new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName }))
      const { EventDestinations = [] } = (await undefinedIfNotFound(request)) ?? {}
      return EventDestinations.some(
        ({ Enabled, SnsDestination, MatchingEventTypes = [] }) =>
          Enabled === true &&
          SnsDestination?.TopicArn === topicArn &&
          sesReportedEventTypes.every((type) => MatchingEventTypes.includes(type)),
      )
    },
    make: async () => {
      await unlessThere(ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName })))
      const EventDestination = {
        Enabled: true,
        MatchingEventTypes: sesReportedEventTypes,
        SnsDestination: { TopicArn: topicArn },
      }
      const asked = { ConfigurationSetName, EventDestinationName: 'posthorn', EventDestination }
      await unlessThere(ses.send(new CreateConfigurationSetEventDestinationCommand(asked)))
    },
  }
}

const queueStep = ({ sqs }: SetupClients, plan: SetupPlan, queueArn: string): SesSetupStep => {
  const policy = queuePolicy(queueArn, plan.topicArn)
  const QueueName = nameIn(queueArn)
  const Attributes = { Policy: JSON.stringify(policy), MessageRetentionPeriod: '1209600', VisibilityTimeout: '30' }
  return {
    what: 'queue',
    makes: `the queue ${QueueName} of Amazon SQS: only the topic writes to it; messages are kept for 14 days`,
    isThere: async () => {
      const { QueueUrl } = (await undefinedIfNotFound(sqs.send(new GetQueueUrlCommand({ QueueName })))) ?? {}
      if (QueueUrl === undefined) return false
      const asked = { QueueUrl, AttributeNames: ['Policy' as const] }
      return isPolicy((await sqs.send(new GetQueueAttributesCommand(asked))).Attributes?.Policy, policy)
    },
    make: async () => {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }))
    },
  }
}

const subscriptionStep = (
  clients: SetupClients,
  plan: SetupPlan,
  endpoint: string,
  protocol: string,
): SesSetupStep => ({
  what: 'subscription',
  makes: `a subscription of ${endpoint} to the topic`,
  isThere: async () =>
    (await snsSubscriptionsOf(clients, plan.topicArn)).some((one) => one.endpoint === endpoint && one.confirmed),
  make: async () => {
    await clients.sns.send(new SubscribeCommand({ TopicArn: plan.topicArn, Protocol: protocol, Endpoint: endpoint }))
  },
})

export const policyName = 'posthorn-server'

const policyStep = ({ iam }: SetupClients, plan: SetupPlan): SesSetupStep => {
  const PolicyArn = `arn:${partitionOf(plan.topicArn)}:iam::${plan.accountId}:policy/${policyName}`
  const wanted = serverIamPolicy(plan.topicArn, queueArnOf(plan))
  const PolicyDocument = JSON.stringify(wanted)
  return {
    what: 'policy',
    makes: `the policy ${policyName} of AWS IAM: minimal permissions of the server’s user or role`,
    isThere: async () => {
      const { Policy } = (await undefinedIfNotFound(iam.send(new GetPolicyCommand({ PolicyArn })))) ?? {}
      if (!Policy) return false
      const asked = { PolicyArn, VersionId: Policy.DefaultVersionId }
      const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand(asked))
      return isPolicy(decodeURIComponent(PolicyVersion?.Document ?? ''), wanted)
    },
    make: async () => {
      const asked = { PolicyName: policyName, PolicyDocument, Description: 'Permissions of a Posthorn server.' }
      await iam.send(new CreatePolicyCommand(asked)).catch(async (error: unknown) => {
        if (!isErrorNamed(error, 'EntityAlreadyExistsException') && !isErrorNamed(error, 'EntityAlreadyExists'))
          throw error
        await iam.send(new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument, SetAsDefault: true }))
      })
    },
  }
}

/** In their order of creation. */
export const sesSetupSteps = (clients: SetupClients, plan: SetupPlan): readonly SesSetupStep[] => {
  const queueArn = queueArnOf(plan)
  return [
    topicStep(clients, plan),
    setStep(clients, plan),
    ...(queueArn === undefined
      ? []
      : [queueStep(clients, plan, queueArn), subscriptionStep(clients, plan, queueArn, 'sqs')]),
    ...(queueArn === undefined && plan.endpoint !== undefined
      ? [subscriptionStep(clients, plan, plan.endpoint, new URL(plan.endpoint).protocol.slice(0, -1))]
      : []),
    policyStep(clients, plan),
  ]
}
