type Statement = {
  readonly Effect: 'Allow'
  readonly Principal?: { readonly Service: string }
  readonly Action: string | readonly string[]
  readonly Resource: string
  readonly Condition?: object
}
export type PolicyDocument = { readonly Version: '2012-10-17'; readonly Statement: readonly Statement[] }

const document = (...Statement: readonly Statement[]): PolicyDocument => ({ Version: '2012-10-17', Statement })

/** A test compares these with the code. */
const ofSes = [
  'SendEmail',
  'SendRawEmail',
  'GetAccount',
  'CreateEmailIdentity',
  'GetEmailIdentity',
  'DeleteEmailIdentity',
  'PutEmailIdentityMailFromAttributes',
  'CreateConfigurationSet',
  'CreateConfigurationSetEventDestination',
  'DeleteConfigurationSet',
  'CreateTenant',
  'GetTenant',
  'DeleteTenant',
  'CreateTenantResourceAssociation',
  'DeleteTenantResourceAssociation',
  'ListTenantResources',
  'TagResource',
].map((action) => `ses:${action}`)

/** Read-only calls of `doctor`. */
const readings = (topicArn: string): Statement => ({
  Effect: 'Allow',
  Action: ['sns:GetTopicAttributes', 'sns:ListSubscriptionsByTopic'],
  Resource: topicArn,
})

export const serverIamPolicy = (topicArn: string, queueArn?: string): PolicyDocument =>
  document(
    { Effect: 'Allow', Action: [...ofSes, 'ses:GetConfigurationSetEventDestinations'], Resource: '*' },
    { Effect: 'Allow', Action: 'sts:AssumeRole', Resource: `arn:${topicArn.split(':')[1]}:iam::*:role/*` },
    readings(topicArn),
    ...(queueArn === undefined
      ? []
      : [
          {
            Effect: 'Allow',
            Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:GetQueueAttributes'],
            Resource: queueArn,
          } as const,
        ]),
  )

/** Only SES of that account may publish. */
export const topicPolicy = (topicArn: string, accountId: string): PolicyDocument =>
  document({
    Effect: 'Allow',
    Principal: { Service: 'ses.amazonaws.com' },
    Action: 'sns:Publish',
    Resource: topicArn,
    Condition: { StringEquals: { 'AWS:SourceAccount': accountId } },
  })

/** Only that topic may send. */
export const queuePolicy = (queueArn: string, topicArn: string): PolicyDocument =>
  document({
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
  })
