import type { AwsAccount, Session } from './aws-account.js'
import { newSession } from './aws-account.js'
import { type LocalSns, subscriptionId } from './local-sns.js'
import { SesError } from './ses-error.js'

type Call = {
  readonly account: AwsAccount
  readonly region: string
  readonly given: URLSearchParams
  /** All accounts of the server. */
  readonly accounts: readonly AwsAccount[]
  readonly sns: LocalSns
  readonly now: () => number
  readonly opened: (session: Session) => void
}

const text = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type Xml = { readonly [name: string]: string | number | Xml | readonly Xml[] }

/** XML elements with these names; lists become `member` elements, maps become entries. */
const xml = (fields: Xml): string =>
  Object.entries(fields)
    .map(([name, value]) => {
      const inner = Array.isArray(value)
        ? value.map((one: Xml) => ('entry' in one ? xml(one) : `<member>${xml(one)}</member>`)).join('')
        : typeof value === 'object'
          ? xml(value as Xml)
          : text(String(value))
      return `<${name}>${inner}</${name}>`
    })
    .join('')

/** A response of the AWS Query protocol. */
export const queryAnswer = (action: string, result: Xml): string =>
  `<${action}Response><${action}Result>${xml(result)}</${action}Result><ResponseMetadata><RequestId>local</RequestId></ResponseMetadata></${action}Response>`

export const queryError = ({ name, message }: SesError): string =>
  `<ErrorResponse><Error><Type>Sender</Type>${xml({ Code: name, Message: message })}</Error><RequestId>local</RequestId></ErrorResponse>`

/** Parameters such as `Attributes.entry.1.key`, as pairs. */
const entriesIn = (given: URLSearchParams, prefix: string): readonly (readonly [string, string])[] =>
  [...given].flatMap(([name, value]) =>
    name.startsWith(`${prefix}.entry.`) && name.endsWith('.key')
      ? [[value, given.get(name.replace(/key$/, 'value')) ?? ''] as const]
      : [],
  )

const notThere = (what: string) => new SesError('NotFound', `${what} does not exist`, 404)

const topicOf = ({ account, given }: Call): Map<string, string> => {
  const found = account.topics.get(given.get('TopicArn') ?? '')
  if (!found) throw notThere('Topic')
  return found
}

const policyOf = ({ account, given }: Call): string[] => {
  const found = account.policies.get(given.get('PolicyArn') ?? '')
  if (!found) throw new SesError('NoSuchEntity', 'Policy does not exist or is not attachable.', 404)
  return found
}

const assumed = ({ accounts, given, now, opened, account }: Call): Xml => {
  const arn = given.get('RoleArn') ?? ''
  const owner = accounts.find(({ roles }) => roles.has(arn))
  const role = owner?.roles.get(arn)
  if (!owner || !role || (role.externalId !== undefined && role.externalId !== given.get('ExternalId')))
    throw new SesError(
      'AccessDenied',
      `User: arn:aws:iam::${account.id}:user/posthorn is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
      403,
    )
  const session = newSession(owner, Number(given.get('DurationSeconds') ?? 3_600), now())
  opened(session)
  const { accessKeyId, secretAccessKey, sessionToken, expiresAt } = session
  return {
    Credentials: {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAt).toISOString(),
    },
    AssumedRoleUser: { Arn: `${arn}/${given.get('RoleSessionName')}`, AssumedRoleId: `AROA:${owner.id}` },
  }
}

const subscribe = ({ account, sns, given }: Call): Xml => {
  const [topicArn, protocol, endpoint] = ['TopicArn', 'Protocol', 'Endpoint'].map((name) => given.get(name) ?? '')
  if (!account.topics.has(topicArn ?? '')) throw notThere('Topic')
  const id = subscriptionId(endpoint ?? '')
  if (protocol !== 'sqs') {
    void sns.subscribe(topicArn ?? '', endpoint ?? '')
    return {
      SubscriptionArn: given.get('ReturnSubscriptionArn') === 'true' ? `${topicArn}:${id}` : 'pending confirmation',
    }
  }
  const queue = [...account.queues.values()].find(({ arn }) => arn === endpoint)
  if (!queue) throw new SesError('InvalidParameter', 'Invalid parameter: SQS endpoint ARN', 400)
  const isRaw = entriesIn(given, 'Attributes').some(
    ([name, value]) => name === 'RawMessageDelivery' && value === 'true',
  )
  sns.subscribeQueue(topicArn ?? '', endpoint ?? '', queue.put, isRaw)
  return { SubscriptionArn: `${topicArn}:${id}` }
}

/** The parts of AWS STS, Amazon SNS and AWS IAM that Posthorn uses (API references, AWS Query protocol). */
export const queryOperations: Readonly<Record<string, (call: Call) => Xml>> = {
  AssumeRole: assumed,
  GetCallerIdentity: ({ account: { id } }) => ({
    Arn: `arn:aws:iam::${id}:user/posthorn`,
    UserId: 'AIDALOCAL',
    Account: id,
  }),
  CreateTopic: ({ account, region, given }) => {
    const TopicArn = `arn:aws:sns:${region}:${account.id}:${given.get('Name')}`
    const known = account.topics.get(TopicArn) ?? new Map<string, string>()
    for (const [name, value] of entriesIn(given, 'Attributes')) known.set(name, value)
    account.topics.set(TopicArn, known)
    return { TopicArn }
  },
  SetTopicAttributes: (call) => {
    topicOf(call).set(call.given.get('AttributeName') ?? '', call.given.get('AttributeValue') ?? '')
    return {}
  },
  GetTopicAttributes: (call) => {
    return { Attributes: [...topicOf(call)].map(([key, value]) => ({ entry: { key, value } })) }
  },
  Subscribe: subscribe,
  Unsubscribe: ({ sns, given }) => {
    sns.unsubscribe(given.get('SubscriptionArn') ?? '')
    return {}
  },
  ListSubscriptionsByTopic: (call) => {
    topicOf(call)
    const TopicArn = call.given.get('TopicArn') ?? ''
    return {
      Subscriptions: call.sns.subscriptions(TopicArn).map(({ endpoint, protocol, confirmed }) => ({
        TopicArn,
        Protocol: protocol,
        Endpoint: endpoint,
        Owner: call.account.id,
        SubscriptionArn: confirmed ? `${TopicArn}:local` : 'PendingConfirmation',
      })),
    }
  },
  CreatePolicy: ({ account, given }) => {
    const Arn = `arn:aws:iam::${account.id}:policy/${given.get('PolicyName')}`
    if (account.policies.has(Arn)) throw new SesError('EntityAlreadyExists', 'A policy of that name exists.', 409)
    account.policies.set(Arn, [given.get('PolicyDocument') ?? ''])
    return { Policy: { Arn, PolicyName: given.get('PolicyName') ?? '', DefaultVersionId: 'v1' } }
  },
  GetPolicy: (call) => ({
    Policy: { Arn: call.given.get('PolicyArn') ?? '', DefaultVersionId: `v${policyOf(call).length}` },
  }),
  GetPolicyVersion: (call) => {
    const versions = policyOf(call)
    const id = call.given.get('VersionId') ?? ''
    return {
      PolicyVersion: {
        VersionId: id,
        Document: encodeURIComponent(versions[Number(id.slice(1)) - 1] ?? ''),
        IsDefaultVersion: 'true',
      },
    }
  },
  CreatePolicyVersion: (call) => {
    const versions = policyOf(call)
    versions.push(call.given.get('PolicyDocument') ?? '')
    return { PolicyVersion: { VersionId: `v${versions.length}`, IsDefaultVersion: 'true' } }
  },
}
