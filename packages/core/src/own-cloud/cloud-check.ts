import { z } from 'zod'
import { grouped } from '../kernel/collections.js'
import { EmailAddress } from '../kernel/email-address.js'
import type { InputRule, ValidParts } from '../kernel/parsed.js'
import type { Log, Secrets } from '../kernel/ports.js'
import { invalid, Refusal } from '../kernel/refusal.js'
import { standaloneViolation } from '../kernel/violation.js'
import {
  CloudConfigKeys,
  CloudRegion,
  changedCloudConfig,
  cloudCredentialsAfter,
  type StoredCloudConfig,
} from '../projects/cloud-config.js'

export const cloudWarningCodes = [
  'no-public-url',
  'events-unknown',
  'events-check-not-allowed',
  'no-configuration-set',
  'no-topic',
  'events-not-published',
  'topic-not-subscribed',
] as const

export const CloudWarning = z
  .object({
    code: z.enum(cloudWarningCodes).describe('For programs; later versions may add codes'),
    message: z.string().describe('The sentence in `warnings`'),
    values: z
      .record(z.string(), z.string())
      .describe(
        'What the message names, where it does: region, configurationSet, topic, eventsUrl, and events separated by commas',
      ),
  })
  .meta({
    id: 'CloudWarning',
    description: 'Why events of an own account do not arrive, and what to do; the account still sends',
  })
export type CloudWarning = z.output<typeof CloudWarning>

export type CloudCredentials =
  | { readonly roleArn: string; readonly externalId?: string | undefined }
  | { readonly accessKeyId: string; readonly secretAccessKey: string }

export type CloudSendingStatus = {
  /** Mails per second in that region. */
  readonly maxSendRate: number
  /** Neither address nor domain is verified there. */
  readonly unverified: readonly string[]
  readonly problem?: string
  /** Do not prevent sending. */
  readonly warnings?: readonly CloudWarning[]
}

export interface CloudAccount {
  /** @throws Refusal `invalid` with the provider's reason if the credentials are rejected */
  look(asked: {
    readonly projectId: string
    readonly credentials: CloudCredentials
    readonly region: string
    readonly senders: readonly string[]
  }): Promise<CloudSendingStatus>
}

const Sender = z.strictObject({
  _id: z.string().optional().describe('Not checked'),
  name: z.string().optional().describe('Not checked'),
  email: EmailAddress,
  region: CloudRegion.optional().describe('Absent: the region of the account'),
})

export const CloudCheckFields = CloudConfigKeys.extend({
  senderIdentities: z.array(Sender).max(100).optional().describe('Senders whose domains are checked'),
}).meta({ id: 'CloudCheckFields', description: 'Given values are checked instead of the stored ones' })
export type CloudCheckFields = z.input<typeof CloudCheckFields>

type Overrides = Omit<z.output<typeof CloudCheckFields>, 'senderIdentities'>

/** Credentials of one kind replace stored ones of the other. */
const replacing = ({ roleArn, accessKeyId, secretAccessKey }: ValidParts<Overrides>) => {
  if (roleArn !== undefined) return { removeCredentials: 'keys' as const }
  return (accessKeyId ?? secretAccessKey) === undefined ? {} : { removeCredentials: 'role' as const }
}

export const cloudCredentialsRule =
  (stored: StoredCloudConfig | undefined): InputRule<z.output<typeof CloudCheckFields>> =>
  ({ roleArn, accessKeyId, secretAccessKey }) => {
    const given = { roleArn, accessKeyId, secretAccessKey }
    const { next, problem } = cloudCredentialsAfter(stored, { ...given, ...replacing(given) })
    return problem === undefined
      ? []
      : [standaloneViolation(next.accessKeyId ? 'secretAccessKey' : 'accessKeyId', `cloudConfig: ${problem}`)]
  }

export const cloudConfigToCheck = (
  stored: StoredCloudConfig | undefined,
  given: Overrides,
  secrets: Pick<Secrets, 'seal'>,
): StoredCloudConfig => changedCloudConfig(stored, { ...given, ...replacing(given) }, secrets)

export type CloudSender = { readonly email: string; readonly region: string }

/** Credentials in clear text, only during the check. */
export type DecryptedCloudConfig = { readonly credentials: CloudCredentials; readonly region: string }

const credentialsOf = (
  { roleArn, accessKeyId, secretAccessKey }: StoredCloudConfig,
  externalId: string | undefined,
  { open }: Pick<Secrets, 'open'>,
): CloudCredentials | undefined => {
  if (roleArn !== undefined) return { roleArn: open(roleArn), externalId }
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId: open(accessKeyId), secretAccessKey: open(secretAccessKey) }
}

/** @throws Refusal `invalid` for a configuration without credentials or region */
export const decryptCloudConfig = (
  config: StoredCloudConfig,
  externalId: string | undefined,
  secrets: Pick<Secrets, 'open'>,
): DecryptedCloudConfig => {
  const credentials = credentialsOf(config, externalId, secrets)
  const { region } = config
  if (credentials !== undefined && region !== undefined) return { credentials, region }
  throw invalid(
    ...(credentials === undefined ? ['cloudConfig: there is neither a roleArn nor an access key'] : []),
    ...(region === undefined ? ['cloudConfig: there is no region'] : []),
  )
}

const redacted = (message: string, credentials: CloudCredentials): string =>
  Object.values(credentials).reduce<string>(
    (text, secret: string | undefined) => (secret ? text.replaceAll(secret, '…') : text),
    message,
  )

/** The provider's reason, without credentials that it may contain. */
const refusalOf = (error: unknown, { credentials, region }: DecryptedCloudConfig, log: Log): Refusal => {
  const message = redacted(error instanceof Error ? error.message : String(error), credentials)
  if (error instanceof Refusal) return invalid(`cloudConfig: ${message}`)
  log('warn', 'A cloud account could not be looked at', { region, error: message })
  return invalid(`cloudConfig: the cloud account did not answer in ${region}`)
}

export type CloudFindings = { readonly violations: readonly string[]; readonly warnings: readonly CloudWarning[] }

/** @throws Refusal `invalid` if the account cannot be accessed */
export const ownCloudFindings = async (
  { look, log }: { readonly look: CloudAccount['look']; readonly log: Log },
  { credentials, region }: DecryptedCloudConfig,
  projectId: string,
  senders: readonly CloudSender[],
  limit: number | undefined,
): Promise<CloudFindings> => {
  const regions = new Map([[region, []], ...grouped(senders, (sender) => sender.region)])
  const violations: string[] = []
  const warnings: CloudWarning[] = []
  for (const [name, there] of regions) {
    const asked = { projectId, credentials, region: name, senders: there.map(({ email }) => email) }
    const {
      unverified,
      maxSendRate,
      problem,
      warnings: told = [],
    } = await look(asked).catch((error) => {
      throw refusalOf(error, { credentials, region: name }, log)
    })
    if (problem !== undefined) violations.push(`cloudConfig: ${problem}`)
    warnings.push(...told)
    violations.push(
      ...unverified.map(
        (email) =>
          `senderIdentities: ${email} is not verified in ${name}; add its domain to the identities of Amazon SES there, and the records that it names to DNS`,
      ),
    )
    if (name === region && limit !== undefined && limit > maxSendRate)
      violations.push(
        `limit: the account sends at most ${maxSendRate} mails per second in ${name}; give no more, or request a higher sending quota at AWS`,
      )
  }
  return { violations, warnings }
}
