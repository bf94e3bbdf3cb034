import { z } from 'zod'
import { grouped } from '../kernel/collections.js'
import { EmailAddress } from '../kernel/email-address.js'
import type { Fitting, Rule } from '../kernel/parsed.js'
import type { Log, Secrets } from '../kernel/ports.js'
import { invalid, Refusal } from '../kernel/refusal.js'
import { standingAlone } from '../kernel/violation.js'
import {
  CloudConfigKeys,
  CloudRegion,
  changedCloudConfig,
  credentialsAfter,
  type StoredCloudConfig,
} from '../projects/cloud-config.js'

/** Credentials for a project's own cloud account: a role that requires the project's external id, or an access key. */
export type CloudCredentials =
  | { readonly roleArn: string; readonly externalId?: string | undefined }
  | { readonly accessKeyId: string; readonly secretAccessKey: string }

export type CloudStanding = {
  /** Mails per second that the account may send in that region. */
  readonly maxSendRate: number
  /** The given addresses of which neither the address nor the domain is verified there. */
  readonly unverified: readonly string[]
  /** Why the account cannot send there, or only to some recipients, and what to do about it; absent if it can. */
  readonly problem?: string
  /** Problems that do not prevent sending, and what to do about them: bounces are not reported, for example. */
  readonly warnings?: readonly string[]
}

/** A project's own account at the provider. */
export interface CloudAccount {
  /**
   * The state of the account in a region, for sending from these addresses.
   * @throws Refusal `invalid` with the provider's reason if the credentials are rejected
   */
  look(asked: {
    readonly projectId: string
    readonly credentials: CloudCredentials
    readonly region: string
    readonly senders: readonly string[]
  }): Promise<CloudStanding>
}

const Sender = z.strictObject({
  _id: z.string().optional().meta({ description: 'As a sender identity has it; not looked at' }),
  name: z.string().optional().meta({ description: 'Not looked at' }),
  email: EmailAddress,
  region: CloudRegion.optional().meta({ description: 'Absent: the region of the account' }),
})

/** Values to check instead of the stored ones. */
export const CloudCheckFields = CloudConfigKeys.extend({
  senderIdentities: z.array(Sender).max(100).optional().meta({ description: 'Senders whose domains are checked' }),
}).meta({ id: 'CloudCheckFields', description: 'What is given here is checked in place of what is stored' })
export type CloudCheckFields = z.input<typeof CloudCheckFields>

type Overrides = Omit<z.output<typeof CloudCheckFields>, 'senderIdentities'>

/** Given credentials of one kind replace stored ones of the other. */
const replacing = ({ roleArn, accessKeyId, secretAccessKey }: Fitting<Overrides>) => {
  if (roleArn !== undefined) return { removeCredentials: 'keys' as const }
  return (accessKeyId ?? secretAccessKey) === undefined ? {} : { removeCredentials: 'role' as const }
}

/** Checks that the given and stored values together are a role or a pair of keys. */
export const credentialsFit =
  (stored: StoredCloudConfig | undefined): Rule<z.output<typeof CloudCheckFields>> =>
  ({ roleArn, accessKeyId, secretAccessKey }) => {
    const given = { roleArn, accessKeyId, secretAccessKey }
    const { next, problem } = credentialsAfter(stored, { ...given, ...replacing(given) })
    return problem === undefined
      ? []
      : [standingAlone(next.accessKeyId ? 'secretAccessKey' : 'accessKeyId', `cloudConfig: ${problem}`)]
  }

/** The stored configuration with the given fields merged in. */
export const checkedCloudConfig = (
  stored: StoredCloudConfig | undefined,
  given: Overrides,
  secrets: Pick<Secrets, 'seal'>,
): StoredCloudConfig => changedCloudConfig(stored, { ...given, ...replacing(given) }, secrets)

/** An address to send from, and its region. */
export type CloudSender = { readonly email: string; readonly region: string }

/** Access to an account. Credentials are in clear text here, only for the duration of the check. */
export type CloudAccess = { readonly credentials: CloudCredentials; readonly region: string }

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
export const cloudAccessOf = (
  config: StoredCloudConfig,
  externalId: string | undefined,
  secrets: Pick<Secrets, 'open'>,
): CloudAccess => {
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

/** The refusal for a failed check: the provider's reason, without credentials that it may contain. The log has the rest. */
const refusalOf = (error: unknown, { credentials, region }: CloudAccess, log: Log): Refusal => {
  const message = redacted(error instanceof Error ? error.message : String(error), credentials)
  if (error instanceof Refusal) return invalid(`cloudConfig: ${message}`)
  log('warn', 'A cloud account could not be looked at', { region, error: message })
  return invalid(`cloudConfig: the cloud account did not answer in ${region}`)
}

/** All problems that prevent sending through an account, and warnings about others. */
export type CloudFindings = { readonly violations: readonly string[]; readonly warnings: readonly string[] }

/** Checks the account. @throws Refusal `invalid` if it cannot be accessed */
export const cloudFindings = async (
  { look, log }: { readonly look: CloudAccount['look']; readonly log: Log },
  { credentials, region }: CloudAccess,
  projectId: string,
  senders: readonly CloudSender[],
  limit: number | undefined,
): Promise<CloudFindings> => {
  const regions = new Map([[region, []], ...grouped(senders, (sender) => sender.region)])
  const violations: string[] = []
  const warnings: string[] = []
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
