import { z } from 'zod'
import { headerText } from '../emails/email-content.js'
import { EmailAddress } from '../kernel/email-address.js'
import type { Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'

/** A region as AWS spells them; it becomes part of the host that is asked. */
export const CloudRegion = z
  .string()
  .regex(/^[a-z]{2,10}(?:-[a-z]{2,15}){1,3}-\d{1,2}$/, 'expected a region such as eu-west-1')
  .meta({ description: 'A region of the cloud account, such as eu-west-1' })

/** Visible ASCII: what a header of a request to the provider may carry. */
const credential = z.string().regex(/^[!-~]{1,256}$/, 'expected 1 to 256 visible ASCII characters')

const OwnSender = z
  .strictObject({
    name: headerText(200).meta({ description: 'Shown beside the address' }),
    email: EmailAddress,
    region: CloudRegion.optional().meta({ description: 'Absent: the region of the account' }),
  })
  .meta({ id: 'CloudSender', description: 'A From address that the project’s own account sends from' })

/** What a client may write of the project's own sending account (gaps.md, "cloudConfig"). */
export const CloudConfigFields = z
  .strictObject({
    roleArn: z
      .string()
      .regex(/^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/, 'expected the ARN of an IAM role')
      .optional()
      .meta({ description: 'The role that sends; encrypted at rest. Never together with an access key' }),
    accessKeyId: credential.optional().meta({ description: 'Goes with secretAccessKey; encrypted at rest' }),
    secretAccessKey: credential.optional().meta({ description: 'Write-only, encrypted at rest' }),
    region: CloudRegion.optional(),
    limit: z.int().min(1).optional().meta({ description: 'Mails per second' }),
    senderIdentities: z.array(OwnSender).max(100).optional().meta({ description: 'Senders of the account' }),
    removeCredentials: z
      .enum(['role', 'keys'])
      .optional()
      .meta({ description: 'Takes away the role or the access key, before what is given is merged in' }),
  })
  .meta({ id: 'CloudConfigFields', description: 'What is given is merged into what is stored' })
export type CloudConfigFields = z.output<typeof CloudConfigFields>

/** What anyone reads of it: hints instead of credentials. */
export const CloudConfig = z
  .object({
    roleArnHint: z.string().optional().meta({ description: 'First and last characters of the role’s ARN' }),
    accessKeyIdHint: z.string().optional().meta({ description: 'First and last characters, such as AKI…X' }),
    secretAccessKeyHint: z.string().optional().meta({ description: 'First and last characters' }),
    region: z.string().optional().meta({ description: 'Region of the account' }),
    limit: z.int().optional().meta({ description: 'Mails per second' }),
    senderIdentities: z.array(OwnSender).optional().meta({ description: 'Senders of the account' }),
  })
  .meta({ id: 'CloudConfig', description: 'The project’s own sending account; credentials are shown as hints only' })

/** As stored: credentials sealed, each beside its hint. */
export type StoredCloudConfig = z.output<typeof CloudConfig> & {
  readonly roleArn?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

/** So short a secret would be guessed from its ends. */
const shortest = 8

const hint = (secret: string) => (secret.length < shortest ? '…' : `${secret.slice(0, 3)}…${secret.slice(-1)}`)

const credentials = { role: ['roleArn'], keys: ['accessKeyId', 'secretAccessKey'] } as const

const withoutCredentials = (config: StoredCloudConfig, which: keyof typeof credentials): StoredCloudConfig => {
  const gone = credentials[which].flatMap((key) => [key, `${key}Hint`])
  return Object.fromEntries(Object.entries(config).filter(([key]) => !gone.includes(key)))
}

/**
 * The configuration with the given keys merged in and credentials sealed.
 * @throws Refusal `invalid` for a role and keys at once, or half a pair of keys
 */
export const changedCloudConfig = (
  stored: StoredCloudConfig | undefined,
  { removeCredentials, ...given }: CloudConfigFields,
  secrets: Pick<Secrets, 'seal'>,
): StoredCloudConfig => {
  const rest = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  let next: StoredCloudConfig = removeCredentials ? withoutCredentials(stored ?? {}, removeCredentials) : (stored ?? {})
  next = { ...next, ...rest }
  for (const key of ['roleArn', 'accessKeyId', 'secretAccessKey'] as const) {
    const secret = given[key]
    if (secret !== undefined) next = { ...next, [key]: secrets.seal(secret), [`${key}Hint`]: hint(secret) }
  }
  if (next.roleArn && (next.accessKeyId || next.secretAccessKey))
    throw invalid('cloudConfig: give a roleArn or an access key, not both; removeCredentials takes away the other')
  if (Boolean(next.accessKeyId) !== Boolean(next.secretAccessKey))
    throw invalid('cloudConfig: accessKeyId and secretAccessKey go together')
  return next
}

/** Whether there is something to enter the account with. */
export const hasCredentials = (config: StoredCloudConfig | undefined): boolean =>
  config?.roleArn !== undefined || (config?.accessKeyId !== undefined && config.secretAccessKey !== undefined)
