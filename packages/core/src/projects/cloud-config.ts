import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import type { Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'

const OwnSender = z.strictObject({ name: z.string(), email: EmailAddress, region: z.string().optional() })

/** What a client may write of the project's own sending account (gaps.md, "cloudConfig"). */
export const CloudConfigFields = z
  .strictObject({
    roleArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/, 'expected the ARN of an IAM role')
      .optional(),
    accessKeyId: z.string().min(1).optional(),
    secretAccessKey: z.string().min(1).optional().meta({ description: 'Write-only, encrypted at rest' }),
    region: z.string().min(1).optional(),
    limit: z.int().min(1).optional().meta({ description: 'Mails per second' }),
    senderIdentities: z.array(OwnSender).max(100).optional(),
    removeCredentials: z.enum(['role', 'keys']).optional(),
  })
  .meta({ id: 'CloudConfigFields' })
export type CloudConfigFields = z.output<typeof CloudConfigFields>

/** What anyone reads of it: hints instead of credentials. */
export const CloudConfig = z
  .object({
    roleArnHint: z.string().optional(),
    accessKeyIdHint: z.string().optional(),
    secretAccessKeyHint: z.string().optional(),
    region: z.string().optional(),
    limit: z.int().optional(),
    senderIdentities: z.array(OwnSender).optional(),
  })
  .meta({ id: 'CloudConfig', description: 'The project’s own sending account; credentials are shown as hints only' })

/** As stored: credentials sealed, each beside its hint. */
export type StoredCloudConfig = z.output<typeof CloudConfig> & {
  readonly roleArn?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
}

const hint = (secret: string) => `${secret.slice(0, 3)}…${secret.slice(-1)}`

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
